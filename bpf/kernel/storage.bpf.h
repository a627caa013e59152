// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Reads from storage and their causes: read requests of all block devices, with the ranges of files
// that their pages are of, and the pages that recorded tasks bring into the page cache.
#pragma once

#include "bpf/kernel/pagecache.bpf.h"
#include "bpf/storage_event.h"

enum {
	REQUEST_OPERATION = 0xff, // of request.cmd_flags; REQ_OP_READ is 0
	REQUESTS_UNDER_WAY = 4 << 10,
	FILES_TOLD = 16384,
	WALK_STEPS = 8192,
	VECTOR_BYTES = 16, // of a bio_vec
};

// With lost_faults and its like: requests, reads and paths that found no room.
__u64 lost_storage = 0;

/** On whose behalf a request is made. */
struct purpose {
	__u64 async_inode; // the file that is read ahead, without anybody who waits; or 0
	__u32 pid, tid;	   // 0: of no recorded task
	__u32 flags;
	__u32 call;
};

/** Requests that wait in a scheduler: whoever issues them later need not be who made them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUESTS_UNDER_WAY);
	__type(key, __u64);
	__type(value, struct purpose);
} inserted SEC(".maps");

struct file_key {
	__u64 inode;
	__u64 device;
};

/** Files whose path has been told. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILES_TOLD);
	__type(key, struct file_key);
	__type(value, __u32);
} told_files SEC(".maps");

/** A request that is looked through, piece of memory by piece. Pointers as numbers. */
struct walk {
	__u64 bio;     // the next one
	__u64 vector;  // the bio_vec at hand
	__u64 mapping; // of the part at hand
	__u64 async_inode;
	__u32 vector_done; // bytes
	__u32 bio_left;
	__u32 is_full;
	__u32 is_busy;
	struct request_event event;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

struct told_path {
	struct path_event event;
	char names[FAULT_EVENT_PATH_PARTS][FAULT_EVENT_NAME_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct told_path);
} told_paths SEC(".maps");

static void tell_storage(void *event, __u64 size)
{
	__u64 used = events_used();

	if (used >= event_fault_bytes ||
	    bpf_ringbuf_output(&events, event, size, wake_flag(used, event_wake_bytes)))
		__sync_fetch_and_add(&lost_storage, 1);
}

/** Return the activity of the recorded @task, as a STORAGE_EVENT flag; 0: nothing of its own. */
static __u32 activity_of(struct task_state *state, struct task_struct *task, __u32 *call)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u64 number = call_of(task, regs);
	bool compat = task->thread_info.status & TS_COMPAT;

	*call = STORAGE_EVENT_NO_CALL;
	if (state->flags & FAULT_EVENT_HAS_ENTRY)
		return STORAGE_EVENT_FAULT;
	if (state->in_exec)
		return STORAGE_EVENT_EXEC;
	if (number >= CALLS_MAX)
		return 0; // interrupted in user mode
	if (compat)
		return number == SYSCALL32_EXECVE || number == SYSCALL32_EXECVEAT
			       ? STORAGE_EVENT_EXEC
			       : STORAGE_EVENT_CALL;
	*call = number;
	return number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT ? STORAGE_EVENT_EXEC
								      : STORAGE_EVENT_CALL;
}

/** The moment that read-ahead belongs to: one fault, or calls of one kind. */
static __u64 moment_of(const struct task_state *state, __u32 call)
{
	return state->flags & FAULT_EVENT_HAS_ENTRY ? state->entry_ns : call;
}

static void find_purpose(struct purpose *purpose)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	*purpose = (struct purpose){ .call = STORAGE_EVENT_NO_CALL };
	if (!state || state->is_hidden)
		return;
	purpose->flags = activity_of(state, task, &purpose->call);
	if (!purpose->flags)
		return;
	purpose->pid = process_of(task);
	purpose->tid = number_of(task);
	if (state->reading.async_inode &&
	    state->reading.async_moment == moment_of(state, purpose->call))
		purpose->async_inode = state->reading.async_inode;
}

/** The inode that @mapping, of whatever page, is the page cache of; 0 if it is no page cache. */
static __u64 inode_of(__u64 mapping)
{
	if (!mapping || mapping & 3)
		return 0;
	__u64 inode = (__u64)BPF_CORE_READ((struct address_space *)mapping, host);

	// The word may be another: of a slab, or a file system's own.
	return inode && inode + bpf_core_field_offset(struct inode, i_data) == mapping ? inode : 0;
}

/**
 * The device that stat() has for @inode. Of btrfs each subvolume is one, since the same number of
 * an inode may be in several.
 */
static __u32 device_of_file(struct inode *inode)
{
	__u32 device = BPF_CORE_READ(inode, i_sb, s_dev);

	if (bpf_core_type_exists(struct btrfs_inode) &&
	    BPF_CORE_READ(inode, i_sb, s_magic) == MAGIC_BTRFS) {
		struct btrfs_inode *own =
			(struct btrfs_inode *)((__u64)inode -
					       bpf_core_field_offset(struct btrfs_inode,
								     vfs_inode));
		__u32 subvolume = BPF_CORE_READ(own, root, anon_dev);

		device = subvolume ? subvolume : device;
	}
	return device;
}

/** Begin a part of @walk's request, of @mapping at @offset; none if there is no more room. */
static void begin_part(struct walk *walk, __u64 mapping, __u64 offset, __u32 size)
{
	__u32 count = walk->event.part_count;

	walk->mapping = mapping;
	if (count >= STORAGE_EVENT_PARTS) {
		walk->is_full = 1;
		return;
	}
	struct request_part *part = &walk->event.parts[count & (STORAGE_EVENT_PARTS - 1)];
	struct inode *inode = (struct inode *)inode_of(mapping);

	*part = (struct request_part){ .size = size };
	walk->event.part_count = count + 1;
	if (!inode)
		return;
	part->inode = BPF_CORE_READ(inode, i_ino);
	part->device = device_of_file(inode);
	part->offset = offset;
	part->flags = STORAGE_EVENT_FILE;
	if ((BPF_CORE_READ(inode, i_mode) & FILE_TYPE_MASK) != FILE_TYPE_REGULAR)
		part->flags |= STORAGE_EVENT_METADATA;
	if (walk->async_inode == (__u64)inode)
		part->flags |= STORAGE_EVENT_ASYNC;
}

static void add_part(struct walk *walk, __u64 mapping, __u64 offset, __u32 size)
{
	__u32 count = walk->event.part_count;
	struct request_part *last = &walk->event.parts[(count - 1) & (STORAGE_EVENT_PARTS - 1)];

	if (count > 0 && walk->mapping == mapping &&
	    (!(last->flags & STORAGE_EVENT_FILE) || last->offset + last->size == offset))
		last->size += size;
	else
		begin_part(walk, mapping, offset, size);
}

/** For bpf_loop(): the next piece of memory that lies in one folio. */
static long walk_on(__u32 index, void *context)
{
	__u32 zero = 0;
	struct walk *walk = bpf_map_lookup_elem(&walks, &zero);
	struct { // struct bio_vec
		__u64 page;
		__u32 size, offset;
	} vector;

	if (!walk || walk->is_full)
		return 1;
	if (walk->bio_left == 0) {
		struct bio *bio = (struct bio *)walk->bio;

		if (!bio)
			return 1;
		walk->vector = (__u64)BPF_CORE_READ(bio, bi_io_vec) +
			       (__u64)BPF_CORE_READ(bio, bi_iter.bi_idx) * VECTOR_BYTES;
		walk->vector_done = BPF_CORE_READ(bio, bi_iter.bi_bvec_done);
		walk->bio_left = BPF_CORE_READ(bio, bi_iter.bi_size);
		walk->bio = (__u64)BPF_CORE_READ(bio, bi_next);
		return 0;
	}
	if (bpf_probe_read_kernel(&vector, sizeof(vector), (const void *)walk->vector))
		return 1;

	__u64 page_struct = bpf_core_type_size(struct page);
	__u64 at = (__u64)vector.offset + walk->vector_done;
	__u64 page = vector.page + at / PAGE_BYTES * page_struct;
	__u64 head = word_at(page + bpf_core_field_offset(struct page, compound_head));

	head = head & 1 ? head - 1 : page;
	__u64 in_folio = (page - head) / page_struct * PAGE_BYTES + at % PAGE_BYTES;
	__u64 folio_size = pages_of((struct folio *)head) * PAGE_BYTES;
	__u64 size = vector.size - walk->vector_done;

	if (vector.size <= walk->vector_done)
		return 1;
	if (in_folio < folio_size && size > folio_size - in_folio)
		size = folio_size - in_folio;
	if (size > walk->bio_left)
		size = walk->bio_left;

	struct folio *folio = (struct folio *)head;

	add_part(walk, (__u64)BPF_CORE_READ(folio, mapping),
		 BPF_CORE_READ(folio, index) * PAGE_BYTES + in_folio, size);
	walk->bio_left -= size;
	walk->vector_done += size;
	if (walk->vector_done >= vector.size) {
		walk->vector += VECTOR_BYTES;
		walk->vector_done = 0;
	}
	return 0;
}

static __u32 device_of(struct request *request)
{
	struct gendisk *disk = only_read(request)->q->disk;

	return (__u32)disk->major << 20 | disk->first_minor;
}

static bool is_read(struct request *request)
{
	return (request->cmd_flags & REQUEST_OPERATION) == 0;
}

SEC("tp_btf/block_rq_insert")
int BPF_PROG(insert_request, struct request *request)
{
	struct purpose purpose;
	__u64 key = (__u64)request;

	if (!is_read(request))
		return 0;
	find_purpose(&purpose);
	if (purpose.pid)
		bpf_map_update_elem(&inserted, &key, &purpose, 0);
	return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue_request, struct request *request)
{
	struct purpose purpose, *earlier;
	__u64 key = (__u64)request;
	__u32 zero = 0;
	struct walk *walk = bpf_map_lookup_elem(&walks, &zero);

	if (!is_read(request))
		return 0;
	// An interrupt that issues one while another is looked through: only counted when done.
	if (!walk || walk->is_busy) {
		__sync_fetch_and_add(&lost_storage, 1);
		return 0;
	}
	walk->is_busy = 1;
	earlier = bpf_map_lookup_elem(&inserted, &key);
	if (earlier) {
		purpose = *earlier;
		bpf_map_delete_elem(&inserted, &key);
	} else {
		find_purpose(&purpose);
	}

	struct request_event *event = &walk->event;
	__u32 flags = request->cmd_flags;

	event->kind = STORAGE_EVENT_REQUEST;
	event->flags = purpose.flags;
	if (flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_META) & 1)
		event->flags |= STORAGE_EVENT_METADATA;
	if (flags >> bpf_core_enum_value(enum req_flag_bits, __REQ_RAHEAD) & 1)
		event->flags |= STORAGE_EVENT_RAHEAD;
	event->pid = purpose.pid;
	event->tid = purpose.tid;
	event->call = purpose.call;
	event->time_ns = bpf_ktime_get_ns();
	event->request = key;
	event->sector = request->__sector;
	event->size = request->__data_len;
	event->device = device_of(request);
	event->part_count = 0;
	walk->bio = (__u64)BPF_CORE_READ(request, bio);
	walk->bio_left = 0;
	walk->is_full = 0;
	walk->async_inode = purpose.async_inode;
	// What others read is nobody's business but their own, where the caller is not root.
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop) &&
	    (purpose.pid || !is_limited))
		bpf_loop(WALK_STEPS, walk_on, 0, 0);

	__u64 total = sizeof(*event) -
		      (STORAGE_EVENT_PARTS - (__u64)event->part_count) * sizeof(event->parts[0]);

	if (total <= sizeof(*event))
		tell_storage(event, total);
	walk->is_busy = 0;
	return 0;
}

/** Here the kernel counts what a disk has read, to the byte. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(complete_request, struct request *request, int error, unsigned int size)
{
	__u32 all = request->__data_len;

	if (!is_read(request))
		return 0;
	struct done_event event = {
		.kind = STORAGE_EVENT_DONE,
		.device = device_of(request),
		.time_ns = bpf_ktime_get_ns(),
		.request = (__u64)request,
		.sector = request->__sector,
		.size = size,
		.left = all > size ? all - size : 0,
	};

	tell_storage(&event, sizeof(event));
	return 0;
}

/** The path of the @dentry at this address, up to the root of its file system. */
__attribute__((noinline)) int tell_alias(struct told_path *told, __u64 dentry_addr)
{
	if (!told)
		return 0;

	struct dentry *dentry = (struct dentry *)dentry_addr;
	__u32 count = 0;

	for (; count < FAULT_EVENT_PATH_PARTS; count++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);

		if (!parent || parent == dentry)
			break;
		bpf_probe_read_kernel_str(told->names[count], FAULT_EVENT_NAME_BYTES,
					  BPF_CORE_READ(dentry, d_name.name));
		dentry = parent;
	}
	told->event.part_count = count;
	return 0;
}

/** Tell where a file is that is read, once. */
static void tell_file(struct inode *inode, __u64 number, __u32 device)
{
	struct file_key key = { .inode = number, .device = device };
	__u32 zero = 0, one = 1;
	struct told_path *told = bpf_map_lookup_elem(&told_paths, &zero);

	if (!told || bpf_map_lookup_elem(&told_files, &key))
		return;
	__u64 alias = word_at((__u64)inode + bpf_core_field_offset(struct inode, i_dentry));
	if (!alias)
		return;
	told->event = (struct path_event){
		.kind = STORAGE_EVENT_PATH,
		.inode = number,
		.device = device,
		.mounted = BPF_CORE_READ(inode, i_sb, s_dev),
		.size = BPF_CORE_READ(inode, i_size),
	};
	tell_alias(told, alias - bpf_core_field_offset(struct dentry, d_u.d_alias));

	__u64 total = sizeof(told->event) + (__u64)told->event.part_count * FAULT_EVENT_NAME_BYTES;

	if (told->event.part_count < FAULT_EVENT_PATH_PARTS && total <= sizeof(*told)) {
		bpf_map_update_elem(&told_files, &key, &one, 0);
		tell_storage(told, total);
	}
}

static void tell_reading(struct reading *reading)
{
	if (reading->event.page_count)
		tell_storage(&reading->event, sizeof(reading->event));
	reading->event.page_count = 0;
}

static bool is_write(__u64 call)
{
	return call == SYSCALL_WRITE || call == SYSCALL_PWRITE64 || call == SYSCALL_WRITEV ||
	       call == SYSCALL_PWRITEV || call == SYSCALL_PWRITEV2;
}

/** A page is put into the page cache: told with those before and behind it, when others follow. */
SEC("tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(read_pages, struct folio *folio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u32 call;

	if (!state || state->is_hidden)
		return 0;

	struct reading *reading = &state->reading;
	struct read_event *event = &reading->event;
	struct address_space *mapping = only_read(folio)->mapping;
	struct inode *inode = mapping->host;
	__u64 index = folio->index, count = pages_of(folio);
	__u32 flags = activity_of(state, task, &call);
	__u64 moment = moment_of(state, call);

	// Pages that are made to be written are asked of no storage.
	if (!flags || (flags & STORAGE_EVENT_CALL && is_write(call)))
		return 0;
	if (!(flags & STORAGE_EVENT_FAULT))
		state->is_call_alone = 1;
	if (reading->async_inode == (__u64)inode && reading->async_moment == moment)
		flags |= STORAGE_EVENT_ASYNC;
	if ((inode->i_mode & FILE_TYPE_MASK) != FILE_TYPE_REGULAR)
		flags |= STORAGE_EVENT_METADATA;
	flags |= STORAGE_EVENT_FILE;
	if (event->page_count && reading->mapping == (__u64)mapping && reading->moment == moment &&
	    event->page + event->page_count == index && event->flags == flags) {
		event->page_count += count;
		return 0;
	}
	tell_reading(reading);
	reading->mapping = (__u64)mapping;
	reading->moment = moment;
	*event = (struct read_event){
		.kind = STORAGE_EVENT_READ,
		.flags = flags,
		.pid = process_of(task),
		.tid = number_of(task),
		.time_ns = bpf_ktime_get_ns(),
		.page = index,
		.page_count = count,
		.inode = inode->i_ino,
		.device = device_of_file(inode),
		.call = call,
	};
	if (!(flags & STORAGE_EVENT_METADATA))
		tell_file(inode, event->inode, event->device);
	return 0;
}

/** The last pages of a task that ends. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(end_reading, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (state)
		tell_reading(&state->reading);
	return 0;
}

/** Mark the rest of this fault or call as read while the task goes on. Since Linux 6.18. */
SEC("tp_btf/page_cache_async_ra")
int BPF_PROG(begin_async, struct inode *inode)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	__u32 call;

	if (!state)
		return 0;
	activity_of(state, task, &call);
	state->reading.async_inode = (__u64)inode;
	state->reading.async_moment = moment_of(state, call);
	return 0;
}

SEC("tp_btf/page_cache_sync_ra")
int BPF_PROG(begin_sync, struct inode *inode)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	if (state)
		state->reading.async_inode = 0;
	return 0;
}
