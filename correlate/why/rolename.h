// SPDX-License-Identifier: Apache-2.0
// Roles that functions have by their names, in the files where a name can mean that: libc's, the
// unwinder's, compilers' and Go's.
#pragma once

#include "correlate/why/loader.h"
#include "elfmap/elfmap.h"

#include <stdbool.h>
#include <stdint.h>

/** Return bits of enum role that @symbol of @map has by its name. @part: of the file. */
uint32_t rolename_bits(const struct elfmap *map, enum part part,
		       const struct elfmap_symbol *symbol);

/**
 * The same for names of Go's. A library of Go's starts no program: its main does not run, and its
 * runtime in a thread.
 */
uint32_t rolename_go_bits(const struct elfmap_symbol *symbol, bool is_program);

/**
 * True if @name is that of Go's function @wanted, which .gopclntab has; .symtab has the calling
 * convention behind that of assembler functions.
 */
bool rolename_is_go(const char *name, const char *wanted);

/** True if libc's function of this name is exit(). */
bool rolename_is_exit(const char *name);

/** True if the file is a C library, be it a dynamic linker as well. */
bool rolename_is_libc(const struct elfmap *map, enum part part);
