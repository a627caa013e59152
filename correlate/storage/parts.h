// SPDX-License-Identifier: Apache-2.0
// Requests to storage in parts: of which file and section, in which call, and what the thread was
// doing. Serves storage.c.
#pragma once

#include "base/arena.h"
#include "base/range.h"
#include "base/rangeset.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "correlate/replay/objects.h"
#include "correlate/replay/rows.h"
#include "model/io.h"
#include "trace/trace.h"

/** Bytes of a file that one request delivered. */
struct storage_piece {
	uint64_t offset, size;
	enum model_storage_cause cause;
	enum model_initiator initiator;
};

/** When each thread's last request completed. Zero-initialise. */
struct storage_waits {
	struct u64map by_tid; // tid -> place in ends
	VEC(uint64_t) ends;
};

void storage_waits_deinit(struct storage_waits *waits);

/** Bytes of a file in pages that were mapped, and in those that faults were seen on. */
struct storage_uses {
	struct rangeset mapped, touched;
};

struct storage_file {
	struct model_storage_file row;
	VEC(struct storage_piece) pieces;
	struct rangeset read;	     // bytes of the file
	struct rangeset faulted;     // of these: read by faults, also ahead of them
	struct storage_uses counted; // by faults that are counted
	struct storage_uses whole;   // by all; empty: the same
	struct storage_waits waits;
	bool is_wanted; // it belongs into the answer
};

/** Return the uses of @file by the whole run. */
static inline const struct storage_uses *storage_file_whole(const struct storage_file *file)
{
	return file->whole.mapped.list.count > 0 ? &file->whole : &file->counted;
}

struct storage_files {
	VEC(struct storage_file) list;
	struct u64map by_inode;	 // hash of (device, inode) -> place in list + 1
	struct u64map by_object; // object -> place in list + 1
	struct u64map objects;	 // hash of (device, inode) -> object + 1
	struct u64map paths;	 // hash of a path -> object + 1
	struct u64map names;	 // hash of (device, inode) -> place in trace->paths + 1
	struct u64map by_fault;	 // the same -> place in trace->reads + 1 of the first by a fault
	const struct trace *trace;
	const struct objects *mapped;
	const struct model_thread *threads;
	const struct all_faults *faults;
};

void storage_files_init(struct storage_files *files, const struct objects *objects,
			const struct model_thread *threads, const struct trace *trace,
			const struct all_faults *faults);
void storage_files_deinit(struct storage_files *files);

/** The file with this inode, added when new. Moves the list. */
struct storage_file *storage_files_find(struct storage_files *files, uint64_t device,
					uint64_t inode);

/** The file that this object shows, added when new. Moves the list. */
struct storage_file *storage_files_of_object(struct storage_files *files, uint32_t object);

/** Zero-initialise; release with storage_calls_deinit(). */
struct storage_calls {
	VEC(struct model_storage_call) list;
	struct u64map by_number; // name's number -> place in list + 1
};

/** Count a part of a request, if it was made in a system call. */
void storage_calls_add(struct storage_calls *calls, const struct trace_request *part,
		       const char *name, enum model_storage_cause cause);

/** Sort them, and hand them over to @arena. */
void storage_calls_fill(struct storage_calls *calls, struct arena *arena,
			struct model_storage *storage);

void storage_calls_deinit(struct storage_calls *calls);

/** Count the calls that @trace tells of alone for the file that they read first, if it is known. */
void filecalls_count(struct storage_files *files, const struct trace *trace);

/** A fault that storage was read in, or a pause with a known stack. Times are as in the trace. */
struct deed {
	uint64_t start_ns, end_ns;
	uint32_t tid;
	uint32_t call; // of a pause: the system call that it was in; UINT32_MAX: none
	const struct model_fault *what; // in what was given to doing_init()
};

/** Both sorted by thread, then time. */
struct doing {
	VEC(struct deed) faults;
	VEC(struct deed) pauses;
	struct u64map workers;	// threads of the kernel's in the program, as io_uring has them
	struct u64map programs; // pid -> place in main_ns
	VEC(uint64_t) main_ns;	// when main was first seen to run
};

/** @faults and @moments have their initiators, and are borrowed. Release with doing_deinit(). */
void doing_init(struct doing *doing, const struct model_thread *threads, const struct trace *trace,
		const struct all_faults *faults, const struct all_moments *moments);
void doing_deinit(struct doing *doing);

/**
 * Return the fault or moment within which @read of a recorded task was requested; NULL: unknown.
 * O(log n).
 */
const struct model_fault *doing_at(const struct doing *doing, const struct trace_read *read);

/**
 * True if a thread of the kernel's asked for @read on behalf of its process, after main has been
 * seen to run there: by the rule of faults, this is the program's doing.
 */
bool doing_by_worker(const struct doing *doing, const struct trace_read *read);

/** Calls that return when a file is written, as parts of no request, by their start.
 * Zero-initialise. */
struct storage_flushes {
	VEC(struct trace_request) list;
	size_t next; // the first that was not counted
};

void storage_flushes_init(struct storage_flushes *flushes, const struct trace *trace);

/** How long the thread of @flush waited in it. */
uint64_t storage_flush_wait(const struct trace *trace, const struct trace_request *flush);

/** The way from what was read @before to @bytes; both in a file, or on a disk. */
enum model_direction storage_direction(struct range before, struct range bytes);

struct storage_sums {
	uint64_t bytes[MODEL_STORAGE_CAUSES][MODEL_INITIATORS];
};

struct storage_parts {
	VEC(struct model_storage_part) list;
};

/** Sum up the bytes of @within that requests delivered of the file. */
struct storage_sums storage_sums_of(const struct storage_file *file, struct range within);

/** Take @part, of which it has at least as much, from @sums. */
void storage_sums_take(struct storage_sums *sums, const struct storage_sums *part);

/** @file: NULL: of no file. @section: kept. */
void storage_parts_add(struct storage_parts *parts, const struct storage_file *file,
		       const char *section, const struct storage_sums *sums);

/** Sort the parts, hand them to @storage and add them up by initiator. */
void storage_parts_fill(struct storage_parts *parts, struct arena *arena,
			struct model_storage *storage);

/**
 * Fill the tables of files, sections and parts of @storage from @files, whose sets it settles.
 * @of_no_file: what was delivered beside them
 */
void storage_sections_fill(struct arena *arena, struct objects *objects,
			   struct storage_files *files, const struct storage_sums *of_no_file,
			   struct model_storage *storage);

/** An operation while requests are counted. */
struct storage_io {
	const struct trace_request *part; // with what its read tells
	const struct model_fault *what;	  // in which it was asked for; NULL: unknown
	enum model_storage_cause cause;
	enum model_initiator initiator;
	uint32_t file; // into the list of files; MODEL_NONE: of none
	uint64_t wait_ns;
	bool is_counted; // it is of the window
};

/** Operations in the order of requests; the three pointers are set by whoever makes it. */
struct storage_ios {
	struct rows *rows;
	const struct trace *trace;
	const struct all_faults *faults;
	VEC(struct model_io) list;
	VEC(uint32_t) files; // beside list
	VEC(const char *) calls;
	VEC(struct model_thread) threads; // that the model has no row of
	struct u64map by_call;		  // call's number -> place in calls + 1
	struct u64map by_thread;	  // pid and tid -> index of the thread + 1
	uint64_t request_count;
	const struct model_ip *nowhere;
};

/** One that is not counted is only learned from. */
void storage_ios_add(struct storage_ios *ios, const struct storage_io *io);

/** Fill the model's ios. @files: after storage_sections_fill() */
void storage_ios_fill(struct storage_ios *ios, struct storage_files *files);

void storage_ios_deinit(struct storage_ios *ios);
