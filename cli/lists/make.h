// SPDX-License-Identifier: Apache-2.0
// Prefetch lists of `elfault prefetch`: made of traces, read and written.
#pragma once

#include "base/arena.h"
#include "base/notes.h"
#include "base/vec.h"
#include "cure/devicegap.h"
#include "cli/option/option.h"
#include "prefetch/list.h"

/** How a list is to be made. */
struct prefetch_request {
	bool gap_is_given;
	enum devicegap_measures measures; // where no gap is given
	uint64_t gap;
	bool keeps_all;		   // files that are not here or have changed
	const char *const *opened; // files that a start opens to read
	size_t opened_count;
	const char *warm;	 // one more trace, of these files alone; NULL: none
	const char *const *held; // their paths
	size_t held_count;
};

/** A list and what is known of how it came to be. Zero-initialise. */
struct prefetchlist {
	struct prefetch_list list;
	struct arena arena;
	struct notes notes;
	VEC(const char *) comments; // in arena
	char *text;		    // of a list that was read
	bool is_complete;	    // as far as the traces are
};

/** Read the list at @path; says why not. */
bool prefetchlist_read(const char *path, struct prefetchlist *ret_list);

/** Make a list of traces, or of folders of them; says why not. */
bool prefetchlist_make(const char *const *traces, size_t count,
		       const struct prefetch_request *request, const struct option_values *shared,
		       struct prefetchlist *ret_list);

/**
 * Read or make the list of @from in a process that has given up root's rights for those of whoever
 * called sudo; it sends the list as text.
 */
bool prefetchlist_make_apart(const char *from, const struct prefetch_request *request,
			     const struct option_values *shared, struct prefetchlist *ret_list);

/**
 * Write it to @path, and say what it has; or why it could not be written. @home: see
 * prefetch_write().
 */
bool prefetchlist_write(const struct prefetchlist *list, const char *home, const char *path);

void prefetchlist_deinit(struct prefetchlist *list);
