// SPDX-License-Identifier: Apache-2.0
// Samples of the kernel within faults whose duration is unknown: perf reports when a fault was
// done, not when it began.
#include "correlate/time/lives.h"

#include "base/arena.h"
#include "base/u64map.h"

/** Thread -> the fault that it took last, or takes next, plus one. */
struct search {
	const struct trace *trace;
	const struct model_thread *threads;
	const struct all_faults *faults;
	struct u64map nearest;
	uint8_t *found;
};

static void pass_fault(struct search *search, size_t index)
{
	const struct model_fault *fault = &search->faults->list.items[index];

	*u64map_put(&search->nearest, search->threads[fault->thread].tid, NULL) =
		(uint32_t)index + 1;
}

static void try_sample(struct search *search, size_t index)
{
	const unsigned wanted = TRACE_SAMPLE_KERNEL | TRACE_SAMPLE_HAS_USER_IP;
	const struct trace_sample *sample = &search->trace->samples.items[index];
	const uint32_t *nearest = u64map_get(&search->nearest, sample->tid);

	if (!nearest || (sample->flags & (wanted | TRACE_SAMPLE_IN_FAULT)) != wanted)
		return;

	const struct model_fault *fault = &search->faults->list.items[*nearest - 1];

	if (fault->has_ip && !fault->has_duration && fault->mode == MODEL_USER &&
	    fault->by->ip == sample->ip && search->threads[fault->thread].pid == sample->pid)
		search->found[index] = fault->initiator + 1;
}

/** With the fault that was before each sample. */
static void look_back(struct search *search)
{
	const struct trace *trace = search->trace;
	size_t fault = 0;

	for (size_t i = 0; i < trace->samples.count; i++) {
		uint64_t time_ns = trace->samples.items[i].time_ns - trace->meta.start_ns;

		for (; fault < search->faults->list.count &&
		       search->faults->list.items[fault].time_ns <= time_ns;
		     fault++)
			pass_fault(search, fault);
		try_sample(search, i);
	}
}

/** With the fault that was behind each sample, which is the better answer where both are. */
static void look_ahead(struct search *search)
{
	const struct trace *trace = search->trace;
	size_t fault = search->faults->list.count;

	for (size_t i = trace->samples.count; i-- > 0;) {
		uint64_t time_ns = trace->samples.items[i].time_ns - trace->meta.start_ns;

		for (; fault > 0 && search->faults->list.items[fault - 1].time_ns >= time_ns;
		     fault--)
			pass_fault(search, fault - 1);
		try_sample(search, i);
	}
}

uint8_t *faultsamples_find(const struct trace *trace, const struct model_thread *threads,
			   const struct all_faults *faults)
{
	struct search back = { .trace = trace, .threads = threads, .faults = faults };
	struct search ahead = back;

	back.found = ahead.found = xcalloc(trace->samples.count + 1, 1);
	look_back(&back);
	look_ahead(&ahead);
	u64map_deinit(&back.nearest);
	u64map_deinit(&ahead.nearest);
	return back.found;
}
