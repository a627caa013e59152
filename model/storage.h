// SPDX-License-Identifier: Apache-2.0
// Bytes that storage delivered while the command ran, and their causes. Part of the model: plain
// data.
#pragma once

#include "model/model.h"

/** Causes of operations of storage; one request may have several. */
enum model_storage_cause { STORAGE_WORDS(WORD_IDENTIFIER) MODEL_STORAGE_CAUSES };

/** A section of a file, or a file that is not ELF: how much was read, mapped and touched. */
struct model_storage_section {
	uint32_t object;     // into model.objects; MODEL_NONE: the file was never mapped
	const char *path;    // of the file; NULL: unknown
	const char *section; // NULL: the whole file; "[padding]": what is of no section
	uint64_t size;	     // bytes in the file
	uint64_t read;	     // of these: that storage delivered, whatever for
	uint64_t mapped;     // in pages that were mapped: touched, or with one that was
	uint64_t touched;    // in pages that faults were seen on
};

/** A file that was read from storage for a recorded task, or that one mapped. */
struct model_storage_file {
	const char *path; // NULL: unknown
	uint32_t object;  // into model.objects, or MODEL_NONE
	uint64_t size;	  // 0: unknown
	uint64_t bytes;	  // that storage delivered; more than size where it did so twice
	uint64_t requests;
	uint64_t wait_ns; // recorded threads waited for them, read-ahead apart
	uint64_t by_cause[MODEL_STORAGE_CAUSES];
	// As of a section. unused: read by faults, also ahead of them, and in no page that was
	// mapped. What read() took is not known by page.
	uint64_t read, mapped, touched, unused;
	// System calls that brought pages of it into memory, the first of theirs: how many, and how
	// long they took. 0 where they were not timed.
	uint64_t calls, call_ns;
};

/** A disk: what its requests read, and by how much the kernel's own counter grew. */
struct model_storage_device {
	const char *name;
	uint64_t bytes, requests;
	bool has_counted;		      // of a window it is not known
	uint64_t counted_least, counted_most; // looked at before and after begin and end
};

/** Bytes that recorded tasks read within one system call, read-ahead and metadata included. */
struct model_storage_call {
	const char *name;	  // NULL: unknown, or of 32 bits
	uint64_t bytes, metadata; // metadata: of bytes
	uint64_t requests;
};

/** Bytes that storage delivered from one place, for one cause, because of one initiator. */
struct model_storage_part {
	const char *path;    // NULL: of no file, or of one whose path is unknown
	const char *section; // as in struct model_storage_section
	uint32_t object;     // into model.objects, or MODEL_NONE
	enum model_storage_cause cause;
	enum model_initiator initiator; // of what asked for them; of other processes unknown
	uint64_t bytes;
};

/** NULL in a model whose trace has no record of storage. */
struct model_storage {
	bool complete;	       // nothing was lost, and bytes are what each device's counter says
	uint64_t device_bytes; // by the device's own requests; by_cause adds up to it
	uint64_t by_cause[MODEL_STORAGE_CAUSES];
	// By the work of the thread that asked for them: the fault's, or as the stack says where
	// it waited in the call. Adds up to device_bytes less those of others.
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t requests, other_requests; // other_: of these, nothing of recorded tasks
	uint64_t lost;			   // records of requests that were dropped
	uint64_t request_ns;		   // their latencies added up
	// Those of recorded tasks, by where they lie after the one before on the same device:
	// behind or before it at a distance of at most 1 MiB, or anywhere else.
	uint64_t forward, backward, random;
	// Calls that waited until a file was written (MODEL_STORAGE_FLUSH), and how long.
	uint64_t flushes, flush_ns;
	uint64_t median_size;			      // of these, in bytes
	const struct model_storage_section *sections; // most bytes read first, then path and offset
	size_t section_count;
	const struct model_storage_file *files; // most bytes first, then path
	size_t file_count;
	const struct model_storage_call *calls; // most bytes first, then name
	size_t call_count;
	const struct model_storage_device *devices; // by number
	size_t device_count;
	const struct model_storage_part *parts; // add up to device_bytes; most bytes first
	size_t part_count;
};

/** "fault", "readahead", "read", "exec", "metadata", "others": the ends of JSON's keys. */
const char *model_storage_cause_name(enum model_storage_cause cause);

/** "faults", "read-ahead", "read calls" ...: what a person reads beside the bytes. */
const char *model_storage_cause_text(enum model_storage_cause cause);
