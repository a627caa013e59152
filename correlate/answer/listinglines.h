// SPDX-License-Identifier: Apache-2.0
// The lines of one function while they are collected.
#pragma once

#include "base/u64map.h"
#include "correlate/answer/sourcefiles.h"
#include "elfmap/elfmap.h"
#include "model/listing.h"

/** Zero-initialise, set the first members, release with listinglines_deinit(). */
struct listinglines {
	struct arena *arena; // of the model
	struct elfmap *map;
	struct sourcefiles *sources;
	bool demangle;

	VEC(struct model_listing_file) files;
	VEC(const struct sourcefile *) opened; // beside files
	VEC(struct model_listing_line) list;
	VEC(uint32_t) owners;	  // beside list: the function's own line of each
	struct u64map file_index; // hash of a path -> files
	struct u64map index;	  // hash of a row -> list
};

void listinglines_deinit(struct listinglines *lines);

/**
 * The row of the instruction at @vaddr; MODEL_NONE if DWARF says nothing of it, or, unless @adds,
 * where it has none yet.
 */
uint32_t listinglines_at(struct listinglines *lines, uint64_t vaddr, bool adds);

/** Add @spent to the row at @index. */
void listinglines_spend(struct listinglines *lines, uint32_t index,
			const struct model_spent *spent);

/** Add the function's own lines beside those that cost something, or with @is_whole between all. */
void listinglines_surround(struct listinglines *lines, bool is_whole);

/** Move all to @listing, in their order; *@ret_moved, to be freed: where each row went. */
void listinglines_keep(struct listinglines *lines, struct model_listing *listing,
		       uint32_t **ret_moved);
