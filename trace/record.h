// SPDX-License-Identifier: Apache-2.0
// The records of a binary trace, as they lie on disk. Of each kind one list of fields gives the
// layout, disk_KIND_put(), which makes the record of an event, and disk_KIND_get(), which makes the
// event of a record. docs/inside/trace-format.md is the specification.
#pragma once

#include "trace/format.h"
#include "trace/trace.h"

// In a list, N64 and N32 are numbers that the event has under the same name. OWN is a member of the
// record alone: put() leaves it 0, get() passes it over, and writer.c and reader.c see to it.
#define DISK_LAY_64(member)	  uint64_t member;
#define DISK_LAY_32(member)	  uint32_t member;
#define DISK_LAY_OWN(declaration) declaration;
#define DISK_PUT_64(member)	  .member = htole64(event->member),
#define DISK_PUT_32(member)	  .member = htole32(event->member),
#define DISK_GET_64(member)	  .member = le64toh(disk->member),
#define DISK_GET_32(member)	  .member = le32toh(disk->member),
#define DISK_PASS_OVER(declaration)

#define DISK_RECORD(kind, bytes, event_type, FIELDS)                                             \
	struct disk_##kind {                                                                     \
		FIELDS(DISK_LAY_64, DISK_LAY_32, DISK_LAY_OWN)                                   \
	};                                                                                       \
	_Static_assert(sizeof(struct disk_##kind) == (bytes),                                    \
		       #kind " record of " #bytes " bytes");                                     \
	static inline struct disk_##kind disk_##kind##_put(const struct event_type *event)       \
	{                                                                                        \
		return (struct disk_##kind){ FIELDS(DISK_PUT_64, DISK_PUT_32, DISK_PASS_OVER) }; \
	}                                                                                        \
	static inline struct event_type disk_##kind##_get(const struct disk_##kind *disk)        \
	{                                                                                        \
		return (struct event_type){ FIELDS(DISK_GET_64, DISK_GET_32, DISK_PASS_OVER) };  \
	}                                                                                        \
	struct disk_##kind

/** Facts about the records of one type of chunk. */
struct disk_kind {
	const char *name; // of one
	uint32_t size;	  // bytes, as written today
	uint32_t least;	  // the least that is read: fields that were appended since are 0 then
};

extern const struct disk_kind disk_kinds[DISK_CHUNK_TYPES];

enum disk_meta_flag {
	DISK_META_ATTACHED = 1 << 0,
	DISK_META_HAS_STACKS = 1 << 1,
	DISK_META_HAS_READS = 1 << 2,
	DISK_META_HAS_PAUSES = 1 << 3,
	DISK_META_HAS_SAMPLES = 1 << 4,
	DISK_META_HAS_STORAGE = 1 << 5,
	DISK_META_SAMPLES_USER_ONLY = 1 << 6,
	DISK_META_HAS_CALLS = 1 << 7,
	DISK_META_TIMES_ARE_ORDER = 1 << 8,
	DISK_META_STACKS_HAVE_GAPS = 1 << 9,
	DISK_META_KINDS_UNKNOWN = 1 << 10,
	DISK_META_HAS_COSTS = 1 << 11,
	DISK_META_HAS_OPENS = 1 << 12,
};

enum disk_mapping_flag { DISK_MAPPING_SHARED = 1 << 0 };
enum disk_remap_flag { DISK_REMAP_KEEPS_OLD = 1 << 0 };
enum disk_task_flag { DISK_TASK_HAS_COUNTS = 1 << 0 };
enum disk_stack_flag {
	DISK_STACK_TRUNCATED = 1 << 0,
	DISK_STACK_COMPLETE = 1 << 1,
	DISK_STACK_ELSEWHERE = 1 << 2,
};
enum disk_summary_flag {
	DISK_SUMMARY_HAS_RUSAGE = 1 << 0,
	DISK_SUMMARY_HAS_UNSAMPLED = 1 << 1,
	DISK_SUMMARY_HAS_UNRECORDED = 1 << 2,
};

// Lists read better as the lines of a struct.
// clang-format off

/**
 * Tail: backend, kernel, machine, producer, then the command's words, each ended by a NUL; host,
 * and the labels likewise, and the cgroup. Those from host_size on are not in traces of elfault 0.1.0 and before. costs_ns has
 * the trace_costs, and one to spare.
 */
#define META_FIELDS(N64, N32, OWN)                                                    \
	N64(start_ns) N64(start_unix_ns)                                              \
	N32(page_size) N32(root_pid)                                                  \
	OWN(uint32_t flags) OWN(uint32_t tail_size)                                   \
	OWN(uint32_t backend_size) OWN(uint32_t kernel_size)                          \
	OWN(uint32_t machine_size) OWN(uint32_t producer_size)                        \
	OWN(uint32_t command_count) OWN(uint32_t command_size)                        \
	OWN(uint32_t host_size)                                                       \
	OWN(uint32_t label_count) OWN(uint32_t labels_size)                           \
	N32(sample_hz)                                                                \
	N64(plain_wall_ns) N64(plain_user_ns) N64(plain_system_ns)                    \
	N64(plain_minor) N64(plain_major)                                             \
	OWN(uint32_t sample_cost_ns) OWN(uint32_t cgroup_size)                        \
	OWN(uint32_t costs_ns[8])
DISK_RECORD(meta, 152, trace_meta, META_FIELDS);

/** Those from read_offset on are not in traces of elfault 0.1.0 and before. */
#define FAULT_FIELDS(N64, N32, OWN)                                                   \
	N64(time_ns) N64(duration_ns)                                                 \
	N64(addr) N64(ip) N64(sp)                                                     \
	N64(around_offset) N32(around_pages)                                          \
	N32(pid) N32(tid)                                                             \
	N32(stack) N32(error_code) N32(flags)                                         \
	N64(read_offset) N32(read_pages) N32(read_span)                               \
	N32(program_ns) N32(reserved)
DISK_RECORD(fault, 96, trace_fault, FAULT_FIELDS);

/** Tail: the path, without a NUL. `file` is not in traces of elfault 0.1.0 and before. */
#define MAPPING_FIELDS(N64, N32, OWN)                                                 \
	N64(time_ns)                                                                  \
	N64(addr) N64(size) N64(offset)                                               \
	N64(device) N64(inode)                                                        \
	N32(pid) N32(tid)                                                             \
	N32(protection) OWN(uint32_t flags)                                           \
	OWN(uint32_t path_size) OWN(uint32_t tail_size)                               \
	OWN(uint32_t build_id_size) OWN(uint8_t build_id[20])                         \
	N32(file) OWN(uint32_t reserved)
DISK_RECORD(mapping, 104, trace_mapping, MAPPING_FIELDS);

#define FILE_FIELDS(N64, N32, OWN)                                                    \
	N32(id) N32(flags)                                                            \
	N64(device) N64(inode)                                                        \
	N64(size) N64(mtime_ns) N64(hash)
DISK_RECORD(file, 48, trace_identity, FILE_FIELDS);

/** Tail: the bytes. */
#define CONTENT_FIELDS(N64, N32, OWN)                                                 \
	N32(file) OWN(uint32_t tail_size)                                             \
	N64(offset) N32(size) OWN(uint32_t reserved)
DISK_RECORD(content, 24, trace_content, CONTENT_FIELDS);

#define REMAP_FIELDS(N64, N32, OWN)                                                   \
	N64(time_ns)                                                                  \
	N64(old_addr) N64(old_size)                                                   \
	N64(new_addr) N64(new_size)                                                   \
	N32(pid) N32(tid)                                                             \
	OWN(uint32_t flags) OWN(uint32_t reserved)
DISK_RECORD(remap, 56, trace_remap, REMAP_FIELDS);

/** comm ends with NULs, at least one. */
#define TASK_FIELDS(N64, N32, OWN)                                                    \
	N64(time_ns)                                                                  \
	N64(kernel_minor) N64(kernel_major) N64(seen)                                 \
	N32(kind) N32(pid) N32(tid) N32(parent_pid) N32(parent_tid)                   \
	OWN(uint32_t flags) OWN(char comm[16])
DISK_RECORD(task, 72, trace_task, TASK_FIELDS);

#define PAUSE_FIELDS(N64, N32, OWN)                                                   \
	N64(time_ns) N64(woken_ns) N64(back_ns)                                       \
	N64(runtime_ns) N64(delay_ns)                                                 \
	N32(pid) N32(tid) N32(waker_pid) N32(waker_tid)                               \
	N32(call) N32(stack) N32(flags) N32(recorder_ns)
DISK_RECORD(pause, 72, trace_pause, PAUSE_FIELDS);

#define SAMPLE_FIELDS(N64, N32, OWN)                                                  \
	N64(time_ns) N64(period_ns) N64(ip)                                           \
	N32(pid) N32(tid) N32(stack) N32(flags)                                       \
	N32(program_ns) N32(reserved)
DISK_RECORD(sample, 48, trace_sample, SAMPLE_FIELDS);

/** Tail: frame_count addresses of 8 bytes. */
#define STACK_FIELDS(N64, N32, OWN)                                                   \
	N32(id) N32(frame_count) OWN(uint32_t flags) OWN(uint32_t tail_size)          \
	N64(shown_start) N64(shown_end)
DISK_RECORD(stack, 32, trace_stack, STACK_FIELDS);

#define READ_FIELDS(N64, N32, OWN)                                                    \
	N64(time_ns)                                                                  \
	N64(device) N64(inode) N64(offset) N64(size)                                  \
	N32(pid) N32(tid) N32(call) N32(flags)
DISK_RECORD(read, 56, trace_read, READ_FIELDS);

#define REQUEST_FIELDS(N64, N32, OWN)                                                 \
	N64(time_ns) N64(duration_ns)                                                 \
	N64(device) N64(sector)                                                       \
	N64(file_device) N64(inode) N64(offset)                                       \
	N32(size) N32(pid) N32(tid) N32(call) N32(flags) OWN(uint32_t reserved)
DISK_RECORD(request, 80, trace_request, REQUEST_FIELDS);

#define CALL_FIELDS(N64, N32, OWN)                                                    \
	N64(time_ns) N64(duration_ns)                                                 \
	N32(pid) N32(tid) N32(call) N32(count)                                        \
	N32(flags) OWN(uint32_t reserved)
DISK_RECORD(call, 40, trace_call, CALL_FIELDS);

#define PREFAULT_FIELDS(N64, N32, OWN)                                                \
	N64(time_ns) N64(addr) N64(size) N64(count)                                   \
	N32(pid) N32(tid) N32(call) OWN(uint32_t reserved)
DISK_RECORD(prefault, 48, trace_prefault, PREFAULT_FIELDS);

/** Tail: the word, without a NUL. */
#define ARGUMENT_FIELDS(N64, N32, OWN)                                                \
	N64(time_ns)                                                                  \
	N32(pid) N32(index) N32(flags)                                                \
	OWN(uint32_t text_size) OWN(uint32_t tail_size) OWN(uint32_t reserved)
DISK_RECORD(argument, 32, trace_argument, ARGUMENT_FIELDS);

/** Tail: the path, without a NUL. */
#define OPEN_FIELDS(N64, N32, OWN)                                                    \
	N64(time_ns) N64(duration_ns) N64(ip)                                         \
	N32(pid) N32(tid) N32(call) N32(error) N32(flags)                             \
	OWN(uint32_t path_size) OWN(uint32_t tail_size) OWN(uint32_t reserved)
DISK_RECORD(open, 56, trace_open, OPEN_FIELDS);

#define FLUSH_FIELDS(N64, N32, OWN)                                                   \
	N64(time_ns) N64(duration_ns) N64(addr) N64(size)                             \
	N64(device) N64(inode) N64(offset)                                            \
	N32(pid) N32(tid) N32(call) N32(error)
DISK_RECORD(flush, 72, trace_flush, FLUSH_FIELDS);

/** Tail: name and condition, without NULs. */
#define MARK_FIELDS(N64, N32, OWN)                                                    \
	N64(time_ns)                                                                  \
	N32(pid) N32(tid) N32(flags)                                                  \
	OWN(uint32_t name_size) OWN(uint32_t condition_size) OWN(uint32_t tail_size)
DISK_RECORD(mark, 32, trace_mark, MARK_FIELDS);

/** Tail: the path, without a NUL. */
#define PATH_FIELDS(N64, N32, OWN)                                                    \
	N64(device) N64(inode) N64(size)                                              \
	OWN(uint32_t path_size) OWN(uint32_t tail_size)
DISK_RECORD(path, 32, trace_path, PATH_FIELDS);

/** Tail: the name, without a NUL. */
#define ROOT_FIELDS(N64, N32, OWN)                                                    \
	N32(file)                                                                     \
	OWN(uint32_t name_size) OWN(uint32_t tail_size) OWN(uint32_t reserved)
DISK_RECORD(root, 16, trace_root, ROOT_FIELDS);

/** Tail: the name, without a NUL. */
#define DEVICE_FIELDS(N64, N32, OWN)                                                  \
	N64(device) N64(least) N64(most)                                              \
	OWN(uint32_t name_size) OWN(uint32_t tail_size)
DISK_RECORD(device, 32, trace_device, DEVICE_FIELDS);

/** Tail: the text, without a NUL. */
#define NOTE_FIELDS(N64, N32, OWN)                                                    \
	N64(count) OWN(uint32_t text_size) OWN(uint32_t tail_size)
DISK_RECORD(note, 16, note, NOTE_FIELDS);

/** exit_status is in two's complement. Those behind it are not in traces of 0.1.0 and before. */
#define SUMMARY_FIELDS(N64, N32, OWN)                                                 \
	N64(end_ns) N64(recorded)                                                     \
	N64(lost) N64(lost_other) N64(before_exec) N64(unsampled) N64(stacks_lost)    \
	N64(rusage_minor) N64(rusage_major)                                           \
	OWN(uint32_t flags) OWN(uint32_t exit_status)                                 \
	N64(pauses_lost) N64(storage_lost) N64(samples_lost) N64(calls_lost)          \
	N64(hidden) N64(unseen_programs) N64(exec_unsampled)
DISK_RECORD(summary, 136, trace_summary, SUMMARY_FIELDS);

// clang-format on
