// SPDX-License-Identifier: Apache-2.0
// Collects what a backend delivers. The command's process belongs to the recorder until its exec:
// what it did before is counted, not written. Records of several rings arrive out of order, so what
// cannot be placed yet waits.
#include "bpf/sink.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "trace/living.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

struct sink_held_fault {
	struct trace_fault fault;
	bool has_stack;
	struct raw_stack stack; // its bytes are a copy on the heap
};

static void write_fault(struct sink *sink, struct trace_fault fault, const struct raw_stack *stack)
{
	if (fault.pid == sink->root_pid && fault.time_ns < sink->exec_ns) {
		sink->before_exec++;
		return;
	}
	if (stack && sink->spool)
		fault.stack = stackspool_add(sink->spool, stack);
	if (sink->keeps_times)
		vec_push(&sink->fault_times, fault.time_ns);
	trace_writer_fault(sink->writer, &fault); // its error sticks; the recorder looks at it
}

void sink_fault(struct sink *sink, const struct trace_fault *fault, const struct raw_stack *stack)
{
	if (sink->exec_known || fault->pid != sink->root_pid) {
		sink->root_faults += fault->pid == sink->root_pid;
		write_fault(sink, *fault, stack);
		return;
	}
	struct sink_held_fault held = { .fault = *fault };

	if (stack && stack->size > 0) {
		uint8_t *bytes = xcalloc(1, raw_stack_bytes(stack));

		memcpy(bytes, stack->bytes, raw_stack_bytes(stack));
		held.has_stack = true;
		held.stack = *stack;
		held.stack.bytes = bytes;
	}
	vec_push(&sink->held_faults, held);
}

static const char *keep_path(struct sink *sink, const char *path)
{
	// Most mappings in a row are of the same file.
	for (size_t back = 1; back <= 4 && back <= sink->mappings.count; back++) {
		const char *known = sink->mappings.items[sink->mappings.count - back].path;

		if (strcmp(known, path) == 0)
			return known;
	}
	return arena_strdup(&sink->arena, path);
}

static void write_mapping(struct sink *sink, const struct trace_mapping *mapping)
{
	if (mapping->pid == sink->root_pid && mapping->time_ns < sink->exec_ns)
		return;

	trace_writer_mapping(sink->writer, mapping);
	// Unwinding asks for code alone; a program may map data for as long as it runs.
	if (!(mapping->protection & TRACE_PROTECTION_EXEC))
		return;
	struct trace_mapping kept = *mapping;

	kept.path = keep_path(sink, mapping->path);
	vec_push(&sink->mappings, kept);
}

void sink_mapping(struct sink *sink, const struct trace_mapping *mapping)
{
	if (sink->exec_known || mapping->pid != sink->root_pid) {
		write_mapping(sink, mapping);
		return;
	}
	struct trace_mapping held = *mapping;

	held.path = arena_strdup(&sink->arena, mapping->path);
	vec_push(&sink->held_mappings, held);
}

void sink_remap(struct sink *sink, const struct trace_remap *remap)
{
	if (remap->pid == sink->root_pid && (!sink->exec_known || remap->time_ns < sink->exec_ns))
		return; // the recorder's child does not call mremap before its exec
	trace_writer_remap(sink->writer, remap);
}

void sink_sample(struct sink *sink, const struct trace_sample *sample,
		 const struct raw_stack *stack)
{
	struct trace_sample kept = *sample;

	if (stack && sink->spool)
		kept.stack = stackspool_add_uncounted(sink->spool, stack);
	trace_writer_sample(sink->writer, &kept);
}

void sink_pause(struct sink *sink, const struct trace_pause *pause, bool has_stack)
{
	struct trace_pause kept = *pause;
	const uint32_t *stack = has_stack ? u64map_get(&sink->pause_stacks, pause->tid) : NULL;

	if (stack)
		kept.stack = *stack;
	trace_writer_pause(sink->writer, &kept);
}

void sink_pause_stack(struct sink *sink, uint32_t tid, const struct raw_stack *stack)
{
	if (sink->spool)
		*u64map_put(&sink->pause_stacks, tid, NULL) =
			stackspool_add_uncounted(sink->spool, stack);
}

/** Overwrite and release the copies: they hold the program's secrets. */
static void drop_held(struct sink *sink)
{
	vec_foreach (held, &sink->held_faults) {
		if (!held->has_stack)
			continue;
		explicit_bzero((void *)held->stack.bytes, raw_stack_bytes(&held->stack));
		free((void *)held->stack.bytes);
	}
	vec_deinit(&sink->memory_files);
	vec_deinit(&sink->held_faults);
	vec_deinit(&sink->held_mappings);
	vec_deinit(&sink->held_tasks);
}

static void write_task(struct sink *sink, const struct trace_task *task)
{
	if (task->pid == sink->root_pid && task->time_ns < sink->exec_ns)
		return;
	if (task->kind == TRACE_TASK_EXIT) {
		sink->exit_count++;
		if (task->has_counts) {
			sink->seen += task->seen;
			sink->unsampled +=
				(int64_t)(task->kernel_minor + task->kernel_major - task->seen);
		}
	}
	vec_push(&sink->tasks, *task);
	trace_writer_task(sink->writer, task);
}

static void release_held(struct sink *sink)
{
	vec_foreach (task, &sink->held_tasks)
		write_task(sink, task);
	vec_foreach (mapping, &sink->held_mappings)
		write_mapping(sink, mapping);
	vec_foreach (held, &sink->held_faults)
		write_fault(sink, held->fault, held->has_stack ? &held->stack : NULL);
	drop_held(sink);
}

void sink_task(struct sink *sink, const struct trace_task *task)
{
	if (sink->exec_known || task->pid != sink->root_pid) {
		write_task(sink, task);
		return;
	}
	vec_push(&sink->held_tasks, *task);
	if (task->kind == TRACE_TASK_EXEC && (!sink->exec_ns || task->time_ns < sink->exec_ns))
		sink->exec_ns = task->time_ns;
}

void sink_prefault(struct sink *sink, const struct trace_prefault *prefault)
{
	if (prefault->call == SYS_execve)
		sink->exec_unsampled += prefault->count;
	else
		sink->call_unsampled += prefault->count;
	trace_writer_prefault(sink->writer, prefault);
}

void sink_arguments(struct sink *sink, uint32_t pid, uint64_t time_ns, const char *bytes,
		    size_t size, bool is_cut)
{
	struct trace_argument argument = { .time_ns = time_ns, .pid = pid };

	for (size_t at = 0; at < size; argument.index++) {
		argument.text = bytes + at;
		at += strlen(argument.text) + 1;
		if (is_cut && at >= size)
			argument.flags = TRACE_ARGUMENT_CUT;
		trace_writer_argument(sink->writer, &argument);
	}
}

void sink_sighting(struct sink *sink, const struct sighting *sighting, const char *bytes,
		   size_t size)
{
	struct sightings *sightings = &sink->sightings;
	struct sighting kept = *sighting;

	kept.at = sightings->bytes.count;
	kept.size = size;
	vec_reserve(&sightings->bytes, kept.at + size + 1);
	if (size > 0)
		memcpy(sightings->bytes.items + kept.at, bytes, size);
	sightings->bytes.count += size;
	vec_push(&sightings->list, kept);
}

void sink_settle(struct sink *sink)
{
	if (sink->exec_known || !sink->exec_ns)
		return;
	sink->exec_known = true;
	release_held(sink);
}

ORDER_OF(compare_mappings, trace_mapping, ORDER(x->time_ns, y->time_ns))

ORDER_OF(compare_tasks, trace_task, ORDER(x->time_ns, y->time_ns))

void sink_sort(struct sink *sink)
{
	vec_sort(&sink->mappings, compare_mappings);
	vec_sort(&sink->tasks, compare_tasks);
}

/** Whether @pid mapped anything after @start and until @end. */
static bool has_mapped(const struct sink *sink, uint32_t pid, uint64_t start, uint64_t end)
{
	const struct trace_mapping *mappings = sink->mappings.items;
	size_t count = sink->mappings.count;

	for (size_t i = search_first(count, m, mappings[m].time_ns > start);
	     i < count && mappings[i].time_ns <= end; i++)
		if (mappings[i].pid == pid)
			return true;
	return false;
}

bool sink_lost_at_exec(const struct sink *sink, size_t place)
{
	const struct trace_task *task = &sink->tasks.items[place];

	if (task->kind != TRACE_TASK_EXEC)
		return false;
	for (size_t i = place + 1; i < sink->tasks.count; i++) {
		const struct trace_task *next = &sink->tasks.items[i];

		if (next->tid == task->tid)
			return next->kind == TRACE_TASK_EXIT &&
			       !has_mapped(sink, task->pid, task->time_ns, next->time_ns);
	}
	return false;
}

uint64_t sink_faults_after(const struct sink *sink, uint64_t time_ns)
{
	uint64_t count = 0;

	vec_foreach (time, &sink->fault_times)
		count += *time > time_ns;
	return count;
}

size_t sink_execs(const struct sink *sink)
{
	size_t count = 0;

	vec_foreach (task, &sink->tasks)
		count += task->kind == TRACE_TASK_EXEC;
	return count;
}

size_t sink_forks(const struct sink *sink)
{
	size_t count = 0;

	vec_foreach (task, &sink->tasks)
		count += task->kind == TRACE_TASK_FORK && task->tid == task->pid;
	return count;
}

size_t sink_running(const struct sink *sink, size_t *ret_processes)
{
	size_t count = sink->tasks.count;
	CLEANUP(freep) struct trace_task *tasks = xcalloc(count + 1, sizeof(*tasks));
	CLEANUP(living_deinit) struct living living;

	if (count > 0)
		memcpy(tasks, sink->tasks.items, count * sizeof(*tasks));
	qsort(tasks, count, sizeof(*tasks), compare_tasks);
	living_init(&living, tasks, count);
	return living_count(&living, ret_processes);
}

void sink_deinit(struct sink *sink)
{
	drop_held(sink);
	vec_deinit(&sink->mappings);
	vec_deinit(&sink->tasks);
	vec_deinit(&sink->fault_times);
	vec_deinit(&sink->sightings.list);
	vec_deinit(&sink->sightings.bytes);
	u64map_deinit(&sink->pause_stacks);
	arena_deinit(&sink->arena);
}
