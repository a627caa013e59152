// SPDX-License-Identifier: Apache-2.0
// Uses of the bytes of files by a run, in order of time. Part of the model, where asked for.
#pragma once

#include "model/model.h"

/** How bytes of a file were used. */
enum model_use {
	MODEL_USE_FAULT,  // a page that a fault was on
	MODEL_USE_AROUND, // pages that were mapped with it
	MODEL_USE_READ,	  // by read() and the like
	MODEL_USE_EXEC,	  // by execve
};

struct model_used_file {
	const char *path;
	const char *build_id; // hex, NULL
	uint64_t size;	      // 0: unknown
	bool has_mtime;	      // else only the file itself knows, if it has not changed since
	uint64_t mtime_ns;    // since the epoch, modulo 2^64
};

struct model_file_use {
	uint64_t time_ns; // since the start of the recording
	uint64_t offset, size;
	uint32_t file; // into model_file_uses.files
	enum model_use use;
};

struct model_file_uses {
	const struct model_used_file *files;
	size_t file_count;
	const struct model_file_use *uses; // in order of time
	size_t use_count;
	uint64_t start_unix_ns; // when the recording began, since the epoch
	// Read-ahead was off: what faults mapped beside the page touched was touched before, so
	// that no MODEL_USE_AROUND is there.
	bool is_exact;
	bool has_reads;	  // what read() and execve brought into memory was recorded
	size_t elsewhere; // files left out: deleted, or of another root
};
