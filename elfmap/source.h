// SPDX-License-Identifier: Apache-2.0
// Which compilation unit code came from, by DWARF.
#pragma once

#include "elfmap/private.h"

/**
 * Fill .source of @count initializers from the DWARF of the file or its separate debug file; NULL
 * stays where there is none. The DWARF is opened and closed within the call.
 */
void elfmap_fill_sources(struct elfmap *map, struct elfmap_initializer *initializers, size_t count);
