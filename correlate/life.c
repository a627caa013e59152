// SPDX-License-Identifier: Apache-2.0
#include "correlate/life.h"

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

/**
 * Divide the time that it computed as its samples divide. Each thread by itself: the clock may go
 * slower for some.
 */
static void divide_cpu(struct life *life, uint64_t cpu_ns)
{
	uint64_t count = 0, sampled = 0, left = cpu_ns;

	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		count += life->samples[i];
		if (__builtin_add_overflow(sampled, life->sampled_ns[i], &sampled))
			count = sampled = 0;
	}
	for (enum model_initiator i = 0; i < MODEL_INITIATORS && sampled > 0; i++) {
		double share = (double)life->sampled_ns[i] / (double)sampled;
		// As if each had one more sample: one that was never met may still be there.
		double likely = ((double)life->samples[i] + 1) / ((double)count + 2);
		uint64_t part = (uint64_t)(share * (double)cpu_ns);

		if (life->samples[i] == 0)
			continue;
		part = part < left ? part : left;
		left -= part;
		add(life, MODEL_STATE_CPU, i, part);
		life->cpu_variance[i] = (double)cpu_ns * (double)cpu_ns * likely * (1 - likely) /
					((double)count + 2);
	}
	// What rounding leaves, or all of it.
	enum model_initiator rest = MODEL_INITIATOR_UNKNOWN;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS && sampled > 0; i++)
		if (life->sampled_ns[i] > life->sampled_ns[rest])
			rest = i;
	add(life, MODEL_STATE_CPU, rest, left);
}

void life_take_fault(struct life *life, enum model_initiator initiator, uint64_t start,
		     uint64_t end)
{
	if (start < life->until_ns)
		start = life->until_ns;
	if (start < life->fault_end_ns)
		start = life->fault_end_ns;
	if (end <= start)
		return;
	life->fault_end_ns = end;
	life->fault_initiator = initiator;
	add(life, MODEL_STATE_FAULT, initiator, end - start);
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

/** What @pause is, before it was woken. */
static enum model_state state_of(const struct trace_pause *pause, bool in_fault)
{
	if (!(pause->flags & TRACE_PAUSE_STORAGE))
		return MODEL_STATE_WAIT;
	return in_fault ? MODEL_STATE_FAULT_IO : MODEL_STATE_FILE_IO;
}

struct life_part life_take_pause(struct life *life, const struct trace_pause *pause,
				 enum model_initiator of_stack, uint64_t start, uint64_t end)
{
	bool in_fault = start < life->fault_end_ns;
	enum model_initiator initiator = in_fault ? life->fault_initiator : of_stack;
	bool can_go_on = pause->flags & TRACE_PAUSE_PREEMPTED;
	uint64_t woken = can_go_on || pause->woken_ns < start ? start
			 : pause->woken_ns > end	      ? end
							      : pause->woken_ns;

	if (in_fault)
		take(life, MODEL_STATE_FAULT, initiator,
		     (end < life->fault_end_ns ? end : life->fault_end_ns) - start);
	const struct life_part waited = {
		.ns = woken - start,
		.state = state_of(pause, in_fault || pause->flags & TRACE_PAUSE_IN_FAULT),
		.initiator = initiator,
	};

	add(life, waited.state, initiator, waited.ns);
	add(life, MODEL_STATE_RUNNABLE, initiator, end - woken);
	// What of the fault was before it came back is taken away, once.
	if (in_fault && life->fault_end_ns < end)
		life->fault_end_ns = end;
	life->until_ns = end;
	return waited;
}

void life_end(struct life *life, uint64_t time_ns)
{
	uint64_t known = 0;

	if (time_ns < life->until_ns)
		time_ns = life->until_ns;
	// A fault that did not complete in time.
	if (life->fault_end_ns > time_ns)
		take(life, MODEL_STATE_FAULT, life->fault_initiator, life->fault_end_ns - time_ns);
	life->end_ns = time_ns;
	life->is_open = false;
	for (size_t i = 0; i < MODEL_STATES; i++)
		known += life->times.ns[i];
	divide_cpu(life, time_ns - life->start_ns - known);
}
