// SPDX-License-Identifier: Apache-2.0
// What storage delivered while the command ran, and for what. Part of the model: plain data.
#pragma once

#include "model/model.h"

/** What bytes of storage were read for; those of one request may be for several. */
enum model_storage_cause {
	MODEL_STORAGE_FAULT,	 // a fault, with its synchronous read-ahead
	MODEL_STORAGE_READAHEAD, // asynchronous read-ahead, which a fault or read() started
	MODEL_STORAGE_READ,	 // read() and its like, madvise(), readahead()
	MODEL_STORAGE_EXEC,	 // execve() reads headers
	MODEL_STORAGE_METADATA,	 // directories, inodes, the file system's own blocks
	MODEL_STORAGE_OTHERS,	 // other processes
	MODEL_STORAGE_CAUSES,
};

/** A section of a file, or a file that is not ELF: how much was read, mapped and touched. */
struct model_storage_section {
	uint32_t object;     // into model.objects; MODEL_NONE: the file was never mapped
	const char *path;    // of the file
	const char *section; // NULL: the whole file
	uint64_t size;	     // bytes in the file
	uint64_t read;	     // bytes that storage delivered, at page grain
	uint64_t mapped;     // bytes in pages that some process had mapped
	uint64_t touched;    // bytes in pages that faults were seen on
};

/** A file that was read from storage. */
struct model_storage_file {
	const char *path; // NULL: unknown
	uint32_t object;  // into model.objects, or MODEL_NONE
	uint64_t size;
	uint64_t bytes; // that storage delivered
	uint64_t requests;
	uint64_t wait_ns; // threads waited for them
	uint64_t by_cause[MODEL_STORAGE_CAUSES];
};

/** NULL in a model whose trace has no record of storage. */
struct model_storage {
	bool complete;
	uint64_t device_bytes; // by the device's own requests; by_cause adds up to it
	uint64_t by_cause[MODEL_STORAGE_CAUSES];
	uint64_t requests;
	uint64_t request_ns;		    // their latencies added up
	uint64_t forward, backward, random; // requests by where they lie after the one before
	const struct model_storage_section *sections; // most bytes read first, then path and offset
	size_t section_count;
	const struct model_storage_file *files; // most bytes first, then path
	size_t file_count;
};
