// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// How long system calls take: of each task and number the sum, in its storage until it ends. One
// that had to do with storage is told of alone, when it returns.
#pragma once

#include "bpf/kernel/prefault.bpf.h"
#include "bpf/kernel/state.bpf.h"

/** @limit: how full the ring may be. */
static void tell_call(const struct call_event *event, __u64 limit)
{
	__u64 used = events_used();

	if (used >= limit || bpf_ringbuf_output(&events, (void *)event, sizeof(*event),
						wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_calls, 1);
}

/** Tell one sum, which is empty afterwards. */
static void tell_sum(struct call_sum *sum, __u32 pid, __u32 tid, __u64 now)
{
	struct call_event event = {
		.kind = FAULT_EVENT_CALL,
		.pid = pid,
		.tid = tid,
		.time_ns = now,
		.duration_ns = sum->ns,
		.call = sum->place - 1,
		.count = sum->count,
	};

	*sum = (struct call_sum){ 0 };
	tell_call(&event, ~0ull);
}

/** The task whose sums are reported. */
struct telling {
	struct task_state *state;
	__u32 pid, tid;
	__u64 now;
};

/** Tell one of them, if it is in use; returns 1 when there are no more. */
static long tell_sum_at(__u32 place, struct telling *telling)
{
	if (place >= CALL_SUMS)
		return 1;
	struct call_sum *sum = &telling->state->sums[place];

	if (sum->place)
		tell_sum(sum, telling->pid, telling->tid, telling->now);
	return 0;
}

/** Without bpf_loop(), before Linux 5.17: the verifier takes 60 ms to look at each round. */
static __attribute__((noinline)) int tell_each_sum(struct task_state *state, __u32 pid, __u32 tid)
{
	__u64 now = bpf_ktime_get_ns();

	if (!state)
		return 0;
	for (__u32 i = 0; i < CALL_SUMS; i++)
		if (state->sums[i].place)
			tell_sum(&state->sums[i], pid, tid, now);
	return 0;
}

static void tell_sums(struct task_state *state, __u32 pid, __u32 tid)
{
	struct telling telling = {
		.state = state, .pid = pid, .tid = tid, .now = bpf_ktime_get_ns()
	};

	if (has_loop)
		bpf_loop(CALL_SUMS, tell_sum_at, &telling, 0);
	else
		tell_each_sum(state, pid, tid);
}

/** Add a call; if a thread has more calls than there are sums, one makes room. */
static void add_call(struct task_state *state, struct task_struct *task, __u32 count, __u64 ns,
		     __u64 now)
{
	struct call_sum *sum = &state->sums[state->call & (CALL_SUMS - 1)];

	for (__u32 i = 0; i < CALL_PROBES; i++) {
		struct call_sum *other = &state->sums[(state->call + i) & (CALL_SUMS - 1)];

		if (other->place && other->place != state->call + 1)
			continue;
		sum = other;
		break;
	}
	if (sum->place && sum->place != state->call + 1)
		tell_sum(sum, process_of(task), number_of(task), now);
	sum->place = state->call + 1;
	sum->count += count;
	sum->ns += ns;
}

static void tell_alone(struct task_state *state, struct task_struct *task, __u32 count, __u64 now,
		       __u32 flags)
{
	struct call_event event = {
		.kind = FAULT_EVENT_CALL,
		.flags = CALL_EVENT_ALONE | flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = state->call_ns,
		.duration_ns = now - state->call_ns,
		.call = state->call,
		.count = count,
	};

	tell_call(&event, flags & CALL_EVENT_OPEN ? ~0ull : event_fault_bytes);
}

/** The call that the task is in, up to @now. */
static void count_call(struct task_state *state, struct task_struct *task, __u32 count, __u64 now)
{
	if (!state->call_ns || state->is_hidden)
		return;
	if (state->is_call_alone)
		tell_alone(state, task, count, now, 0);
	else
		add_call(state, task, count, now - state->call_ns, now);
}

/** The task ends, or the recording: it does not return from the call that it is in. */
static void leave_call(struct task_state *state, struct task_struct *task, __u64 now)
{
	if (times_calls && state->call_ns && !state->is_hidden)
		tell_alone(state, task, 1, now, CALL_EVENT_OPEN);
	state->call_ns = 0;
}

/** A program ends within execve, and the next one begins. */
static void divide_call(struct task_state *state, struct task_struct *task)
{
	__u64 now = bpf_ktime_get_ns();

	count_call(state, task, 0, now);
	tell_sums(state, process_of(task), number_of(task));
	state->call = SYSCALL_EXECVE;
	state->call_ns = now;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_call, struct pt_regs *regs, long number)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!may_be_tracked(task))
		return 0;

	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (!state || !state->is_in_program)
		return 0;
	if (task->thread_info.status & TS_COMPAT || (__u64)number >= CALLS_MAX)
		state->call = STORAGE_EVENT_NO_CALL;
	else
		state->call = number;
	state->is_call_alone = 0;
	begin_prefaults(state, task);
	state->call_ns = bpf_ktime_get_ns();
	return 0;
}

static void return_from_call(struct task_state *state, struct task_struct *task)
{
	if (!state->call_ns)
		return;
	count_call(state, task, 1, bpf_ktime_get_ns());
	state->call_ns = 0;
}
