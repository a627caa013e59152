// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Time of tracked tasks: when one leaves the processor and why, when it may go on, when it does.
// One record per stay off the processor, made when the task is back.
#pragma once

#include "bpf/kernel/calls.bpf.h"
#include "bpf/kernel/held.bpf.h"
#include "bpf/kernel/quiet.bpf.h"
#include "bpf/kernel/stack.bpf.h"
#include "bpf/kernel/state.bpf.h"

enum {
	TASK_STATE_DEAD = 0x80, // task_struct.__state
	FAULT_ORIG_AX = -1,	// of registers that no system call saved
	KERNEL_STACK_BYTES = 16384,
	SYSCALL_READ = 0,
	SYSCALL_READV = 19,
	// inode.i_mode
	S_IFMT = 0170000,
	S_IFIFO = 0010000,
	S_IFCHR = 0020000,
	S_IFBLK = 0060000,
	S_IFREG = 0100000,
	S_IFSOCK = 0140000,
};

// Shared with the recorder, as the counts of lost faults.
__u64 lost_pauses = 0;

/**
 * Is an interrupt being served where @current runs, which need not be its own doing? One that comes
 * upon the kernel has a stack of its own (call_on_irqstack_cond()); one that comes upon the program
 * has not, but then the program is in no system call. What a task sends to another through the
 * network of the machine itself arrives by a soft interrupt as well. The kernel's count of
 * preemption is no symbol that every kernel shows.
 * @place: memory to know by where the stack is
 */
static bool is_interrupted(struct task_struct *current, volatile __u64 *place)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(current);
	struct task_state *state;
	__u64 frame;

	asm volatile("%0 = r10" : "=r"(frame));
	*place = frame;
	if (*place - (__u64)current->stack >= KERNEL_STACK_BYTES)
		return true;
	if (!only_read(current)->mm)
		return current->pid == 0; // the processor was idle
	if (call_of(current, regs) >= 0 || (current->flags & TASK_EXITS))
		return false;
	state = bpf_task_storage_get(&tasks, current, 0, 0);
	return !state || !(state->flags & FAULT_EVENT_HAS_ENTRY);
}

static __u64 delay_of(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) ? task->sched_info.run_delay : 0;
}

/** The file that @descriptor of @task is; NULL: none. */
static struct file *file_of(struct task_struct *task, __u64 descriptor)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files, *file = NULL;

	descriptor = (__u32)descriptor;
	if (!table || descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;
	files = BPF_CORE_READ(table, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), files + descriptor) != 0)
		return NULL;
	return file;
}

/**
 * Return the kind of descriptor that the system call @number reads or writes, as PAUSE_EVENT flag.
 */
static __u32 descriptor_flag(struct task_struct *task, long number, __u64 descriptor)
{
	struct file *file;

	if (number != SYSCALL_READ && number != SYSCALL_WRITE && number != SYSCALL_READV &&
	    number != SYSCALL_WRITEV)
		return 0;
	file = file_of(task, descriptor);
	if (!file)
		return 0;
	switch (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) {
	case S_IFIFO:
		return PAUSE_EVENT_ON_PIPE;
	case S_IFSOCK:
		return PAUSE_EVENT_ON_SOCKET;
	default:
		return 0;
	}
}

/** The task leaves the processor, or is found off it: what is known of why. */
static void begin_pause(struct task_state *state, struct task_struct *task, __u64 now,
			bool can_go_on)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	long number = call_of(task, regs);
	__u32 flags = can_go_on ? PAUSE_EVENT_PREEMPTED : 0;

	// A fault that failed leaves its entry behind, though the program is in a call by now.
	if ((state->flags & FAULT_EVENT_HAS_ENTRY) &&
	    ((state->flags & FAULT_EVENT_KERNEL) || number == FAULT_ORIG_AX))
		flags |= PAUSE_EVENT_IN_FAULT;
	if (!can_go_on && BPF_CORE_READ_BITFIELD(task, in_iowait))
		flags |= PAUSE_EVENT_STORAGE;
	if ((flags & PAUSE_EVENT_STORAGE) && !(flags & PAUSE_EVENT_IN_FAULT))
		state->is_call_alone = 1;
	if (number >= 0 && !(task->thread_info.status & TS_COMPAT)) {
		flags |= PAUSE_EVENT_HAS_CALL;
		if (!can_go_on && !(flags & PAUSE_EVENT_IN_FAULT))
			flags |= descriptor_flag(task, number, regs->di);
	}
	if (state->call_ns)
		flags |= PAUSE_EVENT_IN_CALL;
	if (bpf_core_field_exists(task->sched_info.run_delay))
		flags |= PAUSE_EVENT_HAS_DELAY;
	state->pause_call = number;
	state->pause_flags = flags;
	state->runtime_ns = task->se.sum_exec_runtime;
	state->delay_ns = delay_of(task);
	state->out_ns = now;
	state->queued_at = task->on_cpu ? bpf_get_smp_processor_id() : HELD_NOWHERE;
}

/** The same of a task that is just being made: it is runnable from here on. */
static void begin_life(struct task_state *state, struct task_struct *parent)
{
	state->out_ns = bpf_ktime_get_ns();
	state->pause_flags = PAUSE_EVENT_PREEMPTED | PAUSE_EVENT_HAS_DELAY;
	state->waker_pid = process_of(parent);
	state->waker_tid = number_of(parent);
	state->queued_at = HELD_NOWHERE; // the kernel raises no event when it chooses
	be_awake(state);
}

/** Since when it is able to run, as far as that is before @now. */
static __u64 runnable_since(const struct task_state *state, __u64 now)
{
	const __u64 woken = state->woken_ns;

	if (state->pause_flags & PAUSE_EVENT_PREEMPTED || (woken && woken < state->out_ns))
		return state->out_ns; // woken on its way out
	return !woken || woken > now ? now : woken;
}

/** @limit: how full the ring may be. */
static void tell_pause(struct task_state *state, struct task_struct *task, __u64 back_ns,
		       __u32 flags, __u64 limit)
{
	// When a program waits is its own matter as well, such as that of a password.
	if (state->is_hidden) {
		__sync_fetch_and_add(&lost_pauses, 1);
		return;
	}

	__u64 used = events_used();

	if (state->is_by_interrupt)
		flags |= PAUSE_EVENT_INTERRUPT;

	struct pause_event event = {
		.kind = FAULT_EVENT_PAUSE,
		.flags = state->pause_flags | flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.out_ns = state->out_ns,
		.woken_ns = runnable_since(state, back_ns),
		.back_ns = back_ns,
		.runtime_ns = state->runtime_ns,
		.delay_ns = state->delay_ns,
		.waker_pid = state->waker_pid,
		.waker_tid = state->waker_tid,
		.call = state->pause_call,
		.recorder_ns = state->held_ns < ~0u ? state->held_ns : ~0u,
	};

	// In the ring that its stack is in, and so behind it.
	if (state->pause_flags & PAUSE_EVENT_HAS_STACK) {
		used = bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA);
		if (bpf_ringbuf_output(&stacks, &event, sizeof(event),
				       wake_flag(used, stack_wake_bytes)) == 0)
			return;
		event.flags &= ~PAUSE_EVENT_HAS_STACK;
		used = events_used();
	}
	if (used >= limit ||
	    bpf_ringbuf_output(&events, &event, sizeof(event), wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_pauses, 1);
}

/** The stack where the task is when it leaves: its memory is that of the processor now only. */
static void tell_stack(struct task_state *state, struct task_struct *task)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct scratch *scratch = bpf_map_lookup_elem(&scratches, &cpu);

	// A fault has its own; kernel threads and those that end have no memory.
	if (!scratch || !state->is_in_program || state->in_exec || state->is_hidden ||
	    !only_read(task)->mm || (state->pause_flags & PAUSE_EVENT_IN_FAULT))
		return;

	struct stack_event *event = &scratch->event;
	__u64 used = bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA);
	__u32 cs = copy_task_registers(event->registers, task);
	__u32 flags = FAULT_EVENT_HAS_REGISTERS | (cs == USER32_CS ? FAULT_EVENT_32BIT : 0);

	flags |= capture_stack(scratch, state, task, used);
	if (!(flags & FAULT_EVENT_HAS_STACK))
		return;
	event->fault = (struct fault_event){
		.kind = FAULT_EVENT_PAUSE_STACK,
		.flags = flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = state->out_ns,
		.stack_size = event->fault.stack_size,
	};

	__u64 total = (sizeof(*event) + event->fault.stack_size + 7) & ~7ull;

	if (total > sizeof(*scratch))
		total = sizeof(*scratch);
	if (bpf_ringbuf_output(&stacks, scratch, total, wake_flag(used, stack_wake_bytes)) == 0)
		state->pause_flags |= PAUSE_EVENT_HAS_STACK;
	else
		state->stack_end = 0;
}

/** The task is back since @back_ns. */
static void end_pause(struct task_state *state, struct task_struct *task, __u64 back_ns)
{
	add_held_here(state, runnable_since(state, back_ns), back_ns);
	tell_pause(state, task, back_ns, 0, event_fault_bytes);
	state->held_ns = 0;
	state->queued_ns = 0;
	state->out_ns = 0;
	state->woken_ns = 0;
	state->waker_pid = 0;
	state->waker_tid = 0;
	state->is_by_interrupt = 0;
}

/**
 * Since when a task runs that nobody saw come back. Kernels may raise no event when some tasks of
 * theirs leave, and so none for whom they make room. The kernel counts what the task has run since.
 */
static __u64 unseen_return(const struct task_state *state, const struct task_struct *task,
			   __u64 now)
{
	__u64 ran = task->se.sum_exec_runtime - state->runtime_ns;

	return ran < now - state->out_ns ? now - ran : state->out_ns;
}

static void leave(struct task_struct *task, bool is_preempted)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return;

	__u32 is = task->__state;
	__u64 now = bpf_ktime_get_ns();

	if (state->out_ns)
		end_pause(state, task, unseen_return(state, task, now));
	// Woken on its way out, it is awake.
	if (!is_preempted && is && !state->woken_ns && !BPF_CORE_READ_BITFIELD(task, in_iowait))
		be_quiet(state, now);
	begin_pause(state, task, now, is_preempted || is == 0);
	if (!is_preempted && (is & TASK_STATE_DEAD)) {
		leave_call(state, task, now);
		tell_pause(state, task, 0, PAUSE_EVENT_LAST, ~0ull);
	} else if (stack_bytes > 0) {
		tell_stack(state, task);
	}
}

static void come_back(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state)
		return;
	be_awake(state);
	if (state->out_ns)
		end_pause(state, task, bpf_ktime_get_ns());
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switch_tasks, bool is_preempted, struct task_struct *from, struct task_struct *to)
{
	if ((__u64)from == recorder)
		end_holding();
	else if (may_be_tracked(from))
		leave(from, is_preempted);
	if ((__u64)to == recorder)
		begin_holding();
	else if (may_be_tracked(to))
		come_back(to);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(wake_task, struct task_struct *task)
{
	if (!may_be_tracked(task))
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	struct task_struct *waker = bpf_get_current_task_btf();

	if (!state)
		return 0;
	be_awake(state);
	state->woken_ns = bpf_ktime_get_ns();
	state->waker_pid = process_of(waker);
	state->waker_tid = number_of(waker);
	state->is_by_interrupt = is_interrupted(waker, &state->place);
	return 0;
}

/** Another processor takes a task over: what kept it from the former one counts no longer. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(move_task, struct task_struct *task, int to)
{
	if (!may_be_tracked(task))
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u64 now;

	if (!state || !state->out_ns)
		return 0;
	now = bpf_ktime_get_ns();
	add_held(state, held_at(state->queued_at), runnable_since(state, now), now);
	state->queued_at = (__u32)to;
	state->queued_ns = now;
	return 0;
}

/** Found when tracking began: is it off the processor? */
static void find_pause(struct task_state *state, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();

	if (task->on_cpu || task->__state == 0)
		be_awake(state);
	if (task->on_cpu)
		return;
	begin_pause(state, task, now, task->__state == 0);
	if (!state->is_in_program || !(state->pause_flags & PAUSE_EVENT_HAS_CALL))
		return;
	state->call = state->pause_call;
	state->call_ns = times_calls ? now : 0;
	state->pause_flags |= times_calls ? PAUSE_EVENT_IN_CALL : 0;
}

/** Run by the recorder over all tasks at its end: those that are off the processor, and when. */
SEC("iter/task")
int end_pauses(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state || (task->__state & TASK_STATE_DEAD))
		return 0;

	__u64 now = bpf_ktime_get_ns();

	if (!state->out_ns)
		begin_pause(state, task, now, true); // it runs: this record only says so
	tell_pause(state, task, now, PAUSE_EVENT_OPEN, ~0ull);
	leave_call(state, task, now);
	if (times_calls && !state->is_hidden)
		tell_sums(state, process_of(task), number_of(task));
	return 0;
}
