// SPDX-License-Identifier: Apache-2.0
// Counts of the faults that are shown, in every row that they name, and the layout of files. Serves
// finish.c.
#pragma once

#include "base/arena.h"
#include "correlate/replay/rows.h"
#include "elfmap/elfmap.h"
#include "model/layout.h"

/** How often functions touched objects; rows are found by both. */
struct touchers {
	VEC(struct model_toucher) rows;
	VEC(uint32_t) objects; // beside rows; MODEL_NONE: all
	struct u64map index;
};

/** Counts that are not in the rows themselves. */
struct row_counts {
	struct touchers by_ip;
	struct touchers blamed; // also of all objects
};

/** @page_size: a power of two. Release *@ret_counts with row_counts_deinit(). */
void rows_count(struct rows *rows, const struct shown_faults *faults, uint64_t page_size,
		struct row_counts *ret_counts);
void row_counts_deinit(struct row_counts *counts);

/**
 * The layout of @map, owned by @arena. O(n log n) in sections. @has_functions: as NEED_FUNCTIONS,
 * O(n log n) in symbols.
 */
const struct model_layout *layout_new(struct arena *arena, struct elfmap *map, bool has_functions);
