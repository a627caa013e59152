// SPDX-License-Identifier: Apache-2.0
// Follows a command and its children by ptrace. New code is noticed where it appears: at exec, at
// each system call that maps code while the dynamic linker starts a program, and then where it
// tells debuggers of dlopen() (r_brk), so that nothing else of the command is stopped.
#include "follow/entries.h"

#include "follow/private.h"
#include "record/launch.h"

#include "base/filelimit.h"
#include "base/u64map.h"
#include "base/waitstatus.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { SYSCALL_STOP = SIGTRAP | 0x80 };

struct entries {
	const char *name; // of the command
	struct launch launch;
	pid_t pid; // of the command
	VEC(struct entry_task) tasks;
	struct u64map task_by_tid;
	struct entry_files files;
	VEC(struct entries_hit) hits;
	struct entries_result result;
	uint32_t asked; // files before it were told of
	pid_t held;	// waits for that, 0: nobody
	pid_t started;	// its program has just begun: the held one
	bool has_program, has_ended;
	struct entry_signals signals;
	sigset_t mask;
};

static struct entry_task *task_of(struct entries *entries, pid_t tid)
{
	bool is_new;
	uint32_t *at = u64map_put(&entries->task_by_tid, (uint64_t)tid, &is_new);

	if (is_new) {
		*at = (uint32_t)entries->tasks.count;
		vec_push(&entries->tasks, (struct entry_task){ .tid = tid });
	}
	struct entry_task *task = &entries->tasks.items[*at];

	task->is_there = true;
	return task;
}

static void forget_task(struct entries *entries, pid_t tid)
{
	struct entry_task *task = task_of(entries, tid);

	entryspace_release(task->space);
	*task = (struct entry_task){ .tid = tid };
}

/** @parent, stopped, has made a task, whose own first stop may have come before. */
static void take_child(struct entries *entries, pid_t parent)
{
	pid_t tid = (pid_t)entrytask_event_message(parent);
	struct entry_space *space = task_of(entries, parent)->space;
	uint32_t *known = NULL;
	struct entry_task *task;

	if (tid > 0) {
		known = (uint32_t *)u64map_get(&entries->task_by_tid, (uint64_t)tid);
		bool has_stopped = known && entries->tasks.items[*known].is_there &&
				   !entries->tasks.items[*known].space;

		task = task_of(entries, tid);
		entryspace_release(task->space);
		task->space = machine_task_shares_memory(parent) ? entryspace_share(space)
								 : entryspace_copy(space);
		if (has_stopped)
			entrytask_resume(task, 0);
	}
	entrytask_resume(task_of(entries, parent), 0);
}

/** Find code that is new in the task's memory; it stays stopped until its files are told of. */
static void look(struct entries *entries, const struct entry_task *task, bool is_fresh, int fd)
{
	struct err err;

	if (!task->space->is_opaque &&
	    !entryspace_look(task->space, &entries->files, task->tid, is_fresh, fd, &err)) {
		task->space->is_opaque = true;
		notes_add(&entries->result.notes,
			  "a program that may not be looked into ran "
			  "without breakpoints: %s",
			  err.message);
	}
	entries->held = task->tid;
}

static void begin_program(struct entries *entries, pid_t pid)
{
	pid_t former =
		(pid_t)entrytask_event_message(pid); // a thread's exec takes over its process's id
	struct entry_program program;

	if (former != pid && former > 0)
		forget_task(entries, former);
	struct entry_task *task = task_of(entries, pid);

	entryspace_release(task->space);
	task->space = entryspace_create();
	task->is_loading = false;
	entries->result.programs++;
	if (pid == entries->pid && !entries->has_program) {
		entries->has_program = true;
		launch_outcome(&entries->launch, true, entries->name, NULL);
	}
	task->space->is_opaque = !entrychecks_program(pid, &entries->result.notes) ||
				 !entryloader_program(pid, &program);
	task->space->is_starting = !task->space->is_opaque && program.linker_base != 0;
	look(entries, task, true, -1);
	entries->started = pid;
}

/** Before a program's first instruction: stop where its dynamic linker tells what it does. */
static void mark_start(struct entries *entries, const struct entry_task *task)
{
	struct entry_space *space = task->space;
	struct entry_program program;
	uint64_t brk;

	if (space->is_opaque || !entryloader_program(task->tid, &program))
		return;
	if (space->is_starting)
		entryspace_set_mark(space, &entries->files, &space->start, task->tid,
				    program.start);
	else if (entryloader_is_program(task->tid, &program, &space->debug, &brk))
		entryspace_set_mark(space, &entries->files, &space->brk, task->tid, brk);
}

/** After its breakpoints are set, the task that was held goes on. */
static void let_go(struct entries *entries)
{
	struct entry_task *task = task_of(entries, entries->held);

	if (!task->space->is_opaque && !entryspace_arm(task->space, &entries->files, task->tid) &&
	    kill(task->tid, 0) == 0)
		notes_add(&entries->result.notes, "breakpoints could not be set everywhere: what "
						  "is missing there was not seen");
	if (entries->started)
		mark_start(entries, task);
	entries->held = entries->started = 0;
	entrytask_resume(task, 0);
}

/** A system call begins or ends, of a task whose calls are looked at. */
static void check_call(struct entries *entries, const struct entry_task *task)
{
	struct machine_mapping mapping;

	if (machine_task_maps(task->tid, &mapping) && mapping.is_done &&
	    (mapping.protection & PROT_EXEC))
		look(entries, task, mapping.is_new, mapping.fd);
	else
		entrytask_resume(task, 0);
}

static void add_hit(struct entries *entries, uint32_t file, uint32_t entry)
{
	struct entry *row = &entries->files.list.items[file].entries[entry];

	if (row->is_hit)
		return;
	row->is_hit = true;
	vec_push(&entries->hits, (struct entries_hit){ file, entry });
}

/** The dynamic linker has come to the program's entry point: from now on it tells of dlopen(). */
static void end_start(struct entries *entries, const struct entry_task *task)
{
	struct entry_space *space = task->space;
	struct entry_program program;
	uint64_t brk;

	entryspace_remove_mark(&space->start, task->tid);
	if (!entryloader_program(task->tid, &program) ||
	    !entryloader_debug(task->tid, &program, &space->debug, &brk))
		return; // every call is looked at, then
	entryspace_set_mark(space, &entries->files, &space->brk, task->tid, brk);
	space->is_starting = !space->brk.is_set;
}

/** A breakpoint, ours or not. */
static void take_trap(struct entries *entries, struct entry_task *task)
{
	struct entry_space *space = task->space;
	siginfo_t info = { 0 };
	uint32_t file, entry;

	if (entrytask_take_delivery(task))
		return;
	if (ptrace(PTRACE_GETSIGINFO, task->tid, NULL, &info) != 0 || info.si_code != SI_KERNEL) {
		entrytask_deliver_trap(task);
		return;
	}
	uint64_t addr = machine_task_trap_addr(task->tid);

	if (space->brk.is_set && addr == space->brk.addr) {
		if (entryspace_entry_at(space, &entries->files, addr, &file, &entry))
			add_hit(entries, file, entry);
		task->is_loading = entryloader_is_busy(task->tid, space->debug);
		// The function that the dynamic linker calls for debuggers does nothing: the
		// breakpoint on it stays.
		machine_task_return(task->tid, addr, space->brk.byte);
		look(entries, task, false, -1);
		return;
	}
	bool is_start = space->start.addr == addr;

	if (is_start && space->start.is_set)
		end_start(entries, task);
	switch (entryspace_trap(space, &entries->files, task->tid, addr, &file, &entry)) {
	case ENTRY_TRAP_HIT:
	case ENTRY_TRAP_GONE:
		add_hit(entries, file, entry);
		break;
	case ENTRY_TRAP_OTHER:
		if (!is_start) {
			entrytask_deliver_trap(task);
			return;
		}
	}
	machine_task_set_ip(task->tid, addr);
	entrytask_resume(task, 0);
}

static bool is_group_stop(int number)
{
	return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static void take_end(struct entries *entries, pid_t pid, int status)
{
	forget_task(entries, pid);
	if (pid != entries->pid)
		return;
	entries->result.exit_status = waitstatus_shell(status);
	entries->has_ended = true;
	entrysignals_stop();
}

/** @task has stopped for @status; it goes on unless it is held. */
static void take_stop(struct entries *entries, struct entry_task *task, int status)
{
	int number = WSTOPSIG(status), event = status >> 16;

	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		take_child(entries, task->tid);
		return;
	case PTRACE_EVENT_EXEC:
		begin_program(entries, task->tid);
		return;
	case PTRACE_EVENT_STOP:
		if (is_group_stop(number))
			ptrace(PTRACE_LISTEN, task->tid, NULL, NULL);
		else
			entrytask_resume(task, 0);
		return;
	default:
		break;
	}
	if (number == SYSCALL_STOP)
		check_call(entries, task);
	else if (number == SIGTRAP)
		take_trap(entries, task);
	else
		entrytask_resume(task, number);
}

/** Whether the task is behind a breakpoint that it has not yet been stopped for. */
static bool is_trapping(const struct entries *entries, const struct entry_task *task)
{
	uint32_t file, entry;
	uint64_t addr = machine_task_trap_addr(task->tid);
	const struct entry_space *space = task->space;
	unsigned shift = addr % 8 * 8;

	if (!(space->brk.is_set && space->brk.addr == addr) &&
	    !(space->start.is_set && space->start.addr == addr) &&
	    !entryspace_entry_at(space, &entries->files, addr, &file, &entry))
		return false;
	uint64_t word = (uint64_t)ptrace(PTRACE_PEEKTEXT, task->tid, align_down(addr, 8), NULL);

	return (uint8_t)(word >> shift) == MACHINE_BREAKPOINT;
}

/** Let everything that outlives the command go on without breakpoints. */
static void release(struct entries *entries)
{
	size_t left = 0;
	int status;
	pid_t pid;

	vec_foreach (task, &entries->tasks) {
		if (!task->is_there)
			continue;
		left += ptrace(PTRACE_INTERRUPT, task->tid, NULL, NULL) == 0;
	}
	entries->result.left = left;
	while (left > 0 && (pid = waitpid(-1, &status, __WALL)) > 0) {
		struct entry_task *task = task_of(entries, pid);

		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			forget_task(entries, pid);
		} else if (status >> 16 != PTRACE_EVENT_STOP || !task->space ||
			   is_trapping(entries, task)) {
			if (!task->space) // of a parent that has not yet said so
				continue;
			take_stop(entries, task, status);
			if (entries->held) {
				entries->held = entries->started = 0;
				task_of(entries, pid)->space->is_starting = false;
				entrytask_resume(task_of(entries, pid), 0);
			}
			ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
		} else {
			entryspace_disarm(task->space, &entries->files, pid);
			ptrace(PTRACE_DETACH, pid, NULL, NULL);
			forget_task(entries, pid);
		}
		left = 0;
		vec_foreach (other, &entries->tasks)
			left += other->is_there;
	}
}

/** The next file that was found and can be read. */
static bool next_file(struct entries *entries, struct entries_file *ret_file)
{
	while (entries->asked < entries->files.list.count) {
		struct entry_file *file = &entries->files.list.items[entries->asked];

		*ret_file = (struct entries_file){ entries->asked++, file->path, file->open_path };
		if (file->fd >= 0)
			return true;
		notes_add(&entries->result.notes,
			  "%s could not be opened: its functions were not "
			  "seen",
			  file->path);
	}
	return false;
}

enum entries_step entries_next(struct entries *entries, struct entries_file *ret_file,
			       struct err *err)
{
	int status;

	for (;;) {
		if (next_file(entries, ret_file))
			return ENTRIES_FILE;
		if (entries->held)
			let_go(entries);
		if (entries->has_ended)
			break;
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0) {
			err_os(err, "waiting for %s", entries->name);
			return ENTRIES_ERROR;
		}
		struct entry_task *task = task_of(entries, pid);

		if (WIFEXITED(status) || WIFSIGNALED(status))
			take_end(entries, pid, status);
		else if (task->space)
			take_stop(entries, task, status);
	}
	release(entries);
	entrysignals_give_back(&entries->signals);
	if (entries->has_program)
		return ENTRIES_END;
	entries->result.exit_status = launch_outcome(&entries->launch, true, entries->name, err);
	return ENTRIES_ERROR;
}

void entries_arm(struct entries *entries, uint32_t file, const uint64_t *offsets, size_t count)
{
	entryfiles_set(&entries->files.list.items[file], offsets, count);
}

const struct entries_hit *entries_hits(const struct entries *entries, size_t *ret_count)
{
	*ret_count = entries->hits.count;
	return entries->hits.items;
}

const struct entries_result *entries_result(const struct entries *entries)
{
	return &entries->result;
}

bool entries_open(char *const *command, const struct caller *caller, struct entries **ret_entries,
		  struct err *err)
{
	static const unsigned long options = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
					     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
					     PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	struct entries *entries = xcalloc(1, sizeof(*entries));

	entries->name = command[0];
	sigprocmask(SIG_SETMASK, NULL, &entries->mask);
	const struct launch_how how = { .caller = caller, .mask = &entries->mask };
	if (!launch_start(&entries->launch, command, &how, err)) {
		entries_close(entries);
		return false;
	}
	entries->pid = entries->launch.pid;
	if (ptrace(PTRACE_SEIZE, entries->pid, NULL, options) != 0) {
		entrychecks_denied(entries->pid, err);
		entries_close(entries);
		return false;
	}
	filelimit_raise(); // each file with code stays open
	task_of(entries, entries->pid)->space = entryspace_create();
	entrysignals_take(&entries->signals, entries->pid);
	if (!launch_go(&entries->launch)) {
		err_os(err, "%s", entries->name);
		entries_close(entries);
		return false;
	}
	*ret_entries = entries;
	return true;
}

void entries_close(struct entries *entries)
{
	if (!entries)
		return;
	if (!entries->has_ended && entries->has_program)
		kill(entries->pid, SIGKILL);
	entrysignals_give_back(&entries->signals);
	launch_close(&entries->launch);
	vec_foreach (task, &entries->tasks)
		entryspace_release(task->space);
	vec_deinit(&entries->tasks);
	u64map_deinit(&entries->task_by_tid);
	entryfiles_deinit(&entries->files);
	vec_deinit(&entries->hits);
	notes_deinit(&entries->result.notes);
	free(entries);
}
