// SPDX-License-Identifier: Apache-2.0
// Raw symbol tables, .symtab and .dynsym, before they are merged: for symbols.c only.
#pragma once

#include "elfmap/private.h"

/** A table of raw symbols and the strings it refers to. */
struct symtab {
	struct elfmap *owner; // map itself or its debug file
	const uint8_t *bytes;
	uint64_t count;
	struct elfmap_strings names;
	enum elfmap_symbols source;
};

/** The .symtab to use: the file's own, else the debug file's; count 0 if there is neither. */
struct symtab symtab_best(struct elfmap *map);

/** .dynsym; count 0 if there is none. */
struct symtab symtab_dynamic(struct elfmap *map);

/**
 * False if the section of @symbol, of @owner, is not loaded: its value is then no address, but a
 * place in that section, as of the labels that GCC's LTO leaves in .debug_info.
 */
bool symtab_is_loaded(const struct elfmap *owner, const GElf_Sym *symbol);

/**
 * Decode entry @index, which must be below the count, into @ret_symbol with the size that the file
 * states. False if it is none to keep: undefined, absolute, TLS, a file, a section, a marker, of a
 * section that is not loaded, without a name; one whose name index is outside the string table is
 * counted in @nameless too.
 */
bool symtab_entry(const struct elfmap *map, const struct symtab *table, uint64_t index,
		  uint64_t *nameless, struct elfmap_symbol *ret_symbol);
