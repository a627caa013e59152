// SPDX-License-Identifier: Apache-2.0
// Whether a stand-in can take the place of a library.
#pragma once

#include "standin/loaded.h"

/** True if @library is a part of the C library, or of what stand-ins themselves rest on. */
bool standin_is_basic(const struct standin_library *library);

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

/**
 * Judge the initializers of @of alone, which is loaded later, while what @stays marks is loaded at
 * the start. Returns: as above.
 */
const char *standin_refusal_of_initializers(const struct standin_loaded *loaded,
					    const struct standin_library *of, const bool *stays,
					    struct arena *arena);

/**
 * Find a file that stays, needs a name of one that is not loaded at the start, and says so in no
 * DT_NEEDED. @stands: files that are not loaded either, whose functions their stand-ins have.
 * Returns: as above.
 */
const char *standin_refusal_of_absence(const struct standin_loaded *loaded, const bool *stays,
				       const bool *stands, struct arena *arena);
