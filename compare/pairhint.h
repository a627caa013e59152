// SPDX-License-Identifier: Apache-2.0
// Which files of the two sides may be builds of one, though their names differ.
#pragma once

#include "compare/compare.h"

/**
 * A sentence with the --pair options to type: the program of each side, and files whose names are
 * half the same. NULL: there are none that only one side has. In @arena.
 */
const char *pairhint(struct arena *arena, const struct comparison *comparison);
