// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// What the kernel side hands to the recorder, one record of the ring each: fixed sizes, no padding.
#pragma once

#ifdef __bpf__
#include "bpf/vmlinux_min.h"
#else
#include <linux/types.h>
#endif

enum { FAULT_EVENT_STACK_MAX = 65536, FAULT_EVENT_REGISTERS = 17 };

/** First word of every record. */
enum fault_event_kind {
	FAULT_EVENT_FAULT = 1,
	FAULT_EVENT_EXIT,
	FAULT_EVENT_REMAP,
};

/** Bits of fault_event.flags. */
enum fault_event_flag {
	FAULT_EVENT_MAJOR = 1 << 0,
	FAULT_EVENT_KERNEL = 1 << 1,	// the access was made in kernel mode
	FAULT_EVENT_HAS_ENTRY = 1 << 2, // error code and duration are known
	FAULT_EVENT_HAS_AROUND = 1 << 3,
	FAULT_EVENT_HAS_REGISTERS = 1 << 4, // ip and sp are the program's
	FAULT_EVENT_32BIT = 1 << 5,
	FAULT_EVENT_STACK_WHOLE = 1 << 6, // the copy reaches the end of the stack
	FAULT_EVENT_HAS_READ = 1 << 7,
	FAULT_EVENT_HAS_STACK = 1 << 8, // it is the beginning of a stack_event
};

/** One completed fault. Small, so that its ring holds many while the reader waits to run. */
struct fault_event {
	__u32 kind; // FAULT_EVENT_FAULT
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 duration_ns;
	__u64 addr;
	__u64 ip;
	__u64 sp;
	__u64 around_index; // in pages of the file
	__u64 read_index;   // in pages of the file, the lowest that was read
	__u32 around_pages;
	__u32 read_pages; // brought into the page cache
	__u32 read_span;  // pages from the lowest to the highest that was read
	__u32 error_code;
	__u32 stack_size;
	__u32 reserved;
};
_Static_assert(sizeof(struct fault_event) == 96, "fault_event has padding");

/**
 * A fault with its stack, in a ring of its own. Where there is no room for it the fault_event alone
 * goes to the ring of events: a fault is lost only after its stack is.
 * fault.stack_size bytes of stack follow, padded to a multiple of 8.
 */
struct stack_event {
	struct fault_event fault;
	__u64 registers[FAULT_EVENT_REGISTERS]; // DWARF's order: 0 rax .. 15 r15, 16 the ip
};
_Static_assert(sizeof(struct stack_event) == 232, "stack_event has padding");

/** A task ended; the kernel's own counts stand beside ours. */
struct exit_event {
	__u32 kind; // FAULT_EVENT_EXIT
	__u32 reserved;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 minor;
	__u64 major;
	__u64 seen; // faults of this task that raised an event
};
_Static_assert(sizeof(struct exit_event) == 48, "exit_event has padding");

/** mremap succeeded. */
struct remap_event {
	__u32 kind; // FAULT_EVENT_REMAP
	__u32 keeps_old;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 old_addr;
	__u64 old_size;
	__u64 new_addr;
	__u64 new_size;
};
_Static_assert(sizeof(struct remap_event) == 56, "remap_event has padding");
