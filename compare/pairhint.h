// SPDX-License-Identifier: Apache-2.0
// Files of the two sides that may be builds of the same one, under different names.
#pragma once

#include "compare/compare.h"

/**
 * A sentence with the --pair options to type: the program of each side, and files whose names are
 * half the same. NULL: there are none that only one side has. In @arena.
 */
const char *pairhint(struct arena *arena, const struct comparison *comparison);
