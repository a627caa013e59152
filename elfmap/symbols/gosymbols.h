// SPDX-License-Identifier: Apache-2.0
// Names of a Go program's functions, which it keeps in .gopclntab when it is stripped.
#pragma once

#include "elfmap/private.h"

/** Whether the file has a table that can be read. */
bool gosymbols_are_there(struct elfmap *map);

/** Its functions in the order of addresses, damaged ones left out; the caller frees *@ret_symbols.
 */
uint32_t gosymbols_list(struct elfmap *map, struct elfmap_symbol **ret_symbols);
