// SPDX-License-Identifier: Apache-2.0
// The share of each sample of the processor: its part of what its thread computed.
#include "correlate/time/timeline.h"

#include "base/cleanup.h"

#include <stdlib.h>

/** All that @life computed, as its samples stand for it; 0 where they are none. */
static uint64_t sampled_by(const struct life *life)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		if (__builtin_add_overflow(sum, life->sampled_ns[i], &sum))
			return 0;
	return sum;
}

/** The part divided so far of the time that a life computed. */
struct division {
	uint64_t sampled_ns;		// by all its samples; 0: there are none
	uint64_t passed_ns, divided_ns; // those that were told what they stand for
};

/**
 * The part of what @life computed that a sample for @period_ns stands for: all make up what its
 * samples divide.
 */
static uint64_t next_part(struct division *division, const struct life *life, uint64_t period_ns)
{
	if (division->sampled_ns == 0)
		return 0;
	// Sums of a life wrap where a trace is made up.
	if (__builtin_add_overflow(division->passed_ns, period_ns, &division->passed_ns) ||
	    division->passed_ns > division->sampled_ns)
		division->passed_ns = division->sampled_ns;
	double share = (double)division->passed_ns / (double)division->sampled_ns;
	uint64_t until = (uint64_t)(share * (double)life->divided_ns);
	uint64_t part = until - division->divided_ns;

	division->divided_ns = until;
	return part;
}

void samplepart_fill(struct lives *lives, const struct trace *trace)
{
	CLEANUP(freep)
	struct division *divisions = xcalloc(lives->list.count + 1, sizeof(*divisions));

	for (size_t i = 0; i < lives->list.count; i++)
		divisions[i].sampled_ns = sampled_by(&lives->list.items[i]);
	for (size_t i = 0; i < trace->samples.count; i++) {
		struct lives_moment *moment = &lives->samples[i];

		if (moment->life > 0)
			moment->part.ns = next_part(&divisions[moment->life - 1],
						    &lives->list.items[moment->life - 1],
						    trace->samples.items[i].period_ns);
	}
}
