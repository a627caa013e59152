// SPDX-License-Identifier: Apache-2.0
// Modules of a program with code that the language's runtime runs before the program's own: those
// of OCaml and D, from within main; Go's packages are found by elfmap/symbols/gosymbols.h.
#pragma once

#include "elfmap/private.h"

/** Functions of one module that the language's runtime runs. */
struct module_start {
	const char *name; // "Stdlib__Array", "std.stdio", "internal/cpu"
	uint64_t slot;	  // vaddr of what the runtime finds them by: an entry of a table, a task
	const uint64_t *functions;
	uint64_t count; // at least 1
};

struct module_starts {
	struct module_start *items;
	size_t count, capacity;
};

/**
 * OCaml's in the order they run, but for the last, which is the program, and Std_exit; they need a
 * .symtab. D's in the order of the table of them. The caller releases *@ret_starts by vec_deinit(),
 * what the items point to is the file's. Source: ocaml/asmcomp/asmlink.ml of 4.02 to 5.2;
 * druntime/src/object.d, struct ModuleInfo.
 */
void modules_list(struct elfmap *map, struct module_starts *ret_starts);
