// SPDX-License-Identifier: Apache-2.0
// A recorded start: what its faults were on, and the list of what it reads.
#pragma once

#include "base/err.h"
#include "cli/option/option.h"
#include "record/record.h"
#include "standin/loaded.h"

struct model;
struct tunefolder;

struct tunetrace {
	char *folder, *path; // of the trace, which go with tunetrace_deinit(); NULL: none
	const struct option_values *shared;
	struct model *model;
};

/**
 * Record the start @start, its output to nowhere. @former: a trace of it, whose files leave memory
 * and are read a page at a time, which only root may; NULL: a warm start.
 */
bool tunetrace_record(struct tunetrace *trace, const struct record_options *start,
		      const struct tunetrace *former, const struct option_values *shared,
		      struct err *err);
void tunetrace_deinit(struct tunetrace *trace);

/** The faults on each of @loaded, in @arena. */
const uint64_t *tunetrace_weigh(const struct tunetrace *trace, const struct standin_loaded *loaded,
				struct arena *arena);

/**
 * The file of the program that most of the time is of, in @arena; NULL: that of the command itself,
 * or unknown.
 */
const char *tunetrace_subject(const struct tunetrace *trace, struct arena *arena);

/** The part of a list that its recordings do not tell of. */
struct tunemore {
	const char *const *opened; // files that the start opens to read
	size_t opened_count;
	// Files that others keep in memory, of which a recording from storage does not tell
	// everything, and the warm recording that does; NULL: none.
	const struct tunetrace *warm;
	const char *const *held;
	size_t held_count;
};

/**
 * Find the files of the start of which pages are in memory after all were dropped, in @arena: other
 * programs have them mapped.
 */
const char *const *tunetrace_find_held(const struct tunetrace *trace, struct arena *arena,
				       size_t *ret_count);

/**
 * Write the prefetch list of recordings of the start, one or more up to a NULL, into @folder; false
 * if there is none, which was said.
 */
bool tunetrace_write_list(const struct tunetrace *const *traces, const struct tunemore *more,
			  const char *folder, uint64_t *ret_bytes);

/** The files that the start used, and those of @folder: what leaves memory before a cold one. */
struct record_files *tunetrace_files(const struct tunetrace *trace, const struct tunemore *more,
				     const struct tunefolder *folder);
