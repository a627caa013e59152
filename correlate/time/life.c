// SPDX-License-Identifier: Apache-2.0
// The life of one thread within one program, cut into states by its faults and its pauses.
#include "correlate/time/lives.h"

/** Return the part of @from_ns to @to_ns that is before @limit_ns. */
static uint64_t before(uint64_t from_ns, uint64_t to_ns, uint64_t limit_ns)
{
	const uint64_t end_ns = to_ns < limit_ns ? to_ns : limit_ns;

	return end_ns > from_ns ? end_ns - from_ns : 0;
}

static void add(struct life *life, enum model_state state, enum model_initiator initiator,
		uint64_t from_ns, uint64_t to_ns)
{
	life->times.ns[state] += to_ns - from_ns;
	life->by_initiator[initiator].ns[state] += to_ns - from_ns;
	array_foreach (cut, life->cuts, life_cut_count(life))
		cut->by_initiator[initiator].ns[state] += before(from_ns, to_ns, cut->time_ns);
}

static void take(struct life *life, enum model_state state, enum model_initiator initiator,
		 uint64_t from_ns, uint64_t to_ns)
{
	life->times.ns[state] -= to_ns - from_ns;
	life->by_initiator[initiator].ns[state] -= to_ns - from_ns;
	array_foreach (cut, life->cuts, life_cut_count(life))
		cut->by_initiator[initiator].ns[state] -= before(from_ns, to_ns, cut->time_ns);
}

/** The time of the fault that it was in last, to be changed. */
static struct model_fault_time *fault_time(struct life *life, struct arena *arena)
{
	if (!life->time) {
		life->time = arena_array(arena, 1, sizeof(*life->time));
		life->time->own_ns = life->fault->duration_ns;
		life->fault->time = life->time;
	}
	return life->time;
}

/** Return what it computed before @until_ns: all that is in no other state. */
static uint64_t computed_before(const struct life *life, uint64_t until_ns)
{
	return until_ns - life->start_ns - model_times_sum(&life->times);
}

/** Remember the fault that it is in at @start, where another one begins. */
static void keep_earlier(struct life *life, struct arena *arena, uint64_t start)
{
	if (start >= life->fault_end_ns || !life->fault) {
		life->earlier = NULL;
		return;
	}
	struct life_fault *earlier = arena_array(arena, 1, sizeof(*earlier));

	*earlier = (struct life_fault){ life->fault, life->fault_start_ns, life->earlier };
	life->earlier = earlier;
}

/**
 * Take the time from @start to @end, when it did not run in a fault, from the faults that have it.
 * Pauses come in order of time: each moment is taken once.
 */
static void take_from_faults(struct life *life, struct arena *arena, uint64_t start, uint64_t end)
{
	if (end > life->fault_start_ns) {
		const uint64_t from = start > life->fault_start_ns ? start : life->fault_start_ns;

		take(life, MODEL_STATE_FAULT, life->fault_initiator, from, end);
		fault_time(life, arena)->own_ns -= end - from;
		end = from;
	}
	for (const struct life_fault *at = life->earlier; at && start < end; at = at->earlier) {
		const uint64_t from = start > at->start_ns ? start : at->start_ns;

		if (from >= end)
			continue;
		struct model_fault_time *time = arena_array(arena, 1, sizeof(*time));

		*time = (struct model_fault_time){
			.own_ns = model_fault_own(at->fault) - (end - from),
			.late_ns = model_fault_late(at->fault),
		};
		at->fault->time = time;
		take(life, MODEL_STATE_FAULT, (enum model_initiator)at->fault->initiator, from,
		     end);
		end = from;
	}
}

void life_take_fault(struct life *life, struct arena *arena, struct model_fault *fault,
		     uint64_t start, uint64_t end)
{
	const uint64_t until =
		life->until_ns > life->fault_end_ns ? life->until_ns : life->fault_end_ns;

	if (end <= until) {
		fault->time = arena_array(arena, 1, sizeof(*fault->time));
		return;
	}
	computed_see(life, fault, computed_before(life, start > until ? start : until));
	keep_earlier(life, arena, start);
	life->fault = fault;
	life->time = NULL;
	if (start < until) {
		start = until;
		fault_time(life, arena)->own_ns = end - start;
	}
	life->fault_start_ns = start;
	life->fault_end_ns = end;
	life->fault_initiator = (enum model_initiator)fault->initiator;
	add(life, MODEL_STATE_FAULT, life->fault_initiator, start, end);
}

void life_see(struct life *life, const struct model_fault *moment, uint64_t time_ns)
{
	if (time_ns >= life->fault_end_ns && moment->initiator != MODEL_INITIATOR_UNKNOWN)
		computed_see(life, moment, computed_before(life, time_ns));
}

bool life_take_sample(struct life *life, const struct trace_sample *sample,
		      enum model_initiator initiator)
{
	if (sample->time_ns < life->fault_end_ns || (sample->flags & TRACE_SAMPLE_IN_FAULT))
		return false;
	computed_sample(life, initiator, sample->period_ns, false);
	return true;
}

/** Return the state of @pause, before it was woken. */
static enum model_state state_of(const struct trace_pause *pause, bool in_fault)
{
	if (!(pause->flags & TRACE_PAUSE_STORAGE))
		return MODEL_STATE_WAIT;
	return in_fault ? MODEL_STATE_FAULT_IO : MODEL_STATE_FILE_IO;
}

/** Take what the recorder had of the time in which it was @runnable for @initiator. */
static void take_held(struct life *life, enum model_initiator initiator, struct range runnable,
		      uint64_t ns)
{
	life->times.ns[MODEL_STATE_RUNNABLE] -= ns;
	life->times.ns[MODEL_STATE_RECORDING] += ns;
	life->by_initiator[initiator].ns[MODEL_STATE_RUNNABLE] -= ns;
	life->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_RECORDING] += ns;
	array_foreach (cut, life->cuts, life_cut_count(life)) {
		const uint64_t part = range_part(ns, runnable, cut->time_ns);

		cut->by_initiator[initiator].ns[MODEL_STATE_RUNNABLE] -= part;
		cut->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_RECORDING] += part;
	}
}

struct life_part life_take_pause(struct life *life, struct arena *arena,
				 const struct trace_pause *pause, enum model_initiator of_stack,
				 uint64_t start, uint64_t end)
{
	bool in_fault = start < life->fault_end_ns;
	enum model_initiator initiator = in_fault ? life->fault_initiator : of_stack;
	bool can_go_on = pause->flags & TRACE_PAUSE_PREEMPTED;
	uint64_t woken = can_go_on || pause->woken_ns < start ? start
			 : pause->woken_ns > end	      ? end
							      : pause->woken_ns;

	const struct life_part waited = {
		.ns = woken - start,
		.state = state_of(pause, in_fault || pause->flags & TRACE_PAUSE_IN_FAULT),
		.initiator = initiator,
		.held_ns = pause->recorder_ns < end - woken ? pause->recorder_ns : end - woken,
	};

	if (in_fault) {
		const uint64_t last = end < life->fault_end_ns ? end : life->fault_end_ns;
		struct model_fault_time *time = fault_time(life, arena);

		take_from_faults(life, arena, start, last);
		time->own_ns += waited.state == MODEL_STATE_FAULT_IO ? waited.ns : 0;
		time->late_ns += end - woken - waited.held_ns;
	}
	add(life, waited.state, initiator, start, woken);
	add(life, MODEL_STATE_RUNNABLE, initiator, woken, end);
	take_held(life, initiator, (struct range){ woken, end }, waited.held_ns);
	// What of the fault was before it came back is taken away, once.
	if (in_fault && life->fault_end_ns < end)
		life->fault_end_ns = end;
	life->until_ns = end;
	return waited;
}

void life_exit(struct life *life, uint64_t time_ns)
{
	const uint64_t until =
		life->until_ns > life->fault_end_ns ? life->until_ns : life->fault_end_ns;

	life->is_ending = true;
	life->end_ns = time_ns;
	computed_exit(life, computed_before(life, time_ns > until ? time_ns : until));
}

void life_end(struct life *life, struct arena *arena, uint64_t time_ns)
{
	if (time_ns < life->until_ns)
		time_ns = life->until_ns;
	// The end of a trace that is made up.
	if (time_ns < life->fault_start_ns)
		time_ns = life->fault_start_ns;
	// A fault that did not complete in time.
	if (life->fault_end_ns > time_ns)
		take_from_faults(life, arena, time_ns, life->fault_end_ns);
	life->end_ns = time_ns;
	life->is_open = false;
	computed_divide(life, computed_before(life, time_ns));
}
