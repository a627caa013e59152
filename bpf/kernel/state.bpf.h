// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Shared parts of the BPF program: state of a task, the rings, what the recorder sets before
// loading and reads meanwhile.
#pragma once

#include "bpf/kernel/vmlinux_min.h"

#include "bpf/fault_event.h"
#include "bpf/storage_event.h"
#include "machine/page.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

enum {
	PAGE_BYTES = MACHINE_PAGE,
	STACK_REACH = 16 << 20, // as in unwind/framewalk.c
	GO_HEAP = 0xc,		// begins at 0xc000000000 (runtime/malloc.go: mallocinit())
	GO_HEAP_SHIFT = 36,
	USER32_CS = 0x23,
	TS_COMPAT = 2, // thread_info.status: inside a 32-bit system call
	SYSCALL_WRITE = 1,
	SYSCALL_OPEN = 2,
	SYSCALL_STAT = 4,
	SYSCALL_PWRITE64 = 18,
	SYSCALL_WRITEV = 20,
	SYSCALL_MREMAP = 25,
	SYSCALL_EXECVE = 59,
	SYSCALL_OPENAT = 257,
	SYSCALL_NEWFSTATAT = 262,
	SYSCALL_PWRITEV = 296,
	SYSCALL_MEMFD_CREATE = 319,
	SYSCALL_EXECVEAT = 322,
	SYSCALL_PWRITEV2 = 328,
	SYSCALL_IO_URING_SETUP = 425,
	SYSCALL_IO_URING_ENTER = 426,
	SYSCALL32_EXECVE = 11,
	SYSCALL32_MREMAP = 163,
	SYSCALL32_MEMFD_CREATE = 356,
	SYSCALL32_EXECVEAT = 358,
	REMAP_DONTUNMAP = 4,
	TASK_EXITS = 0x4,      // task_struct.flags: PF_EXITING
	TASK_IO_WORKER = 0x10, // task_struct.flags: PF_IO_WORKER
	EXEC_NOT_READABLE = 1, // linux_binprm.interp_flags: BINPRM_FLAGS_ENFORCE_NONDUMP
	NAMESPACE_LEVELS = 32,
	VMA_PROTECTION = 7,
	VMA_SHARED = 8,
	FILE_TYPE_MASK = 0170000,
	FILE_TYPE_REGULAR = 0100000,
	MAGIC_HUGETLBFS = 0x958458f6,
	MAGIC_TMPFS = 0x01021994,
	MAGIC_BTRFS = 0x9123683e,
	STACK_PAGES_MAX = FAULT_EVENT_STACK_MAX / PAGE_BYTES + 1,
	STACK_FEW_PAGES = 16,
	STACK_ROOM = FAULT_EVENT_ALTERNATE_MAX + FAULT_EVENT_STACK_MAX,
	TABLE_PAGES = 512, // of one page table, and of a huge page
	TREE_LEVELS = 8,
	CACHE_SLOTS = 64, // of a xa_node
	MAPLE_LEAF = 1,	  // maple_leaf_64
	MAPLE_ARANGE = 3, // maple_arange_64; between them maple_range_64
	MAPLE_SLOTS = 16,
	MAPLE_ARANGE_SLOTS = 10,
	ERROR_PRESENT = 1, // of the error code: something was mapped there,
	ERROR_WRITE = 2,   // and it was a write
	CALLS_MAX = 1024,  // numbers of system calls
	CALL_SUMS = 128,
	CALL_PROBES = 4,
	STACK_BLOCK = 512,
	STACK_BLOCKS = 64, // that are compared, from the end of a stack inwards
};

/** Pages that a task brings into the page cache: the last ones, not reported yet. */
struct reading {
	struct read_event event; // page_count 0: none
	__u64 mapping;		 // whose pages these are, and
	__u64 moment;		 // when: see moment_of()
	__u64 async_inode;	 // the file that is read ahead, without anybody who waits; or 0
	__u64 async_moment;
};

/** System calls of one number that a task has made. */
struct call_sum {
	__u64 ns;
	__u32 place; // the number, plus one; 0: none
	__u32 count;
};

/** State of a tracked task; a task without it is not tracked. */
struct task_state {
	__u64 entry_ns;
	__u64 entry_addr;
	__u64 around_index;
	__u64 read_mapping; // whose pages are counted; only to be compared
	__u64 read_index, read_end;
	__u64 seen;
	__u32 error_code;
	__u32 around_pages;
	__u32 flags; // fault_event_flag: KERNEL, HAS_ENTRY
	__u32 in_exec;
	__u32 read_pages;
	__u32 hidden_count;
	__u32 is_hidden;   // the recorder's caller may not trace it
	__u32 is_unmapped; // perf has no records of its mappings any more
	__u64 area_start, area_end, area_page, area_flags; // the mapping told last
	__u64 out_ns;		    // when it left the processor, 0: it is there
	__u64 woken_ns;		    // last, 0: not since it came back
	__u64 runtime_ns, delay_ns; // the kernel's counts at out_ns
	__u32 waker_pid, waker_tid;
	__u32 is_by_interrupt; // woken, and the waker is what that came upon
	__u64 place;	       // see is_interrupted()
	__u32 pause_flags;     // pause_event_flag
	__u32 pause_call;
	__u32 queued_at; // the processor that it waits for while it is off,
	__u64 queued_ns; // since when it is that one; 0: since it left, or was woken
	__u64 held_ns;	 // what the recorder had of others that it waited for before
	struct reading reading;
	__u32 is_in_program;  // and not the recorder's child before its exec
	__u64 interrupted_sp; // where a signal came last upon another stack than handlers' own
	__u64 call_ns;	      // when the system call began that it is in; 0: none
	__u32 call;
	__u32 is_call_alone; // it has to do with storage
	__u64 eventless;     // counted by the kernel, without an event: told, or of no system call
	__u64 linker, linker_of; // see is_of_linker()
	__u32 program_ns;	 // how long its last fault was in complete()
	__u32 sample_program_ns; // and its last sample in take_sample()
	__u32 is_awake;		 // see be_awake()
	struct call_sum sums[CALL_SUMS];
	__u64 stack_end;    // of the stack that the recorder had last; 0: of none
	__u32 stack_blocks; // of it, whose hashes are these: the first one ends at its end
	__u32 is_ended;
	__u64 stack_hashes[STACK_BLOCKS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/** Exits, remaps and faults without stacks: what must not be lost. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} events SEC(".maps");

/** Events of what is over within a moment: the reader is woken for each, and reads these first. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 10);
} moments SEC(".maps");

/** Faults with stacks. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} stacks SEC(".maps");

/** Room to put a record together; one per CPU (too large for a per-CPU map's value). */
struct scratch {
	struct stack_event event;
	__u8 stack[STACK_ROOM + PAGE_BYTES]; // a page more than used: simple bounds
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); // set before loading: one for each CPU online
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

// Set before loading.
const volatile __u32 stack_bytes = 0;	    // at most copied of each stack; 0: none
const volatile __u32 deep_bytes = 0;	    // likewise, where its end is known and within reach
const volatile __u64 event_wake_bytes = 0;  // more than this in the ring: wake the reader
const volatile __u64 event_fault_bytes = 0; // so much of the ring faults may fill
const volatile __u64 stack_wake_bytes = 0;
const volatile __u64 stack_ring_bytes = 0;
const volatile __u32 is_limited = 0; // to what user caller_uid, group caller_gid may trace
const volatile __u32 caller_uid = 0;
const volatile __u32 caller_gid = 0;
const volatile __u32 has_loop = 0;	    // the kernel has bpf_loop(), since Linux 5.17
const volatile __u32 has_cast = 0;	    // and bpf_rdonly_cast(), since Linux 6.2
const volatile __u32 is_attached = 0;	    // to a process that runs already
const volatile __u32 maps_whole_folios = 0; // the kernel does, since Linux 6.18
const volatile __u32 times_calls = 0;	    // system calls are timed

// Shared with the recorder through mmap: no system call disturbs the traced tasks.
__u64 lost_faults = 0;
__u64 lost_stacks = 0; // of faults that were not lost themselves
__u64 lost_others = 0;
__u64 lost_calls = 0;
__u32 target_pid = 0;	  // for mark_tasks: the process, as the recorder numbers it
__u32 recorder_level = 0; // how deep the recorder's pid namespace is
__u32 marked = 0;	  // tasks that mark_tasks has added

/** Whether @task may be tracked: told by one load, since every switch of the machine asks. */
static bool may_be_tracked(struct task_struct *task)
{
	return task->bpf_storage != 0;
}

extern void *bpf_rdonly_cast(const void *pointer, __u32 type) __ksym __weak;

/**
 * @pointer, to follow pointers from it: for nothing but reading, so no helper takes it. It costs
 * nothing. Through a pointer that helpers take, the verifier looks for four names at each pointer
 * that is read, in all types of the kernel: 2 ms (btf_find_by_name_kind(), Linux 6.18).
 */
#define only_read(pointer)                                                                        \
	(has_cast ? (typeof(pointer))bpf_rdonly_cast((pointer),                                   \
						     bpf_core_type_id_kernel(typeof(*(pointer)))) \
		  : (pointer))

/** The number that @task has in the recorder's pid namespace. */
static __u32 number_of(struct task_struct *task)
{
	if (recorder_level == 0)
		return task->pid;

	struct pid *pid = only_read(task)->thread_pid;
	const struct upid *upid = bpf_core_field_exists(pid->numbers) ? &pid->numbers[0] : 0;
	__u32 number = 0;

	// The array has an element for each level; its element is larger in the kernel than here.
	if (upid)
		bpf_probe_read_kernel(&number, sizeof(number),
				      (const char *)upid +
					      recorder_level * bpf_core_type_size(struct upid) +
					      bpf_core_field_offset(struct upid, nr));
	return number;
}

static __u32 process_of(struct task_struct *task)
{
	return recorder_level == 0 ? (__u32)task->tgid : number_of(only_read(task)->group_leader);
}

/**
 * The system call that @task is in; negative: none. A thread that the kernel makes for io_uring
 * (create_io_thread()) never enters one and has its maker's registers: of what its maker was in
 * when the kernel found that one more was needed, which may have been an interrupt.
 */
static long call_of(const struct task_struct *task, const struct pt_regs *regs)
{
	const long number = regs->orig_ax;

	return task->flags & TASK_IO_WORKER && number != SYSCALL_IO_URING_SETUP
		       ? SYSCALL_IO_URING_ENTER
		       : number;
}

/** Waking the reader at each record would cost the program an inter-processor interrupt each. */
static __u64 wake_flag(__u64 used, __u64 wake_bytes)
{
	return used > wake_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __u64 events_used(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
}

static __u64 event_wake_flag(void)
{
	return wake_flag(events_used(), event_wake_bytes);
}
