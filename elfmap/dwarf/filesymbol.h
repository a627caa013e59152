// SPDX-License-Identifier: Apache-2.0
// Source files of code without DWARF: the symbol table and names show them.
#pragma once

#include "elfmap/private.h"

/**
 * Fill .source of those of @count initializers that have none: the STT_FILE symbol ahead of the
 * local function there, else the file that the function's name holds.
 */
void filesymbol_fill(struct elfmap *map, struct elfmap_initializer *initializers, size_t count);

/**
 * The file in a name as compilers give to initializers, "_GLOBAL__sub_I_foo.cpp" or, with a
 * priority and a suffix of LTO, "_GLOBAL__sub_I.00101_foo.cpp.lto_priv.0". False if the name holds
 * a symbol instead, or none.
 */
bool filesymbol_in_name(const char *name, const char **ret_start, size_t *ret_length);
