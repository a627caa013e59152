// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Faults that system calls take on the program's memory without an exception: the kernel counts
// them in the task (mm_account_fault()), and without registers there is no event.
#pragma once

#include "bpf/kernel/state.bpf.h"

/** Those of @task so far. */
static __u64 eventless_faults(const struct task_state *state, struct task_struct *task)
{
	return task->min_flt + task->maj_flt - state->seen - state->hidden_count;
}

/** Begin a system call: faults without an event until now are not its own. */
static void begin_prefaults(struct task_state *state, struct task_struct *task)
{
	state->eventless = eventless_faults(state, task);
}

static bool is_exec(struct task_struct *task, __u64 number)
{
	if (task->thread_info.status & TS_COMPAT)
		return number == SYSCALL32_EXECVE || number == SYSCALL32_EXECVEAT;
	return number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT;
}

/** A system call of @task returns to @regs: tell what it faulted in. */
static void tell_prefaults(struct task_state *state, struct task_struct *task, struct pt_regs *regs,
			   __u64 result)
{
	__u64 now = eventless_faults(state, task);
	__u64 number = regs->orig_ax;

	if (now == state->eventless)
		return;
	if (state->is_hidden && !is_exec(task, number)) {
		state->hidden_count += now - state->eventless;
		return;
	}
	struct prefault_event event = {
		.kind = FAULT_EVENT_PREFAULT,
		.call = is_exec(task, number)		       ? SYSCALL_EXECVE
			: task->thread_info.status & TS_COMPAT ? STORAGE_EVENT_NO_CALL
							       : number,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.count = now - state->eventless,
		.arguments = { regs->di, regs->si, regs->dx },
		.result = result,
	};

	state->eventless = now;
	// What is lost here stays without an explanation.
	if (bpf_ringbuf_output(&events, &event, sizeof(event), event_wake_flag()) != 0)
		__sync_fetch_and_add(&lost_others, 1);
}
