// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// System calls that write a file's pages to storage or give them back: what they wait for, and
// which pages are not there any more because the program wanted it so.
#pragma once

#include "bpf/kernel/storage.bpf.h"
#include "bpf/kernel/time.bpf.h"

enum {
	SYSCALL_MSYNC = 26,
	SYSCALL_MADVISE = 28,
	SYSCALL_FSYNC = 74,
	SYSCALL_FDATASYNC = 75,
	SYSCALL_SYNC = 162,
	SYSCALL_FADVISE = 221,
	SYSCALL_SYNC_FILE_RANGE = 277,
	SYSCALL_SYNCFS = 306,
	ADVICE_DROP = 4,	    // POSIX_FADV_DONTNEED
	ADVICE_PAGEOUT = 21,	    // MADV_PAGEOUT
	MSYNC_SYNC = 4,		    // MS_SYNC
	OPENED_DSYNC = 010000,	    // O_DSYNC; O_SYNC has it as well
	INODE_SYNC = 1 << 0,	    // S_SYNC
	SUPER_SYNCHRONOUS = 1 << 4, // SB_SYNCHRONOUS
};

/**
 * True if a write to @file, which is @inode, returns when it is in storage: iocb_is_dsync(). The
 * flags of one pwritev2() are not looked at.
 */
static bool writes_through(struct file *file, struct inode *inode)
{
	__u32 kind = BPF_CORE_READ(inode, i_mode) & S_IFMT;

	return (kind == S_IFREG || kind == S_IFBLK) &&
	       (BPF_CORE_READ(file, f_flags) & OPENED_DSYNC ||
		BPF_CORE_READ(inode, i_flags) & INODE_SYNC ||
		BPF_CORE_READ(inode, i_sb, s_flags) & SUPER_SYNCHRONOUS);
}

/** Fill in the range that a call which returns to @regs was for; false: it is none of these. */
static bool find_range(const struct pt_regs *regs, struct flush_event *event)
{
	switch (regs->orig_ax) {
	case SYSCALL_MSYNC:
	case SYSCALL_MADVISE:
		event->addr = regs->di;
		event->size = regs->si;
		return regs->orig_ax == SYSCALL_MSYNC ? regs->dx & MSYNC_SYNC
						      : regs->dx == ADVICE_PAGEOUT;
	case SYSCALL_FADVISE:
	case SYSCALL_SYNC_FILE_RANGE:
		event->offset = regs->si;
		event->size = regs->dx;
		return regs->orig_ax == SYSCALL_SYNC_FILE_RANGE || regs->r10 == ADVICE_DROP;
	case SYSCALL_PWRITE64:
	case SYSCALL_PWRITEV:
	case SYSCALL_PWRITEV2:
		event->offset = regs->r10;
		return true;
	case SYSCALL_WRITE:
	case SYSCALL_WRITEV:
	case SYSCALL_FSYNC:
	case SYSCALL_FDATASYNC:
	case SYSCALL_SYNC:
	case SYSCALL_SYNCFS:
		return true;
	default:
		return false;
	}
}

/** True if the first argument of call @number is the descriptor of the file that it is for. */
static bool has_descriptor(__u64 number)
{
	return is_write(number) || number == SYSCALL_FADVISE || number == SYSCALL_SYNC_FILE_RANGE ||
	       number == SYSCALL_FSYNC || number == SYSCALL_FDATASYNC;
}

/**
 * Fill in the file that @descriptor of @task is, and tell its path; false: it is a write that does
 * not wait for storage.
 */
static bool find_flushed(struct task_struct *task, __u64 descriptor, struct flush_event *event)
{
	struct file *file = file_of(task, descriptor);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;

	if (is_write(event->call) && !(inode && writes_through(file, inode)))
		return false;
	if (!inode)
		return true;
	event->inode = BPF_CORE_READ(inode, i_ino);
	event->device = device_of_file(inode);
	tell_file(inode, event->inode, event->device);
	return true;
}

/** A system call of @task returns to @regs: tell it, if it waited for storage or gave pages back.
 */
static void tell_flush(struct task_state *state, struct task_struct *task, struct pt_regs *regs,
		       long result)
{
	struct flush_event event = { .kind = FAULT_EVENT_FLUSH };

	if (state->is_hidden || !state->is_in_program || task->thread_info.status & TS_COMPAT ||
	    !find_range(regs, &event))
		return;
	event.call = regs->orig_ax;
	if (has_descriptor(regs->orig_ax) && !find_flushed(task, regs->di, &event))
		return;
	event.pid = process_of(task);
	event.tid = number_of(task);
	event.time_ns = bpf_ktime_get_ns();
	event.duration_ns = state->call_ns ? event.time_ns - state->call_ns : 0;
	event.error = result < 0 ? -result : 0;

	__u64 used = events_used();

	if (used >= event_fault_bytes ||
	    bpf_ringbuf_output(&events, &event, sizeof(event), wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_calls, 1);
}
