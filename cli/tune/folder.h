// SPDX-License-Identifier: Apache-2.0
// The folder of a tuned start: stand-ins, prefetch list, settings, launcher. Nothing outside it is
// changed. docs/tune.md describes it.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "standin/choice.h"
#include "standin/loaded.h"

struct tunefolder {
	const char *path;    // absolute
	const char *program; // to be executed
	const char *elfault; // that tunes it again by itself; NULL: nobody
	const char *name;    // its first argument, as it was typed
	const struct standin_loaded *loaded;
	const struct standin_choice *choices; // one for each of the loaded
	bool has_libraries, has_list;
	const char *libraries; // where they are, in the folder; tunefolder_make() sets it
};

/**
 * Return the path of the folder named @name, which is one word without a slash, below
 * $XDG_DATA_HOME, or ~/.local/share. NULL: neither is known.
 */
const char *tunefolder_path(struct arena *arena, const char *name);

/** True if there is one at @path, whole or not: its settings begin as tune writes them. */
bool tunefolder_exists(const char *path);

/** Of the folder, the file with what was measured. */
#define TUNEFOLDER_RESULT "result.json"

/**
 * Make the folder with stand-ins and launcher, which starts the program plainly so far. One that is
 * there already is made anew, and starts the program all the while; any other folder is an error,
 * unless it is empty.
 */
bool tunefolder_make(struct tunefolder *folder, struct err *err);

/** Let no other process make the folder at @path anew. *@ret_fd: to be closed; -1: it is not there.
 */
bool tunefolder_lock(const char *path, int *ret_fd, struct err *err);

/** True if nobody else owns the folder at @path or its result, or may write to them. */
bool tunefolder_is_own(const char *path);

/** The paths of all that tunefolder_path() may name, in @arena, in their order. */
const char *const *tunefolder_list(struct arena *arena, size_t *ret_count);

/** Remove what starts do not use by what was settled, and what was there before. */
bool tunefolder_tidy(const struct tunefolder *folder, struct err *err);

/** Write, or write anew, what the launcher is to do. */
bool tunefolder_settle(const struct tunefolder *folder, struct err *err);

/**
 * Remove the folder and all that tune puts into it; what else is there stays, and is an error. So
 * is a folder that is not tune's, of which nothing is touched.
 */
bool tunefolder_remove(const char *path, struct err *err);
