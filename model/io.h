// SPDX-License-Identifier: Apache-2.0
// Operations of storage: each range of a file, or of blocks of no file, that a request delivered,
// with who asked and why. Part of the model, where asked for: plain data.
#pragma once

#include "model/storage.h"

/** The way from the operation before it in its file; MODEL_DIRECTION_NONE: it is the first there.
 */
enum model_direction { MODEL_DIRECTION_NONE, DIRECTION_WORDS(WORD_IDENTIFIER) MODEL_DIRECTIONS };

struct model_io {
	// The cause: the fault, or the moment at which the thread waited in the call; else
	// as far as it is known. Its place is that of the first byte, its time that of the request.
	// Objects, sections and threads are those of model_io_view().
	struct model_fault what;
	struct model_place at_fault; // with has_fault: touched by it
	uint64_t fault_seq;	     // its position among the faults of the trace
	uint64_t fault_ns;	     // when it began, since the start of the recording
	uint64_t bytes, wait_ns;
	uint64_t mapped, touched; // of bytes
	uint64_t request;	  // its number, of model_io_is_request()
	uint64_t device, sector;  // of the request
	uint32_t call;		  // into model_ios.calls, or MODEL_NONE
	enum model_storage_cause cause;
	enum model_direction direction;
	bool has_uses;	  // mapped and touched are known
	bool has_fault;	  // a fault asked
	bool is_left_out; // by the conditions or OBJECT arguments
};

/** Add up to what model_storage has of bytes, causes, initiators and, by file, waits. */
struct model_ios {
	const struct model_io *items; // in order of time
	size_t count;
	const uint32_t *by_fault; // those with has_fault, by time of it and thread
	size_t by_fault_count;
	// Behind those of the model: files that were never mapped, threads that took no fault.
	const struct model_object *files;
	size_t file_count;
	const struct model_thread *threads;
	size_t thread_count;
	const struct model_section *sections; // of the operations; not those of the model
	size_t section_count;
	const char *const *calls; // names of system calls
	size_t call_count;
};

/**
 * The model of whose rows operations are, with no operations where @model knows none; its arrays
 * are in @arena, and borrowed from @model.
 */
struct model model_io_view(const struct model *model, struct arena *arena);

/** The operation that has @what. */
static inline const struct model_io *model_io_of(const struct model_fault *what)
{
	return (const struct model_io *)what; // the first member
}

/** Find the operations that @fault caused: *@ret_count of ios->by_fault from the result on. */
const uint32_t *model_ios_of_fault(const struct model_ios *ios, const struct model_fault *fault,
				   size_t *ret_count);

/** False of a call that waited until a file was written: no request of a device is known of it. */
static inline bool model_io_is_request(const struct model_io *io)
{
	return io->cause != MODEL_STORAGE_FLUSH;
}

/** "forward", "backward", "random"; NULL for MODEL_DIRECTION_NONE. */
const char *model_direction_name(enum model_direction direction);

/** As model_storage_cause_name(): the words of the list "storage". */
static inline const char *model_storage_name(enum model_storage_cause cause)
{
	return model_storage_cause_name(cause);
}
