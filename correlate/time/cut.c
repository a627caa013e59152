// SPDX-License-Identifier: Apache-2.0
// Lives of threads cut at the edges of a window.
#include "correlate/time/lives.h"

#include <string.h>

/** Make @life nothing: all of it is outside. */
static void leave_out(struct life *life)
{
	memset(&life->times, 0, sizeof(life->times));
	memset(life->by_initiator, 0, sizeof(life->by_initiator));
	memset(life->cpu_variance, 0, sizeof(life->cpu_variance));
	life->bracketed_ns = life->unsampled_ns = life->exit_ns = 0;
	life->end_ns = life->start_ns;
}

static uint64_t difference(uint64_t ns, uint64_t less_ns)
{
	return ns > less_ns ? ns - less_ns : 0;
}

/**
 * Leave of one cause what was between the edges. The error of its computing, which samples divide,
 * shrinks as that of a part of the samples does.
 */
static void cut_cause(struct life *life, enum model_initiator initiator)
{
	const struct model_times *from = &life->cuts[LIFE_FROM].by_initiator[initiator];
	const struct model_times *until = &life->cuts[LIFE_UNTIL].by_initiator[initiator];
	struct model_times *times = &life->by_initiator[initiator];
	const uint64_t computed = times->ns[MODEL_STATE_CPU];

	for (size_t i = 0; i < MODEL_STATES; i++)
		times->ns[i] =
			i == MODEL_STATE_RECORDING ? 0 : difference(until->ns[i], from->ns[i]);
	if (computed > 0)
		life->cpu_variance[initiator] *=
			(double)times->ns[MODEL_STATE_CPU] / (double)computed;
}

/** @part: of its life. */
static void cut_life(struct life *life, struct range part)
{
	const struct life_cut *from = &life->cuts[LIFE_FROM], *until = &life->cuts[LIFE_UNTIL];
	struct model_times *unknown = &life->by_initiator[MODEL_INITIATOR_UNKNOWN];

	memset(&life->times, 0, sizeof(life->times));
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		cut_cause(life, i);
		model_times_add(&life->times, &life->by_initiator[i]);
	}
	// Of a window shorter than the recording of one event not all that it cost is in there.
	unknown->ns[MODEL_STATE_RECORDING] = range_size(part) - model_times_sum(&life->times);
	life->times.ns[MODEL_STATE_RECORDING] = unknown->ns[MODEL_STATE_RECORDING];
	life->bracketed_ns = difference(until->bracketed_ns, from->bracketed_ns);
	life->unsampled_ns = difference(until->unsampled_ns, from->unsampled_ns);
	if (life->unsampled_ns > unknown->ns[MODEL_STATE_CPU])
		life->unsampled_ns = unknown->ns[MODEL_STATE_CPU];
	life->exit_ns = difference(until->exit_ns, from->exit_ns);
	if (life->exit_ns > life->unsampled_ns)
		life->exit_ns = life->unsampled_ns;
	life->start_ns = part.start;
	life->end_ns = part.end;
}

static void cut_pause(struct lives_moment *pause, struct range window)
{
	const struct range wait = { pause->start_ns,
				    pause->start_ns + pause->part.ns + pause->recording_ns };
	const struct range runnable = { wait.end, pause->back_ns };
	const uint64_t woken_ns = range_clamp(window, wait.end);

	if (pause->start_ns >= window.end || pause->back_ns <= window.start) {
		*pause = (struct lives_moment){ 0 };
		return;
	}
	pause->start_ns = range_clamp(window, pause->start_ns);
	pause->back_ns = range_clamp(window, pause->back_ns);
	pause->recording_ns = range_part_within(pause->recording_ns, wait, window);
	pause->part.ns = woken_ns - pause->start_ns - pause->recording_ns;
	pause->part.held_ns = range_part_within(pause->part.held_ns, runnable, window);
}

void lives_cut(struct lives *lives, const struct trace *trace, struct range window)
{
	vec_foreach (process, &lives->processes)
		process->thread_count = 0;
	vec_foreach (life, &lives->list) {
		struct model_process_times *process = &lives->processes.items[life->process];

		if (!life->cuts || life->end_ns <= window.start || life->start_ns >= window.end) {
			leave_out(life);
			continue;
		}
		process->thread_count++;
		process->start_ns = range_clamp(window, process->start_ns);
		cut_life(life, (struct range){ range_clamp(window, life->start_ns),
					       range_clamp(window, life->end_ns) });
	}
	for (size_t i = 0; i < trace->pauses.count; i++)
		if (lives->pauses[i].life > 0)
			cut_pause(&lives->pauses[i], window);
	for (size_t i = 0; i < trace->samples.count; i++)
		if (!range_contains(window, trace->samples.items[i].time_ns))
			lives->samples[i] = (struct lives_moment){ 0 };
}
