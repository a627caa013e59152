// SPDX-License-Identifier: Apache-2.0
// The directory of a set of repeats on its way to its place: made under a temporary name, an older
// one kept as PATH.old. Whoever calls has taken the caller's rights already.
#pragma once

#include "base/err.h"

#include <stdbool.h>

/**
 * May a set be placed at @path? Nothing is there, or a directory that holds traces alone, and the
 * same of PATH.old: no other directory is moved away or removed. @err: ERR_INPUT, ERR_OS.
 */
bool setfolder_check(const char *path, struct err *err);

/** Make a directory beside @path, mode 0700. *@ret_path is its name, to be freed. */
bool setfolder_make(const char *path, char **ret_path, struct err *err);

/** Keep what is at @path as PATH.old, in place of an older one; put directory @made at @path. */
bool setfolder_place(const char *made, const char *path, struct err *err);
