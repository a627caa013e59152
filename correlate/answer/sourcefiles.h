// SPDX-License-Identifier: Apache-2.0
// Lines of source files. Their paths come from DWARF, which anyone may have written: what is not
// called like a source file is not opened.
#pragma once

#include "base/arena.h"
#include "depot/depot.h"

#include <time.h>

struct sourcefiles;

/** @depot: may be NULL; borrowed. */
struct sourcefiles *sourcefiles_create(struct depot *depot);
/** Accepts NULL. */
void sourcefiles_destroy(struct sourcefiles *files);

/** A file that was looked for; valid as long as @files. */
struct sourcefile;

/** Read the file at @path, once. */
const struct sourcefile *sourcefiles_get(struct sourcefiles *files, const char *path);

/** Why there are no lines, or why they may be others than were compiled at @built; else NULL. */
const char *sourcefile_problem(const struct sourcefile *file, time_t built);

/** Line @number, from 1, in @arena, with blanks for tabs; NULL: there is none. */
const char *sourcefile_line(const struct sourcefile *file, uint32_t number, struct arena *arena);

CLEANUP_POINTER(sourcefiles_destroy, struct sourcefiles)
