// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/process.h"

#include "base/u64map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <sys/mman.h>

struct processes {
	struct arena *arena;
	struct objects *objects;
	uint64_t page, start_ns;
	VEC(struct process) list;	     // a pid that is used again gets a new entry
	VEC(struct pagehistory *) histories; // all there ever were: children refer to them
	VEC(struct process_program) programs;
	VEC(const char *) comms;
	struct u64map by_pid;  // pid -> index in list
	struct u64map by_tid;  // tid -> index in comms
	struct u64map threads; // tids that were counted
	uint64_t comm_generation;
	uint64_t process_count, thread_count, exec_count;
	VEC(struct process_code) code;
	VEC(struct process_load) loads;
	struct u64map load_rows; // by program and object
};

struct processes *processes_create(struct arena *arena, struct objects *objects, uint64_t page,
				   uint64_t start_ns)
{
	struct processes *processes = xcalloc(1, sizeof(*processes));

	processes->arena = arena;
	processes->objects = objects;
	processes->page = page;
	processes->start_ns = start_ns;
	return processes;
}

void processes_end(struct processes *processes)
{
	vec_foreach (process, &processes->list) {
		aspace_destroy(process->aspace);
		process->aspace = NULL;
		process->history = NULL;
	}
	vec_foreach (history, &processes->histories)
		pagehistory_destroy(*history);
	vec_deinit(&processes->histories);
}

void processes_destroy(struct processes *processes)
{
	if (!processes)
		return;
	processes_end(processes);
	vec_deinit(&processes->list);
	vec_deinit(&processes->programs);
	vec_deinit(&processes->comms);
	vec_deinit(&processes->loads);
	vec_deinit(&processes->code);
	u64map_deinit(&processes->load_rows);
	u64map_deinit(&processes->by_pid);
	u64map_deinit(&processes->by_tid);
	u64map_deinit(&processes->threads);
	free(processes);
}

/** The entry of @pid, empty of content; an earlier process of that id loses its address space. */
static struct process *renew(struct processes *processes, uint32_t pid)
{
	uint32_t index = u64map_row(&processes->by_pid, pid, &processes->list,
				    (struct process){ .pid = pid });
	struct process *process = &processes->list.items[index];

	aspace_destroy(process->aspace);
	process->aspace = NULL;
	return process;
}

static struct pagehistory *keep_history(struct processes *processes, struct pagehistory *history)
{
	vec_push(&processes->histories, history);
	return history;
}

static uint32_t add_program(struct processes *processes, struct process_program program)
{
	vec_push(&processes->programs, program);
	return (uint32_t)processes->programs.count - 1;
}

/** @before: what the process ran until then; UINT32_MAX: nothing was recorded */
static struct process *start_empty(struct processes *processes, uint32_t pid, bool is_attached,
				   uint32_t before)
{
	struct process *process = renew(processes, pid);

	process->aspace = aspace_create(processes->arena, processes->objects, processes->page);
	process->history = keep_history(processes, pagehistory_create());
	process->program = add_program(
		processes, (struct process_program){
				   .row = { pid, .has_exec = !is_attached, .parent = before },
				   .parent = UINT32_MAX,
				   .is_attached = is_attached,
				   .executable = UINT32_MAX,
				   .interpreter = UINT32_MAX });
	return process;
}

/** Count a thread that no fork announced: it was there before the recording began. */
static void see_thread(struct processes *processes, uint32_t tid)
{
	processes->thread_count += u64map_add(&processes->threads, tid);
}

struct process *processes_get(struct processes *processes, uint32_t pid)
{
	const uint32_t *index = u64map_get(&processes->by_pid, pid);

	if (index)
		return &processes->list.items[*index];
	processes->process_count++;
	see_thread(processes, pid);
	return start_empty(processes, pid, true, UINT32_MAX);
}

static void set_comm(struct processes *processes, uint32_t tid, const char *comm)
{
	uint32_t index = u64map_row(&processes->by_tid, tid, &processes->comms, comm);

	processes->comms.items[index] = comm;
	processes->comm_generation++;
}

static void fork_process(struct processes *processes, const struct trace_task *task)
{
	struct process parent = *processes_get(processes, task->parent_pid);
	struct aspace *aspace = aspace_fork(parent.aspace);
	struct pagehistory *history = keep_history(processes, pagehistory_fork(parent.history));
	struct process *child = renew(processes, task->pid);

	child->aspace = aspace;
	child->history = history;
	struct process_program program = processes->programs.items[parent.program];
	program.row = (struct model_program){ .pid = task->pid, .parent = parent.program };
	program.parent = parent.program;
	program.fork_tid = task->parent_tid;
	program.fork_ns = trace_since(task->time_ns, processes->start_ns);
	child->program = add_program(processes, program);
	processes->process_count++;
}

void processes_task(struct processes *processes, const struct trace_task *task)
{
	uint32_t before;
	bool is_known;

	switch (task->kind) {
	case TRACE_TASK_FORK:
		if (task->pid != task->parent_pid)
			fork_process(processes, task);
		u64map_put(&processes->threads, task->tid, NULL);
		processes->thread_count++; // also where a tid is used again
		set_comm(processes, task->tid,
			 processes_comm(processes, task->parent_pid, task->parent_tid));
		break;
	case TRACE_TASK_EXEC:
		// Counts a process that nothing announced, which ran nothing that was recorded.
		is_known = u64map_get(&processes->by_pid, task->pid);
		before = processes_get(processes, task->pid)->program;
		start_empty(processes, task->pid, false, is_known ? before : UINT32_MAX);
		processes->exec_count++;
		set_comm(processes, task->pid, task->comm);
		break;
	case TRACE_TASK_COMM:
		see_thread(processes, task->tid);
		set_comm(processes, task->tid, task->comm);
		break;
	case TRACE_TASK_EXIT:
		break; // a fault of the dying task may still carry a later time
	}
}

/** The kernel maps the program first, then, if it names one, its dynamic linker. */
static void see_file(struct processes *processes, uint32_t index,
		     const struct trace_mapping *mapping)
{
	struct process_program *program = &processes->programs.items[index];
	const bool is_code = mapping->protection & PROT_EXEC;
	size_t count;
	uint32_t id = objects_of_mapping(processes->objects, mapping);

	if (!objects_all(processes->objects, &count)[id].is_file)
		return;
	if (is_code)
		vec_push(&processes->code,
			 (struct process_code){ trace_since(mapping->time_ns, processes->start_ns),
						index });
	if (program->is_attached)
		return;
	const uint32_t row =
		u64map_row(&processes->load_rows, (uint64_t)index << 32 | id, &processes->loads,
			   (struct process_load){ index, id, false });

	processes->loads.items[row].is_code |= is_code;
	if (program->interpreter != UINT32_MAX)
		return;
	if (program->executable == UINT32_MAX)
		program->executable = id;
	else if (program->executable != id)
		program->interpreter = id;
}

void processes_map(struct processes *processes, const struct trace_mapping *mapping)
{
	struct process *process = processes_get(processes, mapping->pid);

	see_file(processes, process->program, mapping);
	aspace_map(process->aspace, mapping);
}

void processes_remap(struct processes *processes, const struct trace_remap *remap)
{
	aspace_remap(processes_get(processes, remap->pid)->aspace, remap);
}

const char *processes_comm(const struct processes *processes, uint32_t pid, uint32_t tid)
{
	const uint32_t *index = u64map_get(&processes->by_tid, tid);

	if (!index)
		index = u64map_get(&processes->by_tid, pid);
	return index ? processes->comms.items[*index] : "";
}

uint64_t processes_comm_generation(const struct processes *processes)
{
	return processes->comm_generation;
}

const struct process_program *processes_programs(const struct processes *processes,
						 size_t *ret_count)
{
	*ret_count = processes->programs.count;
	return processes->programs.items;
}

const struct process_code *processes_code(const struct processes *processes, size_t *ret_count)
{
	*ret_count = processes->code.count;
	return processes->code.items;
}

const struct process_load *processes_loads(const struct processes *processes, size_t *ret_count)
{
	*ret_count = processes->loads.count;
	return processes->loads.items;
}

void processes_count(const struct processes *processes, uint64_t *ret_processes,
		     uint64_t *ret_threads, uint64_t *ret_programs)
{
	*ret_processes = processes->process_count;
	*ret_threads = processes->thread_count;
	*ret_programs = processes->exec_count;
}
