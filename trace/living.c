// SPDX-License-Identifier: Apache-2.0
#include "trace/living.h"

#include "base/cleanup.h"

void living_init(struct living *living, const struct trace_task *tasks, size_t count)
{
	*living = (struct living){ .tasks = tasks, .count = count };
	for (size_t i = 0; i < count; i++) {
		*u64map_put(&living->threads, tasks[i].tid, NULL) = (uint32_t)(i + 1);
		if (tasks[i].kind == TRACE_TASK_EXEC)
			*u64map_put(&living->execs, tasks[i].pid, NULL) = (uint32_t)(i + 1);
	}
}

void living_deinit(struct living *living)
{
	u64map_deinit(&living->threads);
	u64map_deinit(&living->execs);
}

/**
 * True if @task, the last seen of its thread, tells that it ended. An exec ends all threads but
 * the one that called it, which takes the number of the process: nothing tells the end of its own.
 */
static bool is_end(const struct living *living, const struct trace_task *task)
{
	const uint32_t *exec = u64map_get(&living->execs, task->pid);

	return task->kind == TRACE_TASK_EXIT || (exec && task->tid != task->pid &&
						 living->tasks[*exec - 1].time_ns >= task->time_ns);
}

bool living_is(const struct living *living, uint32_t tid)
{
	const uint32_t *last = u64map_get(&living->threads, tid);

	return last && !is_end(living, &living->tasks[*last - 1]);
}

size_t living_count(const struct living *living, size_t *ret_processes)
{
	CLEANUP(u64map_deinit) struct u64map processes = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < living->count; i++) {
		const struct trace_task *task = &living->tasks[i];

		if (*u64map_get(&living->threads, task->tid) != i + 1 || is_end(living, task))
			continue;
		u64map_add(&processes, task->pid);
		count++;
	}
	*ret_processes = processes.count;
	return count;
}

uint64_t living_faults(const struct trace *trace)
{
	CLEANUP(living_deinit) struct living all;
	CLEANUP(u64map_deinit) struct u64map starts = { 0 }; // thread -> its last fork, plus one
	uint64_t count = 0, start_ns = 0;
	uint32_t asked = 0;
	bool is_living = false;

	living_init(&all, trace->tasks.items, trace->tasks.count);
	for (size_t i = 0; i < trace->tasks.count; i++)
		if (trace->tasks.items[i].kind == TRACE_TASK_FORK)
			*u64map_put(&starts, trace->tasks.items[i].tid, NULL) = (uint32_t)(i + 1);
	vec_foreach (fault, &trace->faults) {
		// Most faults in a row are of one thread.
		if (fault->tid != asked) {
			const uint32_t *start = u64map_get(&starts, fault->tid);

			asked = fault->tid;
			is_living = living_is(&all, asked);
			start_ns = start ? trace->tasks.items[*start - 1].time_ns : 0;
		}
		count += is_living && fault->time_ns >= start_ns;
	}
	return count;
}
