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
	const char *name;    // its first argument, as it was typed
	const struct standin_loaded *loaded;
	const struct standin_choice *choices; // one for each of the loaded
	bool has_libraries, has_list;
};

/**
 * Return the path of the folder named @name, which is one word without a slash, below
 * $XDG_DATA_HOME, or ~/.local/share. NULL: neither is known.
 */
const char *tunefolder_path(struct arena *arena, const char *name);

/** True if there is one at @path. */
bool tunefolder_exists(const char *path);

/**
 * Make the folder with stand-ins and launcher, and no settings yet, without which the launcher
 * starts nothing. One that is there already is replaced.
 */
bool tunefolder_make(const struct tunefolder *folder, struct err *err);

/** Write, or write anew, what the launcher is to do. */
bool tunefolder_settle(const struct tunefolder *folder, struct err *err);

/** Remove the folder and all that tune puts into it; what else is there stays, and is an error. */
bool tunefolder_remove(const char *path, struct err *err);
