// SPDX-License-Identifier: Apache-2.0
// How the order of files is written for people, in text and Markdown: tables of cells. The texts
// live in an arena and are not yet made safe for where they are shown.
#pragma once

#include "compare/compare.h"

#include <stddef.h>

struct difflocality {
	const char *const *headings;
	size_t column_count;
	size_t name_count; // of the columns, the last: names from files; the others are our words
	const char *const *const *rows; // of cells
	size_t row_count;
	size_t left_out; // files or functions behind these
	size_t unlisted; // rows that differ and have no verdict
};

/**
 * A row for each file that both sides have and whose order is real, or with @full may be: the
 * largest
 * difference in area first, then in pages, random steps, then by name. At most @limit files. Where
 * both sides do not show the same functions, another row tells of those that both do.
 */
struct difflocality difflocality_order(struct arena *arena, const struct comparison *comparison,
				       size_t limit, bool full);

/** A row for each function that moved, of all files, in compare_moves()'s order. */
struct difflocality difflocality_moves(struct arena *arena, const struct comparison *comparison,
				       size_t limit);

/** "84 of the 103 functions that both sides were seen to run"; NULL: none moved. */
const char *difflocality_moved(struct arena *arena, const struct comparison *comparison);
