// SPDX-License-Identifier: Apache-2.0
// Owners of dynamic relocations: the objects in whose bytes the slots lie.
#pragma once

#include "elfmap/elfmap.h"

/** Kinds of owners; all but the first have no name in the file. */
enum elfmap_owner_kind {
	ELFMAP_OWNER_SYMBOL,	 // a symbol whose stated size covers the slot
	ELFMAP_OWNER_VTABLES,	 // type information, then functions: Itanium C++ ABI 2.5
	ELFMAP_OWNER_TYPE_INFO,	 // begins with a vtable of libsupc++ or libc++abi: 2.9.5
	ELFMAP_OWNER_SWITCHES,	 // into one function each, and none to its beginning
	ELFMAP_OWNER_FUNCTIONS,	 // all to beginnings of functions
	ELFMAP_OWNER_STRINGS,	 // all to literals
	ELFMAP_OWNER_DATA,	 // all to other data of the file
	ELFMAP_OWNER_IMPORTS,	 // all to symbols of other files whose type is not known
	ELFMAP_OWNER_GOT,	 // .got, .got.plt
	ELFMAP_OWNER_INIT_ARRAY, // .init_array, .fini_array, .preinit_array, .ctors, .dtors
	ELFMAP_OWNER_KINDS,
};

/** "symbol", "vtables", "type-information" … */
const char *elfmap_owner_word(enum elfmap_owner_kind kind);

/** Some relocations: of one owner, or of all owners with one namespace or source. */
struct elfmap_owner {
	enum elfmap_owner_kind kind;
	const struct elfmap_symbol *symbol; // NULL: unnamed, all of one kind in one section
	const char *scope;    // outermost namespace or class of its name, by the Itanium ABI; NULL
	const char *source;   // file that declares the variable, by DWARF; NULL: unknown
	const char *section;  // NULL: unknown
	uint64_t vaddr;	      // of the symbol; else of the first slot
	uint64_t relocations; // slots that the dynamic linker writes
	uint64_t runs;	      // of neighbouring slots
	uint64_t pages;	      // that hold a slot of it
	uint64_t pages_alone; // of these: that hold no slot of another
};

/** Slots of an owner on one page. */
struct elfmap_owner_use {
	uint64_t page;	// number of the page
	uint32_t owner; // into elfmap_owners.owners
	uint32_t slots;
};

/** Rows with most relocations come first, then by vaddr. */
struct elfmap_owners {
	const struct elfmap_owner *owners;
	size_t owner_count;
	// Those with a scope or source, added up: only that, the counts and a vaddr are filled in.
	const struct elfmap_owner *scopes, *sources;
	size_t scope_count, source_count;
	const struct elfmap_owner_use *uses; // by page, then owner
	size_t use_count;
};

/**
 * Find the owners of all relocations, for pages of @page_size bytes. Sources are looked for if
 * @with_sources, which reads the whole DWARF. Owned by @map. O(slots log slots).
 */
struct elfmap_owners elfmap_relocation_owners(struct elfmap *map, uint64_t page_size,
					      bool with_sources);
