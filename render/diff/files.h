// SPDX-License-Identifier: Apache-2.0
// Changes of the files themselves, whatever the runs did: the first lines of a comparison. As
// words.h: the texts are not yet made safe for where they are shown.
#pragma once

#include "compare/compare.h"

#include <stddef.h>

/**
 * A line for each file whose layout differs, the program first, then what grew or shrank most:
 * "app (was app-old): .rela.dyn 80.9 KiB -> 4.5 KiB, .text 1.2 MiB -> 551.0 KiB (-55.1%),
 * initializers 16 -> 1, functions 5,210 -> 2,403". At most @limit files, then how many more; a
 * line for those that differ and cannot be compared. None where no file differs.
 */
const char *const *difffiles(struct arena *arena, const struct comparison *comparison, size_t limit,
			     size_t *ret_count);
