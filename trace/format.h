// SPDX-License-Identifier: Apache-2.0
// The bytes of a binary trace: written by writer.c, checked and read by reader.c.
// docs/trace-format.md is the specification. Every number on disk is little-endian.
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

// The first byte is not ASCII, so no text file starts like a trace.
#define DISK_MAGIC \
	"\x89"     \
	"elfault"
#define DISK_TEXT_WORD "elfault-trace-text"

enum {
	DISK_MAGIC_SIZE = 8,
	DISK_RAW_MAX = 16 << 20,    // bytes of one chunk's content
	DISK_STORED_MAX = 17 << 20, // bytes of one chunk on disk: content that zstd made larger
	DISK_RATIO_MAX = 256,	    // content is at most this many times what is stored
	DISK_CHUNK_TARGET = 1 << 20,
};

/** Size of an absent string. */
#define DISK_NO_STRING UINT32_MAX

enum disk_chunk_type {
	DISK_CHUNK_META = 1,
	DISK_CHUNK_FAULTS = 2,
	DISK_CHUNK_MAPPINGS = 3,
	DISK_CHUNK_REMAPS = 4,
	DISK_CHUNK_TASKS = 5,
	DISK_CHUNK_STACKS = 6,
	DISK_CHUNK_NOTES = 7,
	DISK_CHUNK_SUMMARY = 8,
	DISK_CHUNK_FILES = 9,
	DISK_CHUNK_CONTENTS = 10,
	DISK_CHUNK_PAUSES = 11,
	DISK_CHUNK_SAMPLES = 12,
	DISK_CHUNK_READS = 13,
	DISK_CHUNK_REQUESTS = 14,
	DISK_CHUNK_PATHS = 15,
	DISK_CHUNK_DEVICES = 16,
	DISK_CHUNK_TYPES,
};

/** Bytes of a record of each type, as written today. */
extern const uint32_t disk_record_sizes[DISK_CHUNK_TYPES];

enum disk_chunk_flag {
	DISK_CHUNK_ZSTD = 1 << 0, // stored as one zstd frame, otherwise as it is
	DISK_CHUNK_COLUMNS =
		1 << 1, // records lie transposed: all first bytes, all second bytes, ...
	DISK_CHUNK_FLAGS = DISK_CHUNK_ZSTD | DISK_CHUNK_COLUMNS,
};

struct disk_file_header {
	uint8_t magic[DISK_MAGIC_SIZE];
	uint32_t version;
	uint32_t reserved; // 0
	uint64_t hash;	   // xxh64, seed 0, of the bytes before it
};
_Static_assert(sizeof(struct disk_file_header) == 24, "file header is 24 bytes");

/** Precedes the stored bytes. The content is records of one size, then their tails. */
struct disk_chunk_header {
	uint32_t type;
	uint32_t flags;
	uint32_t stored_size; // bytes that follow this header
	uint32_t raw_size;    // bytes of content
	uint32_t record_size; // may grow: known fields come first
	uint32_t record_count;
	uint64_t stored_hash; // xxh64, seed 0, of the stored bytes
	uint64_t header_hash; // xxh64, seed 0, of the header before this field
};
_Static_assert(sizeof(struct disk_chunk_header) == 40, "chunk header is 40 bytes");

enum disk_meta_flag {
	DISK_META_ATTACHED = 1 << 0,
	DISK_META_HAS_STACKS = 1 << 1,
	DISK_META_HAS_READS = 1 << 2,
	DISK_META_HAS_PAUSES = 1 << 3,
	DISK_META_HAS_SAMPLES = 1 << 4,
	DISK_META_HAS_STORAGE = 1 << 5,
};

/** Tail: backend, kernel, machine, producer, then the command's words, each ended by a NUL. */
struct disk_meta {
	uint64_t start_ns;
	uint64_t start_unix_ns;
	uint32_t page_size;
	uint32_t root_pid;
	uint32_t flags;
	uint32_t tail_size;
	uint32_t backend_size, kernel_size, machine_size, producer_size;
	uint32_t command_count;
	uint32_t command_size;
};
_Static_assert(sizeof(struct disk_meta) == 56, "meta record is 56 bytes");

struct disk_fault {
	uint64_t time_ns;
	uint64_t duration_ns;
	uint64_t addr;
	uint64_t ip;
	uint64_t sp;
	uint64_t around_offset;
	uint32_t around_pages;
	uint32_t pid, tid;
	uint32_t stack;
	uint32_t error_code;
	uint32_t flags; // trace_fault_flag
	// Not in traces of elfault 0.1.0 and before.
	uint64_t read_offset;
	uint32_t read_pages;
	uint32_t read_span;
};
_Static_assert(sizeof(struct disk_fault) == 88, "fault record is 88 bytes");

enum disk_mapping_flag { DISK_MAPPING_SHARED = 1 << 0 };

/** Tail: the path, without a NUL. */
struct disk_mapping {
	uint64_t time_ns;
	uint64_t addr, size;
	uint64_t offset;
	uint64_t device, inode;
	uint32_t pid, tid;
	uint32_t protection;
	uint32_t flags;
	uint32_t path_size;
	uint32_t tail_size;
	uint32_t build_id_size;
	uint8_t build_id[20];
	// Not in traces of elfault 0.1.0 and before.
	uint32_t file;
	uint32_t reserved;
};
_Static_assert(sizeof(struct disk_mapping) == 104, "mapping record is 104 bytes");

struct disk_file {
	uint32_t id;
	uint32_t flags; // trace_file_flag
	uint64_t device, inode;
	uint64_t size;
	uint64_t mtime_ns;
	uint64_t hash;
};
_Static_assert(sizeof(struct disk_file) == 48, "file record is 48 bytes");

/** Tail: the bytes. */
struct disk_content {
	uint32_t file;
	uint32_t tail_size;
	uint64_t offset;
	uint32_t size;
	uint32_t reserved;
};
_Static_assert(sizeof(struct disk_content) == 24, "content record is 24 bytes");

enum disk_remap_flag { DISK_REMAP_KEEPS_OLD = 1 << 0 };

struct disk_remap {
	uint64_t time_ns;
	uint64_t old_addr, old_size;
	uint64_t new_addr, new_size;
	uint32_t pid, tid;
	uint32_t flags;
	uint32_t reserved;
};
_Static_assert(sizeof(struct disk_remap) == 56, "remap record is 56 bytes");

enum disk_task_flag { DISK_TASK_HAS_COUNTS = 1 << 0 };

struct disk_task {
	uint64_t time_ns;
	uint64_t kernel_minor, kernel_major;
	uint64_t seen;
	uint32_t kind; // trace_task_kind
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid;
	uint32_t flags;
	char comm[16]; // NUL-terminated, NULs to the end
};
_Static_assert(sizeof(struct disk_task) == 72, "task record is 72 bytes");

struct disk_pause {
	uint64_t time_ns, woken_ns, back_ns;
	uint64_t runtime_ns, delay_ns;
	uint32_t pid, tid;
	uint32_t waker_pid, waker_tid;
	uint32_t call;
	uint32_t stack;
	uint32_t flags; // trace_pause_flag
	uint32_t reserved;
};
_Static_assert(sizeof(struct disk_pause) == 72, "pause record is 72 bytes");

struct disk_sample {
	uint64_t time_ns, period_ns;
	uint64_t ip;
	uint32_t pid, tid;
	uint32_t stack;
	uint32_t flags; // trace_sample_flag
};
_Static_assert(sizeof(struct disk_sample) == 40, "sample record is 40 bytes");

enum disk_stack_flag { DISK_STACK_TRUNCATED = 1 << 0, DISK_STACK_COMPLETE = 1 << 1 };

/** Tail: frame_count addresses of 8 bytes. */
struct disk_stack {
	uint32_t id;
	uint32_t frame_count;
	uint32_t flags;
	uint32_t tail_size;
};
_Static_assert(sizeof(struct disk_stack) == 16, "stack record is 16 bytes");

/** Tail: the text, without a NUL. */
struct disk_note {
	uint64_t count;
	uint32_t text_size;
	uint32_t tail_size;
};
_Static_assert(sizeof(struct disk_note) == 16, "note record is 16 bytes");

enum disk_summary_flag { DISK_SUMMARY_HAS_RUSAGE = 1 << 0, DISK_SUMMARY_HAS_UNSAMPLED = 1 << 1 };

struct disk_summary {
	uint64_t end_ns;
	uint64_t recorded;
	uint64_t lost, lost_other;
	uint64_t before_exec;
	uint64_t unsampled;
	uint64_t stacks_lost;
	uint64_t rusage_minor, rusage_major;
	uint32_t flags;
	uint32_t exit_status; // two's complement
	// Not in traces of elfault 0.1.0 and before.
	uint64_t pauses_lost;
	uint64_t storage_lost;
	uint64_t samples_lost;
};
_Static_assert(sizeof(struct disk_summary) == 104, "summary record is 104 bytes");

struct disk_read {
	uint64_t time_ns;
	uint64_t device, inode;
	uint64_t offset, size;
	uint32_t pid, tid;
	uint32_t call;
	uint32_t flags; // trace_read_flag
};
_Static_assert(sizeof(struct disk_read) == 56, "read record is 56 bytes");

struct disk_request {
	uint64_t time_ns;
	uint64_t duration_ns;
	uint64_t device;
	uint64_t sector;
	uint64_t file_device;
	uint64_t inode, offset;
	uint32_t size;
	uint32_t pid, tid;
	uint32_t call;
	uint32_t flags; // trace_read_flag
	uint32_t reserved;
};
_Static_assert(sizeof(struct disk_request) == 80, "request record is 80 bytes");

/** Tail: the path, without a NUL. */
struct disk_path {
	uint64_t device, inode;
	uint64_t size;
	uint32_t path_size;
	uint32_t tail_size;
};
_Static_assert(sizeof(struct disk_path) == 32, "path record is 32 bytes");

/** Tail: the name, without a NUL. */
struct disk_device {
	uint64_t device;
	uint64_t least, most;
	uint32_t name_size;
	uint32_t tail_size;
};
_Static_assert(sizeof(struct disk_device) == 32, "device record is 32 bytes");
