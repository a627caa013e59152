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

/** Record the start @start, its output to nowhere. */
bool tunetrace_record(struct tunetrace *trace, const struct record_options *start,
		      const struct option_values *shared, struct err *err);
void tunetrace_deinit(struct tunetrace *trace);

/** The faults on each of @loaded, in @arena. */
const uint64_t *tunetrace_weigh(const struct tunetrace *trace, const struct standin_loaded *loaded,
				struct arena *arena);

/** Write the prefetch list of the start into @folder; false if there is none, which was said. */
bool tunetrace_write_list(const struct tunetrace *trace, const char *folder, uint64_t *ret_bytes);

/** The files that the start used, and those of @folder: what leaves memory before a cold one. */
struct record_files *tunetrace_files(const struct tunetrace *trace,
				     const struct tunefolder *folder);
