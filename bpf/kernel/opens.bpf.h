// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Calls of the dynamic linker that open files by their paths, or ask for them: how it looks for
// libraries. Told apart from the program's by the instruction, which is near the linker's base.
#pragma once

#include "bpf/kernel/pagecache.bpf.h"

enum {
	LINKER_REACH = 1 << 20, // no linker of glibc is as large
	AUXILIARY_PAIRS = 32,
	AUXILIARY_HEADERS = 3, // AT_PHDR
	AUXILIARY_BASE = 7,    // AT_BASE
};

struct told_open {
	struct open_event event;
	char path[2 * FAULT_EVENT_OPEN_MAX]; // twice what is used: simple bounds
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct told_open);
} told_opens SEC(".maps");

/**
 * The base of the dynamic linker, by the auxiliary vector at @vector; of a program without one
 * that of the program, which may be a linker that was executed itself. 0: unknown. Not static: the
 * verifier looks at it by itself.
 */
__attribute__((noinline)) __u64 find_linker(__u64 vector)
{
	__u64 base = 0, headers = 0;

	for (__u32 i = 0; i < AUXILIARY_PAIRS; i++) {
		__u64 type = word_at(vector + i * 16ull), value = word_at(vector + i * 16ull + 8);

		if (type == 0)
			break;
		if (type == AUXILIARY_BASE)
			base = value;
		else if (type == AUXILIARY_HEADERS)
			headers = value;
	}
	return base ? base : headers & ~(PAGE_BYTES - 1ull);
}

/** Is @ip, which made a call of @task, where the dynamic linker may be? */
static bool is_of_linker(struct task_state *state, struct task_struct *task, __u64 ip)
{
	__u64 mm = (__u64)BPF_CORE_READ(task, mm); // read so, a number for the verifier

	if (!mm)
		return false;
	if (state->linker_of != mm) {
		state->linker =
			find_linker(mm + bpf_core_field_offset(struct mm_struct, saved_auxv));
		state->linker_of = mm;
	}
	return state->linker && ip - state->linker < LINKER_REACH;
}

/** The path that a call of this @number has; 0: it opens no file by one. */
static __u64 path_of_call(__u64 number, const struct pt_regs *regs)
{
	switch (number) {
	case SYSCALL_OPEN:
	case SYSCALL_STAT:
		return regs->di;
	case SYSCALL_OPENAT:
	case SYSCALL_NEWFSTATAT:
		return regs->si;
	default:
		return 0;
	}
}

/** A system call of @task returns to @regs: tell it, if the dynamic linker looked for a file. */
static void tell_open(struct task_state *state, struct task_struct *task, struct pt_regs *regs,
		      long result)
{
	__u64 number = regs->orig_ax, path = path_of_call(number, regs);
	__u32 zero = 0;

	if (!path || state->is_hidden || !state->is_in_program ||
	    task->thread_info.status & TS_COMPAT || !is_of_linker(state, task, regs->ip))
		return;
	struct told_open *told = bpf_map_lookup_elem(&told_opens, &zero);

	if (!told)
		return;
	__u64 now = bpf_ktime_get_ns();
	long size = bpf_probe_read_user_str(told->path, FAULT_EVENT_OPEN_MAX, (const void *)path);

	if (size == 1)
		return; // of a file that is open
	if (size < 0)
		size = 0; // the page is not there any more
	told->event = (struct open_event){
		.kind = FAULT_EVENT_OPEN,
		.call = number,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = now,
		.duration_ns = state->call_ns ? now - state->call_ns : 0,
		.ip = regs->ip,
		.error = result < 0 ? -result : 0,
		.path_size = size,
	};

	__u64 used = events_used();

	if (used >= event_fault_bytes ||
	    bpf_ringbuf_output(&events, told,
			       sizeof(told->event) + (size & (2 * FAULT_EVENT_OPEN_MAX - 1)),
			       wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_calls, 1);
}
