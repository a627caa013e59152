// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
// Records of the kernel side about storage, beside bpf/fault_event.h: fixed sizes, no padding.
#pragma once

#ifdef __bpf__
#include "bpf/kernel/vmlinux_min.h"
#else
#include <linux/types.h>
#endif

enum {
	STORAGE_EVENT_PARTS = 16,
	STORAGE_EVENT_NO_CALL = ~0u,
};

/** First word of every record; none is a fault_event_kind. */
enum storage_event_kind {
	STORAGE_EVENT_READ = 32,
	STORAGE_EVENT_REQUEST,
	STORAGE_EVENT_DONE,
	STORAGE_EVENT_PATH,
};

/** As enum trace_read_flag has them. */
enum storage_event_flag {
	STORAGE_EVENT_FAULT = 1 << 0,
	STORAGE_EVENT_CALL = 1 << 1,
	STORAGE_EVENT_EXEC = 1 << 2,
	STORAGE_EVENT_ASYNC = 1 << 3,
	STORAGE_EVENT_FILE = 1 << 4,
	STORAGE_EVENT_METADATA = 1 << 5,
	STORAGE_EVENT_RAHEAD = 1 << 6,
};

/** A recorded task brought pages of a file into the page cache. */
struct read_event {
	__u32 kind; // STORAGE_EVENT_READ
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u64 time_ns;
	__u64 page;
	__u64 page_count;
	__u64 inode;
	__u32 device; // as the kernel writes it: the major number above 20 bits of minor
	__u32 call;
};
_Static_assert(sizeof(struct read_event) == 56, "read_event has padding");

/** The part of a request that is of one range of a file. */
struct request_part {
	__u64 inode;
	__u64 offset;
	__u32 device; // of the file system
	__u32 size;
	__u32 flags; // ASYNC, FILE, METADATA
	__u32 reserved;
};

/** A read request was given to its device. Its first part_count parts follow. */
struct request_event {
	__u32 kind;  // STORAGE_EVENT_REQUEST
	__u32 flags; // of all parts
	__u32 pid;   // 0: no recorded task
	__u32 tid;
	__u64 time_ns;
	__u64 request; // tells requests under way apart
	__u64 sector;
	__u32 size;
	__u32 device; // the whole disk
	__u32 call;
	__u32 part_count;
	struct request_part parts[STORAGE_EVENT_PARTS];
};
_Static_assert(sizeof(struct request_event) == 56 + STORAGE_EVENT_PARTS * 32,
	       "request_event has padding");

/** A device has read @size bytes of a request. */
struct done_event {
	__u32 kind; // STORAGE_EVENT_DONE
	__u32 device;
	__u64 time_ns;
	__u64 request;
	__u64 sector;
	__u32 size;
	__u32 left; // bytes that are to come
};
_Static_assert(sizeof(struct done_event) == 40, "done_event has padding");

/**
 * A name of a file that was read. The parts of its path follow, from the root of its file system,
 * the last one first, each FAULT_EVENT_NAME_BYTES long.
 */
struct path_event {
	__u32 kind; // STORAGE_EVENT_PATH
	__u32 part_count;
	__u64 inode;
	__u64 size; // bytes of the file
	__u32 device;
	__u32 mounted; // the device that mountinfo has for its file system
};
_Static_assert(sizeof(struct path_event) == 32, "path_event has padding");
