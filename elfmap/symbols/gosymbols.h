// SPDX-License-Identifier: Apache-2.0
// Names of a Go program's functions, which it keeps in .gopclntab when it is stripped, and its
// packages' initializers.
#pragma once

#include "elfmap/private.h"
#include "elfmap/symbols/modules.h"

/** True if the file has a table that can be read. */
bool gosymbols_are_there(struct elfmap *map);

/** Its functions in the order of addresses, damaged ones left out; the caller frees *@ret_symbols.
 */
uint32_t gosymbols_list(struct elfmap *map, struct elfmap_symbol **ret_symbols);

/**
 * Packages, whose initializers Go runs as one task each, in the order that they run in, with names
 * as GODEBUG=inittrace=1 prints them and the tasks' vaddrs as slots; the caller releases
 * *@ret_packages by vec_deinit(), what the items point to is the file's. Source:
 * go/src/runtime/proc.go, cmd/link/internal/ld/inittask.go, cmd/compile/internal/pkginit of Go 1.16
 * to 1.24.
 */
void gopackages_list(struct elfmap *map, struct module_starts *ret_packages);
