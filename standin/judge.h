// SPDX-License-Identifier: Apache-2.0
// Whether a stand-in can take the place of a library.
#pragma once

#include "standin/loaded.h"

/**
 * Judge from the files whether the program of @loaded runs as before with a stand-in for @library,
 * which is one of them.
 *
 * A stand-in has functions alone, and what it stands for is loaded later, with all that it alone
 * brings. So it is refused where somebody else needs a variable of it, and where an initializer
 * that runs later then may be relied on: one whose code, followed through the file, calls
 * functions of a library other than the C and C++ libraries (it may register something there), or
 * changes what all of the process shares.
 *
 * Returns: NULL: it can; else why not, in @arena.
 */
const char *standin_refusal(const struct standin_loaded *loaded,
			    const struct standin_library *library, struct arena *arena);
