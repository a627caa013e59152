// SPDX-License-Identifier: Apache-2.0
// Searching a name in one file after the other, as glibc's dynamic linker does. Sources:
// glibc 2.36, elf/dl-lookup.c (do_lookup_x, check_match), elf/dl-version.c; LSB "Symbol
// Versioning".
#pragma once

#include "elfmap/elfmap.h"

/** A version that a symbol has or wants. */
struct elfmap_version {
	const char *name;
	uint32_t hash; // 0: none, whose index is that of the file itself or of local symbols
	bool is_hidden;
};

/** The tables in which names of a file are looked up; all 0: it has none. */
struct elfmap_names {
	struct elfmap *map;
	bool is_gnu; // .gnu.hash; otherwise .hash
	unsigned width;
	uint32_t bucket_count, filter_count, shift, first;
	uint64_t chain_count;
	const uint8_t *filter, *buckets, *chains;
	const uint8_t *versym; // a word for each symbol; NULL: none of them has a version
	const struct elfmap_version *versions;
	size_t version_count;
};

/** A symbol that a relocation refers to. */
struct elfmap_reference {
	const char *name;
	const struct elfmap_version *version; // NULL: any
	uint32_t hash;			      // for .gnu.hash
	uint8_t binding, visibility, type;
	bool is_defined; // in the file itself
};

/** The outcome of the search in one file. */
enum elfmap_search {
	ELFMAP_SEARCH_NONE,	// it has no table: it is passed over
	ELFMAP_SEARCH_FILTERED, // the Bloom filter says that it is not there
	ELFMAP_SEARCH_IN_VAIN,	// a bucket was looked into, and its chain walked
	ELFMAP_SEARCH_FOUND,
};

/** Find the tables of @map, which are valid until it is closed. Damaged ones are none. */
struct elfmap_names elfmap_names_of(struct elfmap *map);

/**
 * Fill @ret_reference with symbol @index of .dynsym. False: it is bound without a search, since it
 * is local or hidden, or there is none.
 */
bool elfmap_reference_at(const struct elfmap_names *names, uint64_t index,
			 struct elfmap_reference *ret_reference);

/**
 * Search @reference in one file. @is_call: for a PLT slot or TLS; otherwise the address that a
 * program gave a function of another file, its PLT entry, counts as a definition as well.
 * @ret_index: into .dynsym
 */
enum elfmap_search elfmap_names_search(const struct elfmap_names *names,
				       const struct elfmap_reference *reference, bool is_call,
				       uint64_t *ret_index);
