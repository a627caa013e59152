// SPDX-License-Identifier: Apache-2.0
// Places where the dynamic linker looked for libraries. Part of the model: plain data. Times are
// nanoseconds.
#pragma once

#include "model/model.h"

/** The reason why the dynamic linker looked in a place. */
enum model_origin { ORIGIN_WORDS(WORD_IDENTIFIER) MODEL_ORIGINS };

/** The contract's word: "runpath", "library-path" … */
const char *model_origin_name(enum model_origin origin);

/** One system call by which the dynamic linker opened a file, or asked for a folder. */
struct model_search {
	uint32_t program;     // into model.programs
	uint64_t time_ns;     // when it returned, since the start of the recording
	uint64_t duration_ns; // 0: unknown
	const char *call;     // "openat", "newfstatat" and the like
	const char *path;     // as the linker made it
	const char *library;  // the name it looked for, in path; NULL: path is no library's
	const char *folder;   // of the search path, in path; NULL: unknown, or none
	uint32_t error;	      // errno; 0: it is there
	enum model_origin origin;
	uint32_t owner; // of rpath and runpath: the object that has it; else MODEL_NONE
};

/** NULL in a model whose trace has no record of it. */
struct model_searches {
	const struct model_search *list; // in order of time
	size_t count;
	uint64_t opened, missed; // of those with a library
	uint64_t ns;		 // of all calls
	bool has_times;		 // of all calls they are known
	uint64_t untold;	 // calls left out: this linker is the C library as well (musl)
	uint64_t lost;		 // records of calls that were dropped, of whatever kind
};

/** Is @search for a library, and without success? */
static inline bool model_search_missed(const struct model_search *search)
{
	return search->library && search->error != 0;
}
