// SPDX-License-Identifier: Apache-2.0
#include "record/samplecost.h"

#include "base/median.h"
#include "base/vec.h"

/** A gap this many times as long as the middle one had more in it than a sample. */
enum { DISTURBED = 4 };

/** Return the gap that @time_ns lies in; NULL: none. */
static const struct costchild_gap *gap_at(const struct costchild_gap *gaps, size_t count,
					  uint64_t time_ns)
{
	array_foreach (gap, gaps, count)
		if (time_ns >= gap->start_ns && time_ns <= gap->end_ns)
			return gap;
	return NULL;
}

struct samplecost samplecost_of(const struct trace *trace, uint32_t tid,
				const struct costchild_gap *gaps, size_t count)
{
	CLEANUP(vec_release) VEC(uint64_t) excesses = { 0 };
	CLEANUP(vec_release) VEC(uint64_t) programs = { 0 };
	struct samplecost sum = { 0 };
	uint64_t means = 0;

	vec_foreach (sample, &trace->samples) {
		const struct costchild_gap *gap =
			sample->tid == tid ? gap_at(gaps, count, sample->time_ns) : NULL;

		if (!gap)
			continue;
		vec_push(&excesses, gap->excess_ns);
		vec_push(&programs, sample->program_ns);
	}

	const double limit = median_of(excesses.items, excesses.count) * DISTURBED;

	// Means of the same samples: costs are told in proportion to what the program took, and
	// their sum is to be right.
	for (size_t i = 0; i < excesses.count; i++) {
		if ((double)excesses.items[i] > limit)
			continue;
		sum.ns += excesses.items[i];
		sum.program_ns += programs.items[i];
		means++;
	}
	return means == 0 ? sum
			  : (struct samplecost){ .ns = sum.ns / means,
						 .program_ns = sum.program_ns / means };
}
