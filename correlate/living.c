// SPDX-License-Identifier: Apache-2.0
#include "correlate/living.h"

#include "base/u64map.h"

/** Where in the trace's tasks, plus one: 0 is none. */
struct places {
	struct u64map threads; // thread -> what was told of it last
	struct u64map starts;  // thread -> its last fork
	struct u64map execs;   // process -> its last exec
};

static void find_places(const struct trace *trace, struct places *places)
{
	for (size_t i = 0; i < trace->tasks.count; i++) {
		const struct trace_task *task = &trace->tasks.items[i];
		uint32_t place = (uint32_t)(i + 1);

		*u64map_put(&places->threads, task->tid, NULL) = place;
		if (task->kind == TRACE_TASK_FORK)
			*u64map_put(&places->starts, task->tid, NULL) = place;
		if (task->kind == TRACE_TASK_EXEC)
			*u64map_put(&places->execs, task->pid, NULL) = place;
	}
}

static const struct trace_task *task_at(const struct trace *trace, const struct u64map *map,
					uint32_t number)
{
	const uint32_t *place = u64map_get(map, number);

	return place ? &trace->tasks.items[*place - 1] : NULL;
}

/** An exec ends all threads but the one that called it, which takes the number of the process. */
static bool is_living(const struct trace *trace, const struct places *places, uint32_t tid)
{
	const struct trace_task *last = task_at(trace, &places->threads, tid);

	if (!last || last->kind == TRACE_TASK_EXIT)
		return false;

	const struct trace_task *exec = task_at(trace, &places->execs, last->pid);

	return last->tid == last->pid || !exec || exec->time_ns < last->time_ns;
}

uint64_t living_faults(const struct trace *trace)
{
	struct places places = { 0 };
	uint64_t count = 0;
	uint32_t asked = 0;
	const struct trace_task *start = NULL;
	bool living = false;

	find_places(trace, &places);
	vec_foreach (fault, &trace->faults) {
		// Most faults in a row are of one thread.
		if (fault->tid != asked) {
			asked = fault->tid;
			living = is_living(trace, &places, asked);
			start = task_at(trace, &places.starts, asked);
		}
		if (living && (!start || fault->time_ns >= start->time_ns))
			count++;
	}
	u64map_deinit(&places.threads);
	u64map_deinit(&places.starts);
	u64map_deinit(&places.execs);
	return count;
}
