// SPDX-License-Identifier: Apache-2.0
// The units of DWARF that have code, and within them functions and what is inlined there: each read
// when an address first falls into it.
#pragma once

#include "elfmap/dwarf/dwarffile.h"
#include "elfmap/dwarf/dwarfwalk.h"

#include "base/vec.h"

/** A function with code of its own, or a body inlined into one. */
struct codeunits_scope {
	Dwarf_Die die;
	uint64_t end;	    // offset in .debug_info that nothing within it reaches
	uint32_t outer;	    // the scope that it is inlined into; CODEUNITS_NONE: it is a function
	uint32_t ancestors; // how often it is inlined
	bool is_read;	    // a function: .inner is there
	struct rangemap inner; // ranges of what is inlined into a function -> scope
};

#define CODEUNITS_NONE UINT32_MAX

/** A compilation unit. */
struct codeunits_unit {
	Dwarf_Die die;
	uint64_t end; // offset in .debug_info
	bool is_split;
	bool has_lines;		   // its lines are decoded
	bool is_read;		   // .functions is there
	bool is_read_deep;	   // also of functions within functions
	struct rangemap functions; // ranges -> scope
};

struct codeunits {
	struct elfmap *map;
	Dwarf *dwarf;
	struct dwarfwalk_budget budget;
	struct rangemap by_vaddr; // ranges -> unit
	VEC(struct codeunits_unit) units;
	VEC(struct codeunits_scope) scopes;
};

/** Find the units of @map's DWARF, which it has. */
void codeunits_init(struct codeunits *units, struct elfmap *map, const struct elfmap_dwarf *dwarf);
void codeunits_deinit(struct codeunits *units);

/** The unit whose code holds @vaddr; NULL if none does. Valid until codeunits_deinit(). */
struct codeunits_unit *codeunits_unit_at(struct codeunits *units, uint64_t vaddr);

/**
 * The innermost scope of @unit at @vaddr, which leads to the others by .outer; CODEUNITS_NONE if no
 * function holds it.
 */
uint32_t codeunits_scope_at(struct codeunits *units, struct codeunits_unit *unit, uint64_t vaddr);
