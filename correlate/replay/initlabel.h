// SPDX-License-Identifier: Apache-2.0
// What people call the functions that compilers make to construct a file's globals.
#pragma once

#include "correlate/replay/rows.h"

/**
 * "globals of foo.cc" where the source is known; else, of GCC's _GLOBAL__sub_I_NAME, "globals
 * beside NAME", which is the first global of the file. NULL: @from is no such function. In the
 * model.
 */
const char *initlabel(const struct rows *rows, struct elfmap *map,
		      const struct elfmap_initializer *from);
