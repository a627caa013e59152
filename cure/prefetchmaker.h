// SPDX-License-Identifier: Apache-2.0
// Input that a maker of lists gathers before it makes one. Serves cure/prefetch*.c.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "cure/prefetch.h"
#include "model/fileuses.h"

/** Pages have their number in so many bits of a key, files in the rest. */
enum { PREFETCH_PAGE_BITS = 44, PREFETCH_FILES_MAX = (1 << (64 - PREFETCH_PAGE_BITS)) - 1 };

/** A file of any of the runs. */
struct made_file {
	struct model_used_file known;
	uint64_t start_unix_ns; // of the run that it is known from
	bool is_left_out;
};

/** A page that is needed. */
struct made_page {
	double when; // first: 0 as a run began, 1 as it ended
	uint64_t number;
	uint32_t file;
	enum prefetch_why why;
};

struct prefetch_maker {
	bool keeps_all;
	const char *const *only; // prefetch_maker_limit(); NULL: all
	size_t only_count;
	uint64_t page_size; // of the runs
	struct arena arena;
	VEC(struct made_file) files;
	VEC(struct made_page) pages;
	struct u64map by_path; // hash, or a number behind it that is free -> place in files
	struct u64map by_page; // file and number -> place in pages
	struct notes notes;
};

enum prefetch_file_state {
	PREFETCH_FILE_SAME,
	PREFETCH_FILE_CHANGED, // since the recording, or by the run; not there; not a regular file
	PREFETCH_FILE_IN_MEMORY, // its file system has no other storage
};

/**
 * Look at a file of a recording that began at @start_unix_ns. Of one that is the same *@file gets
 * the size and the time where the recording does not have them.
 */
enum prefetch_file_state prefetch_file_look(struct model_used_file *file, uint64_t start_unix_ns);
