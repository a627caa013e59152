// SPDX-License-Identifier: Apache-2.0
// Two files compared without a trace: the answer of `elfault map BEFORE AFTER`. Plain data, which
// borrows from the two models (model/map.h).
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "model/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mapdiff_side { MAPDIFF_BEFORE, MAPDIFF_AFTER, MAPDIFF_SIDES };

/** Divisions of a file. */
enum mapdiff_by {
	MAPDIFF_BY_SECTION,	// every byte of the file once: headers and padding have rows, too
	MAPDIFF_BY_UNIT,	// bytes of code by compile unit, and those of none
	MAPDIFF_BY_SYMBOL,	// bytes by the name of a symbol
	MAPDIFF_BY_RELOCATION,	// no bytes: dynamic relocations of a class
	MAPDIFF_BY_INITIALIZER, // bytes of functions that run before main
	MAPDIFF_TABLES,
};

/** "section", "unit", "symbol", "relocation", "initializer". */
const char *mapdiff_by_word(enum mapdiff_by by);

/** All things of one name, on both sides. */
struct mapdiff_row {
	const char *name;
	const char *section;		// of symbols; NULL: unknown, or none
	uint64_t count[MAPDIFF_SIDES];	// of things; 0: it is not there
	uint64_t size[MAPDIFF_SIDES];	// bytes, of sections in the file
	uint64_t memory[MAPDIFF_SIDES]; // of sections: bytes in memory
	uint64_t shared[MAPDIFF_SIDES]; // of symbols: those that another name has the address of
};

/** One division. */
struct mapdiff_table {
	const struct mapdiff_row *rows; // that differ: what changed most first, then by name
	size_t row_count;
	struct mapdiff_row total; // of all rows, also those that do not differ; no name
	bool is_known;		  // on both sides; else there are no rows
};

struct mapdiff {
	struct arena arena;
	const struct map_model *files[MAPDIFF_SIDES];
	struct mapdiff_table tables[MAPDIFF_TABLES];
};

/**
 * Compare two files, whose models have all symbols and outlive the result. Sections, compile units
 * and initializers are matched by name, symbols by what compilers leave of it (base/symbolname.h).
 * O(n log n) in symbols. Release with mapdiff_deinit().
 */
void mapdiff_init(struct mapdiff *diff, const struct map_model *before,
		  const struct map_model *after);
void mapdiff_deinit(struct mapdiff *diff);
