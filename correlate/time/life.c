// SPDX-License-Identifier: Apache-2.0
// The life of one thread within one program, cut into states by its faults and its pauses.
#include "correlate/time/lives.h"

static void add(struct life *life, enum model_state state, enum model_initiator initiator,
		uint64_t ns)
{
	life->times.ns[state] += ns;
	life->by_initiator[initiator].ns[state] += ns;
}

static void take(struct life *life, enum model_state state, enum model_initiator initiator,
		 uint64_t ns)
{
	life->times.ns[state] -= ns;
	life->by_initiator[initiator].ns[state] -= ns;
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

/** Samples of one life, in faults and outside. */
struct sampled {
	uint64_t count, ns;
};

static struct sampled all_samples(const struct life *life)
{
	struct sampled all = { 0 };

	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		all.count += life->samples[i] + life->fault_samples[i];
		if (__builtin_add_overflow(all.ns, life->sampled_ns[i], &all.ns) ||
		    __builtin_add_overflow(all.ns, life->fault_sampled_ns[i], &all.ns))
			return (struct sampled){ 0 };
	}
	return all;
}

/**
 * Divide the time that it computed as its samples divide; of that, what was in faults of unknown
 * duration. Each thread by itself: the clock may go slower for some. Where the kernel is not
 * sampled each sample stands for no more than its period, and the rest has no initiator.
 */
static void divide_cpu(struct life *life, uint64_t cpu_ns)
{
	const struct sampled all = all_samples(life);
	const uint64_t whole = life->is_user_only && all.ns < cpu_ns ? cpu_ns : all.ns;
	// With those that would have come upon the kernel, if it were sampled.
	const double count = all.ns > 0 ? (double)all.count * ((double)whole / (double)all.ns) : 0;
	uint64_t left = cpu_ns;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS && all.ns > 0; i++) {
		const uint64_t sampled[] = { life->sampled_ns[i], life->fault_sampled_ns[i] };
		const enum model_state states[] = { MODEL_STATE_CPU, MODEL_STATE_FAULT };
		double found = (double)life->samples[i] +
			       (i == MODEL_INITIATOR_UNKNOWN ? count - (double)all.count : 0);
		// As if each had one more sample: one that was never met may still be there.
		double likely = (found + 1) / (count + 2);

		for (size_t in_fault = 0; in_fault < 2; in_fault++) {
			double share = (double)sampled[in_fault] / (double)whole;
			uint64_t part = (uint64_t)(share * (double)cpu_ns);

			part = part < left ? part : left;
			left -= part;
			add(life, states[in_fault], i, part);
			if (!in_fault)
				life->divided_ns += part;
		}
		if (found > 0)
			life->cpu_variance[i] = (double)cpu_ns * (double)cpu_ns * likely *
						(1 - likely) / (count + 2);
	}
	// What rounding leaves, or all of it.
	enum model_initiator rest = MODEL_INITIATOR_UNKNOWN;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS && all.ns > 0 && whole == all.ns; i++)
		if (life->sampled_ns[i] > life->sampled_ns[rest])
			rest = i;
	add(life, MODEL_STATE_CPU, rest, left);
	if (life->sampled_ns[rest] > 0 && all.ns > 0 && whole == all.ns)
		life->divided_ns += left;
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
	life->fault = fault;
	life->time = NULL;
	if (start < until) {
		start = until;
		fault_time(life, arena)->own_ns = end - start;
	}
	life->fault_end_ns = end;
	life->fault_initiator = (enum model_initiator)fault->initiator;
	add(life, MODEL_STATE_FAULT, life->fault_initiator, end - start);
}

bool life_take_sample(struct life *life, const struct trace_sample *sample,
		      enum model_initiator initiator)
{
	if (sample->time_ns < life->fault_end_ns || (sample->flags & TRACE_SAMPLE_IN_FAULT))
		return false;
	life->samples[initiator]++;
	life->sampled_ns[initiator] += sample->period_ns;
	return true;
}

void life_take_fault_sample(struct life *life, const struct trace_sample *sample,
			    enum model_initiator of_fault)
{
	life->fault_samples[of_fault]++;
	life->fault_sampled_ns[of_fault] += sample->period_ns;
}

/** Return the state of @pause, before it was woken. */
static enum model_state state_of(const struct trace_pause *pause, bool in_fault)
{
	if (!(pause->flags & TRACE_PAUSE_STORAGE))
		return MODEL_STATE_WAIT;
	return in_fault ? MODEL_STATE_FAULT_IO : MODEL_STATE_FILE_IO;
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
	};

	if (in_fault) {
		const uint64_t ran = (end < life->fault_end_ns ? end : life->fault_end_ns) - start;
		struct model_fault_time *time = fault_time(life, arena);

		take(life, MODEL_STATE_FAULT, initiator, ran);
		time->own_ns -= ran;
		time->own_ns += waited.state == MODEL_STATE_FAULT_IO ? waited.ns : 0;
		time->late_ns += end - woken;
	}
	add(life, waited.state, initiator, waited.ns);
	add(life, MODEL_STATE_RUNNABLE, initiator, end - woken);
	// What of the fault was before it came back is taken away, once.
	if (in_fault && life->fault_end_ns < end)
		life->fault_end_ns = end;
	life->until_ns = end;
	return waited;
}

void life_end(struct life *life, struct arena *arena, uint64_t time_ns)
{
	uint64_t known = 0;

	if (time_ns < life->until_ns)
		time_ns = life->until_ns;
	// A fault that did not complete in time.
	if (life->fault_end_ns > time_ns) {
		take(life, MODEL_STATE_FAULT, life->fault_initiator, life->fault_end_ns - time_ns);
		fault_time(life, arena)->own_ns -= life->fault_end_ns - time_ns;
	}
	life->end_ns = time_ns;
	life->is_open = false;
	for (size_t i = 0; i < MODEL_STATES; i++)
		known += life->times.ns[i];
	divide_cpu(life, time_ns - life->start_ns - known);
}
