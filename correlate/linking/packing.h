// SPDX-License-Identifier: Apache-2.0
// How much room the functions of a list take in each file.
#pragma once

#include "correlate/replay/rows.h"

/** Set packing of every object that was opened. @names: as in the symbol table, versions do not
 * count. O(symbols). */
void packing_fill(struct rows *rows, const char *const *names, size_t count);
