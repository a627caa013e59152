// SPDX-License-Identifier: Apache-2.0
// A process that tidies up when `tune` is interrupted, by whatever signal.
#pragma once

#include "base/err.h"
#include "cli/tune/folder.h"

#include <stdbool.h>

/**
 * Begin to wait for the end of this process. If that comes before guard_end(), what the other
 * functions have told of is tidied up.
 */
bool guard_begin(const struct tunefolder *plain, bool was_there, struct err *err);

/** A recording was made at @trace, in a folder of its own, which is to go then. */
void guard_trace(const char *trace);

/**
 * The folder of guard_begin() is being made: it is left to start the program plainly if it was
 * there, and removed if not.
 */
void guard_folder(void);

/** All is tidy. */
void guard_end(void);
