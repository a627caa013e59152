// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Moments that the recording is asked to watch for: they are told when the system call that makes
// them returns. Nothing of this is left in the program where nothing is asked for.
#pragma once

#include "bpf/kernel/storage.bpf.h"
#include "bpf/kernel/time.bpf.h"

enum {
	SYSCALL_SENDTO = 44,
	SYSCALL_LISTEN = 50,
	FAMILY_UNIX = 1,
	FAMILY_INET = 2,
	FAMILY_INET6 = 10,
	SOCKET_PATH_MAX = 108,
	SOCKET_PATH_AT = 2, // in struct sockaddr_un
	WRITE_PIECES = 16,
	WRITE_VECTORS = 8,
	SYSCALL_CREAT = 85,
	SYSCALL_OPENAT2 = 437,
	FILE_CREATED = 1 << 20, // FMODE_CREATED of include/linux/fs.h, since Linux 4.19
	NAME_WORDS = SIGHT_EVENT_NAME_BYTES / 8,
};

// Set before loading.
const volatile __u32 watches_listen = 0;
const volatile __u32 watched_streams = 0; // how many of these
const volatile __u32 watched_devices[SIGHT_EVENT_STREAMS] = { 0 };
const volatile __u64 watched_inodes[SIGHT_EVENT_STREAMS] = { 0 };
const volatile __u32 watched_specials[SIGHT_EVENT_STREAMS] = { 0 }; // 0: by device and inode

const volatile __u32 watched_files = 0; // how many of these
const volatile __u32 watched_folder_devices[SIGHT_EVENT_FILES] = { 0 };
const volatile __u64 watched_folders[SIGHT_EVENT_FILES] = { 0 };
const volatile __u64 watched_names[SIGHT_EVENT_FILES * NAME_WORDS] = { 0 };

__u64 lost_sights = 0;
__u32 entered[SIGHT_EVENT_FUNCTIONS] = { 0 }; // functions that have been: once is enough

struct told_sight {
	struct sight_event event;
	char bytes[2 * SIGHT_EVENT_BYTES]; // twice what is used: simple bounds
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct told_sight);
} told_sights SEC(".maps");

/** Tell @told, with so many of its bytes; of what is rare the reader is woken. */
static void tell_sight(struct told_sight *told, __u32 size, __u64 flags)
{
	// The mask is a bound for the verifier: the compiler knows one, and would leave it out.
	asm volatile("" : "+r"(size));
	size &= 2 * SIGHT_EVENT_BYTES - 1;
	told->event.size = size;
	if (bpf_ringbuf_output(&events, told, sizeof(told->event) + size, flags))
		__sync_fetch_and_add(&lost_sights, 1);
}

/** The task listens on its file @descriptor. */
static void tell_listen(struct task_struct *task, __u64 descriptor)
{
	__u32 zero = 0, size = 0;
	struct told_sight *told = bpf_map_lookup_elem(&told_sights, &zero);
	struct file *file = file_of(task, descriptor);

	if (!told || !file)
		return;
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	__u32 family = BPF_CORE_READ(sock, __sk_common.skc_family);

	told->event = (struct sight_event){
		.kind = FAULT_EVENT_SIGHT,
		.what = SIGHT_EVENT_LISTEN,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
	};
	if (family == FAMILY_INET || family == FAMILY_INET6)
		told->event.place = BPF_CORE_READ(sock, __sk_common.skc_num);
	if (family == FAMILY_UNIX && bpf_core_type_exists(struct unix_sock)) {
		struct unix_address *address = BPF_CORE_READ((struct unix_sock *)sock, addr);
		__u64 path = (__u64)address + bpf_core_field_offset(struct unix_address, name) +
			     SOCKET_PATH_AT;

		size = (__u32)BPF_CORE_READ(address, len) - SOCKET_PATH_AT;
		if (size > SOCKET_PATH_MAX)
			size = 0;
		// Of a size that the verifier knows; what is behind the path is not told.
		if (bpf_probe_read_kernel(told->bytes, SOCKET_PATH_MAX, (void *)path))
			size = 0;
	}
	tell_sight(told, size, BPF_RB_FORCE_WAKEUP);
}

/** The number of the watched stream that @file is, plus one; 0: it is none. */
static __u32 stream_of(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u64 number = BPF_CORE_READ(inode, i_ino);

	for (__u32 i = 0; i < SIGHT_EVENT_STREAMS; i++) {
		if (i >= watched_streams)
			break;
		if (watched_specials[i]) {
			if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFCHR &&
			    BPF_CORE_READ(inode, i_rdev) == watched_specials[i])
				return i + 1;
		} else if (watched_inodes[i] == number &&
			   watched_devices[i] == device_of_file(inode)) {
			return i + 1;
		}
	}
	return 0;
}

/** Tell @size bytes at @address that were written, in pieces. Returns how many were not told. */
static __u64 tell_pieces(struct told_sight *told, __u64 address, __u64 size)
{
	for (__u32 i = 0; i < WRITE_PIECES && size > 0; i++) {
		__u32 piece = size < SIGHT_EVENT_BYTES ? size : SIGHT_EVENT_BYTES;

		if (bpf_probe_read_user(told->bytes, piece, (const void *)address)) {
			__sync_fetch_and_add(&lost_sights, 1);
			return 0;
		}
		address += piece;
		size -= piece;
		told->event.is_cut = i + 1 == WRITE_PIECES && size > 0;
		tell_sight(told, piece, event_wake_flag());
	}
	return size;
}

/** The task wrote @size bytes to a file; tell them, if it is a stream that is watched. */
static void tell_write(struct task_struct *task, const struct pt_regs *regs, __u64 size)
{
	__u32 zero = 0;
	struct file *file = file_of(task, regs->di);
	__u32 stream = file ? stream_of(file) : 0;
	struct told_sight *told = stream ? bpf_map_lookup_elem(&told_sights, &zero) : NULL;

	if (!told)
		return;
	told->event = (struct sight_event){
		.kind = FAULT_EVENT_SIGHT,
		.what = SIGHT_EVENT_WRITE,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.place = stream - 1,
	};
	if (regs->orig_ax != SYSCALL_WRITEV) {
		tell_pieces(told, regs->si, size);
		return;
	}
	for (__u32 i = 0; i < WRITE_VECTORS && i < regs->dx && size > 0; i++) {
		__u64 vector[2] = { 0 }; // struct iovec

		if (bpf_probe_read_user(vector, sizeof(vector),
					(const void *)(regs->si + 16ull * i)))
			return;
		if (vector[1] > size)
			vector[1] = size;
		size -= vector[1];
		tell_pieces(told, vector[0], vector[1]);
	}
	if (size > 0)
		__sync_fetch_and_add(&lost_sights, 1);
}

/** The number of the watched file that @dentry is, plus one; 0: it is none. */
static __u32 watched_file_of(struct dentry *dentry)
{
	struct inode *folder = BPF_CORE_READ(dentry, d_parent, d_inode);
	__u64 number = BPF_CORE_READ(folder, i_ino);
	__u64 name[NAME_WORDS] = { 0 };

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(dentry, d_name.name));
	for (__u32 i = 0; i < SIGHT_EVENT_FILES; i++) {
		__u64 differs = 0;

		if (i >= watched_files)
			break;
		if (watched_folders[i] != number ||
		    watched_folder_devices[i] != device_of_file(folder))
			continue;
		for (__u32 j = 0; j < NAME_WORDS; j++)
			differs |= name[j] ^ watched_names[i * NAME_WORDS + j];
		if (!differs)
			return i + 1;
	}
	return 0;
}

/** The task opened a file, @descriptor; tell it, if it is watched. */
static void tell_opened(struct task_struct *task, __u64 descriptor)
{
	struct file *file = file_of(task, descriptor);
	__u32 place = file ? watched_file_of(BPF_CORE_READ(file, f_path.dentry)) : 0;

	if (!place)
		return;
	struct sight_event event = {
		.kind = FAULT_EVENT_SIGHT,
		.what = SIGHT_EVENT_FILE,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.place = place - 1,
		.is_created = (BPF_CORE_READ(file, f_mode) & FILE_CREATED) != 0,
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP))
		__sync_fetch_and_add(&lost_sights, 1);
}

/** On each function that is watched; the cookie says which. */
SEC("uprobe")
int enter_function(struct pt_regs *regs)
{
	__u64 now = bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u64 place = bpf_get_attach_cookie(regs);

	if (!state || state->is_hidden || !state->is_in_program || place >= SIGHT_EVENT_FUNCTIONS ||
	    entered[place])
		return 0;
	entered[place] = 1;
	struct sight_event event = {
		.kind = FAULT_EVENT_SIGHT,
		.what = SIGHT_EVENT_ENTER,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = now,
		.place = place,
	};

	if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP))
		__sync_fetch_and_add(&lost_sights, 1);
	return 0;
}

/** A system call of @task returns. */
static void watch_call(struct task_state *state, struct task_struct *task,
		       const struct pt_regs *regs, long result)
{
	__u64 number = regs->orig_ax;

	if (!watches_listen && !watched_streams && !watched_files)
		return;
	if (result < 0 || state->is_hidden || !state->is_in_program ||
	    task->thread_info.status & TS_COMPAT)
		return;
	if (watches_listen && number == SYSCALL_LISTEN)
		tell_listen(task, regs->di);
	else if (watched_files && (number == SYSCALL_OPEN || number == SYSCALL_OPENAT ||
				   number == SYSCALL_CREAT || number == SYSCALL_OPENAT2))
		tell_opened(task, result);
	else if (watched_streams && result > 0 &&
		 (number == SYSCALL_WRITE || number == SYSCALL_WRITEV || number == SYSCALL_SENDTO))
		tell_write(task, regs, result);
}
