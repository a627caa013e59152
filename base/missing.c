// SPDX-License-Identifier: Apache-2.0
#include "base/missing.h"

#include "base/checked.h"

/** @a + @b, or the largest number: a trace may claim anything. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return checked_add(a, b, &sum) ? sum : UINT64_MAX;
}

uint64_t missing_expected_rusage(const struct missing_counts *counts)
{
	return counts->recorded + counts->lost + counts->before_exec +
	       (counts->has_unsampled ? counts->unsampled : 0) - counts->living;
}

struct missing missing_of(const struct missing_counts *counts)
{
	const uint64_t rest = checked_rest(counts->has_rusage ? counts->rusage : 0,
					   missing_expected_rusage(counts));
	struct missing missing = { .lost = counts->lost };

	if (counts->has_unsampled)
		missing.uncounted = rest;
	if (counts->has_unrecorded) {
		// Where tasks are not counted one by one, the rest is what raised no event.
		uint64_t eventless = counts->has_unsampled ? counts->unsampled : rest;

		missing.hidden = counts->hidden;
		missing.unseen_programs = counts->unseen_programs;
		missing.eventless =
			checked_rest(checked_rest(checked_rest(eventless, counts->hidden),
						  counts->exec_unsampled),
				     counts->call_unsampled);
	}
	missing.total =
		add(add(missing.lost, missing.hidden), add(missing.eventless, missing.uncounted));
	if (missing.total < missing.unseen_programs)
		missing.total = missing.unseen_programs;
	return missing;
}
