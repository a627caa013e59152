// SPDX-License-Identifier: Apache-2.0
// In which direction a process goes through a file, fault by fault.
#include "correlate/replay/rows.h"

#include "base/cleanup.h"

/** Pages that fault-around maps at most, unless it was set otherwise: 64 KiB of 4 KiB pages. */
enum { NEARBY_PAGES = 16 };

static enum model_step from_to(uint64_t before, uint64_t page)
{
	if (page == before)
		return MODEL_STEP_SAME;
	if (page < before)
		return MODEL_STEP_BACKWARD;
	return page - before <= NEARBY_PAGES ? MODEL_STEP_NEXT : MODEL_STEP_FORWARD;
}

void steps_decide(const struct model_thread *threads, struct all_faults *faults, uint64_t page_size)
{
	CLEANUP(u64map_deinit)
	struct u64map last = { 0 }; // (program, object) -> index of its newest fault

	for (size_t i = 0; i < faults->list.count; i++) {
		struct model_fault *fault = &faults->list.items[i];
		bool is_new;

		fault->step = MODEL_STEP_NONE;
		if (!fault->at.has_offset || fault->at.object == MODEL_NONE)
			continue;
		uint64_t program = threads[fault->thread].program;
		uint32_t *newest = u64map_put(&last, program << 32 | fault->at.object, &is_new);
		if (!is_new)
			fault->step = from_to(faults->list.items[*newest].at.offset / page_size,
					      fault->at.offset / page_size) &
				      15;
		*newest = (uint32_t)i; // as all indexes of faults
	}
}
