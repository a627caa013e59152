// SPDX-License-Identifier: Apache-2.0
// Ends a trace at a moment: nothing later is kept, and what goes on then is open there, as it is
// where a recording ends while its program runs.
#include "trace/private.h"

#include "base/checked.h"
#include "base/range.h"
#include "base/search.h"
#include "trace/living.h"

/** Items of a sorted array up to @end_ns. */
#define UP_TO(array, end_ns) search_first((array).count, i_, (array).items[i_].time_ns > (end_ns))

static void clamp(uint64_t time_ns, uint64_t end_ns, uint64_t *duration_ns)
{
	if (*duration_ns > end_ns - time_ns)
		*duration_ns = end_ns - time_ns;
}

/** Return what the recorder had of @pause until @end_ns, as if it had it evenly. */
static uint32_t recorder_until(const struct trace_pause *pause, uint64_t end_ns)
{
	const bool can_go_on = pause->flags & TRACE_PAUSE_PREEMPTED;
	const uint64_t since_ns = can_go_on ? pause->time_ns : pause->woken_ns;

	if (pause->flags & TRACE_PAUSE_LAST || pause->back_ns <= since_ns)
		return 0;
	return (uint32_t)range_part(pause->recorder_ns, (struct range){ since_ns, pause->back_ns },
				    end_ns);
}

/** @pause goes on at @end_ns, or begins later while its thread still runs there. */
static void open_pause(struct trace_pause *pause, uint64_t end_ns)
{
	pause->recorder_ns = recorder_until(pause, end_ns);
	if (pause->time_ns > end_ns) {
		const uint64_t ran = pause->time_ns - end_ns;

		pause->runtime_ns -= ran < pause->runtime_ns ? ran : pause->runtime_ns;
		pause->time_ns = end_ns;
		pause->flags = TRACE_PAUSE_PREEMPTED | (pause->flags & TRACE_PAUSE_HAS_DELAY);
		pause->waker_pid = pause->waker_tid = pause->call = pause->stack = 0;
	}
	if (pause->woken_ns > end_ns || pause->flags & TRACE_PAUSE_LAST)
		pause->woken_ns = end_ns;
	pause->back_ns = end_ns;
	pause->flags = (pause->flags & ~(uint32_t)TRACE_PAUSE_LAST) | TRACE_PAUSE_OPEN;
}

/**
 * Each thread that lives at @end_ns has one pause there: the one that it is in, or made of the next
 * one, which tells how long it ran until then. @trace: with the tasks up to @end_ns.
 */
static void cut_pauses(struct trace *trace, uint64_t end_ns)
{
	CLEANUP(u64map_deinit) struct u64map opened = { 0 };
	CLEANUP(living_deinit) struct living living;
	size_t kept = 0;

	living_init(&living, trace->tasks.items, trace->tasks.count);
	vec_foreach (pause, &trace->pauses) {
		const bool is_last = pause->flags & TRACE_PAUSE_LAST;
		bool is_new;

		if (pause->time_ns > end_ns || (!is_last && pause->back_ns > end_ns)) {
			if (!living_is(&living, pause->tid))
				continue;
			u64map_put(&opened, pause->tid, &is_new);
			if (!is_new)
				continue;
			open_pause(pause, end_ns);
		}
		trace->pauses.items[kept++] = *pause;
	}
	trace->pauses.count = kept;
}

/** Leave later requests out, and out of what the kernel counted of each disk. */
static void cut_requests(struct trace *trace, uint64_t end_ns)
{
	const size_t kept = UP_TO(trace->requests, end_ns);

	for (size_t i = kept; i < trace->requests.count; i++) {
		const struct trace_request *request = &trace->requests.items[i];

		vec_foreach (device, &trace->devices) {
			if (device->device != request->device)
				continue;
			device->least = checked_rest(device->least, request->size);
			device->most = checked_rest(device->most, request->size);
		}
	}
	trace->requests.count = kept;
	vec_foreach (request, &trace->requests)
		clamp(request->time_ns, end_ns, &request->duration_ns);
}

/** Calls alone end there; sums are told of when their thread or the recording ends. */
static void cut_calls(struct trace *trace, uint64_t end_ns)
{
	size_t kept = 0;

	vec_foreach (call, &trace->calls) {
		if (call->flags & TRACE_CALL_ALONE) {
			if (call->time_ns > end_ns)
				continue;
			if (call->duration_ns > end_ns - call->time_ns) {
				call->duration_ns = end_ns - call->time_ns;
				call->flags |= TRACE_CALL_OPEN;
			}
		} else if (call->time_ns > end_ns) {
			call->time_ns = end_ns;
		}
		trace->calls.items[kept++] = *call;
	}
	trace->calls.count = kept;
}

static void cut_marks(struct trace *trace, uint64_t end_ns)
{
	size_t kept = 0;

	vec_foreach (mark, &trace->marks)
		if (mark->time_ns <= end_ns)
			trace->marks.items[kept++] = *mark;
	trace->marks.count = kept;
}

static void cut(struct trace *trace, uint64_t end_ns)
{
	const size_t faults = UP_TO(trace->faults, end_ns);

	trace->summary.recorded -= trace->complete ? trace->faults.count - faults : 0;
	trace->faults.count = faults;
	vec_foreach (fault, &trace->faults)
		clamp(fault->time_ns, end_ns, &fault->duration_ns);
	trace->mappings.count = UP_TO(trace->mappings, end_ns);
	trace->remaps.count = UP_TO(trace->remaps, end_ns);
	trace->tasks.count = UP_TO(trace->tasks, end_ns);
	cut_pauses(trace, end_ns);
	trace->samples.count = UP_TO(trace->samples, end_ns);
	trace->reads.count = UP_TO(trace->reads, end_ns);
	cut_requests(trace, end_ns);
	cut_calls(trace, end_ns);
	trace->prefaults.count = UP_TO(trace->prefaults, end_ns);
	trace->arguments.count = UP_TO(trace->arguments, end_ns);
	trace->opens.count = UP_TO(trace->opens, end_ns);
	trace->flushes.count = UP_TO(trace->flushes, end_ns);
	cut_marks(trace, end_ns);
	if (trace->complete)
		trace->summary.end_ns = end_ns;
}

void trace_cut_at_end(struct trace *trace)
{
	vec_foreach (mark, &trace->marks) {
		if (!(mark->flags & TRACE_MARK_END) || mark->flags & TRACE_MARK_MISSED)
			continue;
		cut(trace, mark->time_ns);
		return;
	}
}
