// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Records that the kernel side hands to the recorder through the ring: fixed sizes, no padding.
#pragma once

#ifdef __bpf__
#include "bpf/kernel/vmlinux_min.h"
#else
#include <linux/types.h>
#endif

enum {
	FAULT_EVENT_STACK_MAX = 1 << 20,
	FAULT_EVENT_ALTERNATE_MAX = 64 << 10, // of a signal handler's own stack
	FAULT_EVENT_REGISTERS = 17,
	FAULT_EVENT_NAME_BYTES = 256, // of one part of a path, with its NUL
	FAULT_EVENT_PATH_PARTS = 32,
	FAULT_EVENT_ARGUMENT_BYTES = 256, // of a command line, from its first word on
	FAULT_EVENT_OPEN_MAX = 1024,	  // of the path of an open, with its NUL; a power of 2
	SIGHT_EVENT_BYTES = 4 << 10,	  // of one piece of what was written; a power of 2
	SIGHT_EVENT_STREAMS = 3,
	SIGHT_EVENT_FILES = 4,
	SIGHT_EVENT_FUNCTIONS = 4,
	SIGHT_EVENT_NAME_BYTES = 64,
};

/** First word of every record. */
enum fault_event_kind {
	FAULT_EVENT_FAULT = 1,
	FAULT_EVENT_EXIT,
	FAULT_EVENT_REMAP,
	FAULT_EVENT_MAPPING,
	FAULT_EVENT_FORK,
	FAULT_EVENT_PAUSE,
	FAULT_EVENT_SAMPLE,	 // a fault_event, but for its addr and what is of faults alone
	FAULT_EVENT_PAUSE_STACK, // likewise: where the pause of this task that comes next began
	FAULT_EVENT_CALL,
	FAULT_EVENT_PREFAULT,
	FAULT_EVENT_ARGUMENTS,
	FAULT_EVENT_OPEN,
	FAULT_EVENT_SIGHT,
	FAULT_EVENT_FLUSH,
	FAULT_EVENT_MEMORY_FILE,
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
	FAULT_EVENT_HAS_STACK = 1 << 8,		// it is the beginning of a stack_event
	FAULT_EVENT_INTERRUPTED_WHOLE = 1 << 9, // as STACK_WHOLE, of the interrupted stack
	FAULT_EVENT_STACK_CONTINUED = 1 << 10,	// the next may leave out what is equal
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
	__u32 program_ns; // how long the task's fault before was in the kernel side's program; 0:
			  // there was none
};
_Static_assert(sizeof(struct fault_event) == 96, "fault_event has padding");

/**
 * A fault with its stack, in a ring of its own. Where there is no room for it the fault_event alone
 * goes to the ring of events: a fault is lost only after its stack is.
 * fault.stack_size bytes of stack follow, padded to a multiple of 8. Where a signal handler runs on
 * a stack of its own, the last interrupted_size of these are of the stack that it interrupted.
 * Outer frames hardly change from fault to fault: the equal_size bytes further out are as in the
 * last stack of the task that is CONTINUED, and are not written again.
 */
struct stack_event {
	struct fault_event fault;
	__u64 registers[FAULT_EVENT_REGISTERS]; // DWARF's order: 0 rax .. 15 r15, 16 the ip
	__u64 interrupted_sp;
	__u32 interrupted_size;
	__u32 equal_size;
};
_Static_assert(sizeof(struct stack_event) == 248, "stack_event has padding");

/** A task ended; the kernel's own counts stand beside ours. */
struct exit_event {
	__u32 kind;   // FAULT_EVENT_EXIT
	__u32 hidden; // faults of programs that the recorder's caller may not trace; not in seen
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 minor;
	__u64 major;
	__u64 seen; // faults of this task that raised an event
};
_Static_assert(sizeof(struct exit_event) == 48, "exit_event has padding");

/**
 * A system call returned that had the kernel fault pages in by itself (populate, mlock, exec's
 * arguments): it counts these faults, and they raise no event.
 */
struct prefault_event {
	__u32 kind; // FAULT_EVENT_PREFAULT
	__u32 call; // its number; ~0: of 32 bits
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 count;
	__u64 arguments[3];
	__u64 result;
};
_Static_assert(sizeof(struct prefault_event) == 64, "prefault_event has padding");

/** A call of the dynamic linker that opens a file by its path, which follows, or asks for it. */
struct open_event {
	__u32 kind; // FAULT_EVENT_OPEN
	__u32 call;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 duration_ns; // 0: unknown
	__u64 ip;
	__u32 error;
	__u32 path_size; // with its NUL; FAULT_EVENT_OPEN_MAX: it may be longer; 0: unknown
};
_Static_assert(sizeof(struct open_event) == 48, "open_event has padding");

/** Values of sight_event.what. */
enum sight_event_what {
	SIGHT_EVENT_LISTEN,
	SIGHT_EVENT_WRITE,
	SIGHT_EVENT_FILE,
	SIGHT_EVENT_ENTER,
};

/** A moment that was asked for. Of a write the bytes follow, of a socket its path. */
struct sight_event {
	__u32 kind; // FAULT_EVENT_SIGHT
	__u32 what;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u32 place;  // of a socket its port, else which of those that are watched
	__u32 size;   // of what follows
	__u32 is_cut; // more was written than follows
	__u32 is_created;
};
_Static_assert(sizeof(struct sight_event) == 40, "sight_event has padding");

/** A system call returned that writes pages of a file to storage, or gives them back. */
struct flush_event {
	__u32 kind; // FAULT_EVENT_FLUSH
	__u32 call;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 duration_ns; // 0: unknown
	__u64 addr;	   // 0: it is for no memory
	__u64 size;
	__u64 inode; // 0: it is for no descriptor
	__u64 offset;
	__u32 device; // as the kernel writes it: the major number above 20 bits of minor
	__u32 error;
};
_Static_assert(sizeof(struct flush_event) == 72, "flush_event has padding");

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

/**
 * The mapping that a fault was found in, of a task that perf has no records of: the
 * kernel ends perf events of a task that executes a setuid or unreadable program. The parts of its
 * path follow, the last one first, each FAULT_EVENT_NAME_BYTES long, some of them empty; none of
 * memory without a file.
 */
struct mapping_event {
	__u32 kind;	  // FAULT_EVENT_MAPPING
	__u32 protection; // as PROT_READ ...
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 start;
	__u64 end;
	__u64 page; // of the file
	__u64 inode;
	__u32 device; // as the kernel writes it: the major number above 20 bits of minor
	__u32 is_shared;
	__u32 area; // fault_event_area
	__u32 part_count;
};
_Static_assert(sizeof(struct mapping_event) == 72, "mapping_event has padding");

/** Bits of pause_event.flags; as enum trace_pause_flag. */
enum pause_event_flag {
	PAUSE_EVENT_PREEMPTED = 1 << 0,
	PAUSE_EVENT_IN_FAULT = 1 << 1,
	PAUSE_EVENT_STORAGE = 1 << 2,
	PAUSE_EVENT_LAST = 1 << 3,
	PAUSE_EVENT_OPEN = 1 << 4,
	PAUSE_EVENT_HAS_CALL = 1 << 5,
	PAUSE_EVENT_HAS_DELAY = 1 << 6,
	PAUSE_EVENT_INTERRUPT = 1 << 7,
	PAUSE_EVENT_HAS_STACK = 1 << 8, // a FAULT_EVENT_PAUSE_STACK is before it in the ring
	PAUSE_EVENT_IN_CALL = 1 << 9,
	PAUSE_EVENT_ON_PIPE = 1 << 10,
	PAUSE_EVENT_ON_SOCKET = 1 << 11,
};

/** A task was off the processor. */
struct pause_event {
	__u32 kind; // FAULT_EVENT_PAUSE
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u64 out_ns;
	__u64 woken_ns;
	__u64 back_ns;
	__u64 runtime_ns;
	__u64 delay_ns;
	__u32 waker_pid;
	__u32 waker_tid;
	__u32 call;
	__u32 recorder_ns; // as in struct trace_pause
};
_Static_assert(sizeof(struct pause_event) == 72, "pause_event has padding");

/** Bits of call_event.flags; as enum trace_call_flag. */
enum call_event_flag {
	CALL_EVENT_ALONE = 1 << 0,
	CALL_EVENT_OPEN = 1 << 1,
};

/** System calls of a task returned; as struct trace_call. */
struct call_event {
	__u32 kind; // FAULT_EVENT_CALL
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 duration_ns;
	__u32 call;
	__u32 count;
};
_Static_assert(sizeof(struct call_event) == 40, "call_event has padding");

/** Kinds of mapping that the path does not show. */
enum fault_event_area {
	FAULT_EVENT_AREA_PLAIN,
	FAULT_EVENT_AREA_STACK, // of the first thread
	FAULT_EVENT_AREA_VDSO,
	FAULT_EVENT_AREA_DEEP, // a file whose path has more parts than follow
};

/** A task began, of a task that perf has no records of. */
struct fork_event {
	__u32 kind; // FAULT_EVENT_FORK
	__u32 reserved;
	__u32 pid;
	__u32 tid;
	__u32 parent_pid;
	__u32 parent_tid;
	__u64 time_ns;
};
_Static_assert(sizeof(struct fork_event) == 32, "fork_event has padding");

/** A process has made a file in memory (memfd_create()), which may be gone within a moment. */
struct memory_file_event {
	__u32 kind; // FAULT_EVENT_MEMORY_FILE
	__u32 pid;
	__u32 fd; // the process's
	__u32 reserved;
};
_Static_assert(sizeof(struct memory_file_event) == 16, "memory_file_event has padding");

/** The command line of a program that a process executes: words, each ended by a NUL. */
struct arguments_event {
	__u32 kind; // FAULT_EVENT_ARGUMENTS
	__u32 pid;
	__u64 time_ns;
	__u32 size; // of the command line; no more than fits is in bytes
	__u32 reserved;
	char bytes[FAULT_EVENT_ARGUMENT_BYTES];
};
_Static_assert(sizeof(struct arguments_event) == 24 + FAULT_EVENT_ARGUMENT_BYTES,
	       "arguments_event has padding");
