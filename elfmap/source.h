// SPDX-License-Identifier: Apache-2.0
// Which source file code came from.
#pragma once

#include "elfmap/private.h"

/**
 * Fill .source of @count initializers: from the DWARF of the file or its separate debug file, else
 * from its .symtab; NULL stays where none knows.
 */
void elfmap_fill_sources(struct elfmap *map, struct elfmap_initializer *initializers, size_t count);
