// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Tasks: forks, execs, exits, and remaps, of which perf has no record.
#pragma once

#include "bpf/kernel/cgroup.bpf.h"
#include "bpf/kernel/flush.bpf.h"
#include "bpf/kernel/mapping.bpf.h"
#include "bpf/kernel/marks.bpf.h"
#include "bpf/kernel/opens.bpf.h"
#include "bpf/kernel/prefault.bpf.h"
#include "bpf/kernel/time.bpf.h"
#include "machine/page.h"

SEC("tp_btf/task_newtask")
int BPF_PROG(follow_child, struct task_struct *child, unsigned long clone_flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *parent = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!parent)
		return 0;

	struct task_state *state =
		bpf_task_storage_get(&tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!state) {
		__sync_fetch_and_add(&lost_others, 1);
		return 0;
	}
	state->is_hidden = parent->is_hidden;
	state->is_unmapped = parent->is_unmapped;
	state->is_in_program = parent->is_in_program;
	state->interrupted_sp = parent->interrupted_sp; // a handler may fork
	begin_life(state, task);
	if (!state->is_unmapped || state->is_hidden)
		return 0;

	struct fork_event event = {
		.kind = FAULT_EVENT_FORK,
		.pid = process_of(child),
		.tid = number_of(child),
		.parent_pid = process_of(task),
		.parent_tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

/** Inside execve, after the point of no return, the old program's registers mean nothing. */
SEC("tp_btf/task_rename")
int BPF_PROG(begin_exec, struct task_struct *renamed, const char *comm)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (renamed->pid != task->pid)
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	if (!state && cgroup_id && is_exec(task, regs->orig_ax))
		state = enter_cgroup(task);
	if (!state)
		return 0;
	state->in_exec = is_exec(task, regs->orig_ax);
	if (times_calls && state->in_exec)
		divide_call(state, task);
	state->is_in_program |= state->in_exec;
	be_awake(state);
	return 0;
}

/** Tell the command line of the program that @task executes, which exec has just written. */
static void tell_arguments(struct task_struct *task)
{
	const struct mm_struct *mm = task->mm;
	unsigned long start = mm->arg_start;
	struct arguments_event event = {
		.kind = FAULT_EVENT_ARGUMENTS,
		.pid = process_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.size = (__u32)(mm->arg_end - start),
	};
	__u32 kept = event.size < sizeof(event.bytes) ? event.size : sizeof(event.bytes);

	if (kept == 0 || bpf_probe_read_user(event.bytes, kept, (const void *)start) != 0)
		return;
	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(end_exec, struct task_struct *task, int old_pid, struct linux_binprm *program)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;
	state->in_exec = 0;
	state->interrupted_sp = 0; // of the old program
	state->linker_of = 0;
	state->stack_end = 0; // a thread's stacks have its leader's number from here on

	bool is_unreadable = (program->interp_flags & EXEC_NOT_READABLE) != 0;

	// What perf_event_exit_task() is called for: perf's events do not come back later, and
	// children inherit none.
	if (is_unreadable || BPF_CORE_READ_BITFIELD(program, secureexec))
		state->is_unmapped = 1;
	if (is_limited)
		state->is_hidden = is_unreadable || !may_trace(task);
	if (!state->is_hidden && !is_unreadable)
		tell_arguments(task);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(exit_task, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return 0;

	struct exit_event event = {
		.kind = FAULT_EVENT_EXIT,
		.hidden = state->hidden_count,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.minor = task->min_flt,
		.major = task->maj_flt,
		.seen = state->seen,
	};

	state->is_ended = 1; // the recorder forgets its stacks from here on
	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	if (times_calls && !state->is_hidden)
		tell_sums(state, event.pid, event.tid);
	return 0;
}

/** A handler has returned to @regs: off a stack of its own, nothing is interrupted any more. */
static void leave_signal(struct task_state *state, struct task_struct *task, struct pt_regs *regs)
{
	if (!alternate_end(task, regs->sp))
		state->interrupted_sp = 0;
}

/**
 * Tell of a file in memory, and wake the recorder at once: a program may map it, call what is in it
 * and end within a millisecond, and nobody finds the file then.
 */
static void tell_memory_file(struct task_struct *task, __u64 number, long result)
{
	bool compat = task->thread_info.status & TS_COMPAT;

	if (number != (compat ? SYSCALL32_MEMFD_CREATE : SYSCALL_MEMFD_CREATE) || result < 0)
		return;

	struct memory_file_event event = {
		.kind = FAULT_EVENT_MEMORY_FILE,
		.pid = process_of(task),
		.fd = (__u32)result,
	};

	// A full buffer drops it: nobody waits for one of so many.
	bpf_ringbuf_output(&moments, &event, sizeof(event), BPF_RB_FORCE_WAKEUP);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(exit_syscall, struct pt_regs *regs, long result)
{
	__u64 number = regs->orig_ax;
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;

	if (!may_be_tracked(task))
		return 0;
	state = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!state)
		return 0;
	tell_prefaults(state, task, regs, result);
	tell_open(state, task, regs, result);
	watch_call(state, task, regs, result);
	tell_flush(state, task, regs, result);
	if (!state->is_hidden)
		tell_memory_file(task, number, result);
	if (times_calls)
		return_from_call(state, task);
	// Only rt_sigreturn() leaves no number behind (restore_sigcontext()).
	if ((long)number == FAULT_ORIG_AX)
		leave_signal(state, task, regs);
	if (number != SYSCALL_MREMAP && number != SYSCALL32_MREMAP)
		return 0;

	bool compat = task->thread_info.status & TS_COMPAT;

	if (number != (compat ? SYSCALL32_MREMAP : SYSCALL_MREMAP))
		return 0;
	if ((__u64)result >= -(__u64)MACHINE_ERRNO_MAX)
		return 0; // it failed

	if (state->is_hidden)
		return 0;

	struct remap_event event = {
		.kind = FAULT_EVENT_REMAP,
		.keeps_old = ((compat ? regs->si : regs->r10) & REMAP_DONTUNMAP) != 0,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.old_addr = compat ? regs->bx : regs->di,
		.old_size = compat ? regs->cx : regs->si,
		.new_addr = compat ? (__u32)result : result,
		.new_size = regs->dx,
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
	return 0;
}

/** Run by the recorder over all tasks: track every thread of target_pid, or of the cgroup. */
SEC("iter/task")
int mark_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	recorder_level = only_read(bpf_get_current_task_btf())->thread_pid->level;
	recorder = (__u64)bpf_get_current_task_btf();
	if (cgroup_id ? !task->mm || !is_in_cgroup(task) : process_of(task) != target_pid)
		return 0;
	if (bpf_task_storage_get(&tasks, task, 0, 0))
		return 0;

	struct task_state *state =
		bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!state)
		return 0;
	marked++;
	state->is_in_program = is_attached;
	begin_prefaults(state, task);
	find_pause(state, task);
	return 0;
}
