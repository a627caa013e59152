// SPDX-License-Identifier: Apache-2.0
// Tables of text, fitted to the terminal; and how numbers are written for people.
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "base/notes.h"
#include "render/terminal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT, // numbers
	TABLE_SHORT, // left; cut in its middle to 24 columns on a terminal
	TABLE_NAME,  // left; takes what room is left on a terminal, cut in its middle to fit;
		     // elsewhere all but numbers are cut to terminal.name_columns
};

enum table_unit { TABLE_NUMBER, TABLE_BYTES, TABLE_TIME, TABLE_MILLISECONDS, TABLE_HEX };

/**
 * A table being filled, row by row. A cell is declared with its column: heading, alignment, value.
 * The first row sets the columns; each row has a cell for each of them, in the same order.
 */
struct table;

struct table *table_create(const struct terminal *terminal);

/** Begin a row; its cells follow, left to right. */
void table_begin_row(struct table *table);

/** Add a cell. @text is made safe for a terminal. */
void table_cell(struct table *table, const char *heading, enum table_align align, const char *text);

/** As table_cell(), formatted. */
void table_cellf(struct table *table, const char *heading, enum table_align align,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Add a cell with a number, to the right. */
void table_figure(struct table *table, const char *heading, enum table_unit unit, uint64_t value);

/** As table_figure(), "-" where @value is 0. */
void table_figure_or_dash(struct table *table, const char *heading, enum table_unit unit,
			  uint64_t value);

/** Add a cell with @part of @whole in percent, "-" of nothing. */
void table_share(struct table *table, const char *heading, uint64_t part, uint64_t whole);

/** Mark the cell that was filled last as worth looking at. */
void table_alert(struct table *table);

/** Set the row that was filled last back: it is of less weight. */
void table_dim(struct table *table);

/** Rather leave out columns of numbers, the last first, than cut names to less than @columns. */
void table_keep_names(struct table *table, size_t columns);

/** Print heading and rows, each line indented by two columns. Nothing for a table without rows. */
void table_print(struct table *table, FILE *out);

/** Release @table, which may be NULL. */
void table_destroy(struct table *table);

CLEANUP_POINTER(table_destroy, struct table)

// The texts below live in @arena.

/** Print @notes below a heading, each after @before; nothing where there are none. */
void table_notes(FILE *out, const struct terminal *terminal, const struct notes *notes,
		 const char *before);

/** "12.34 ms" */
const char *table_milliseconds(struct arena *arena, uint64_t time_ns);
/** "640 ns", "12.3 us" (the micro sign where @terminal shows it), "1.20 s", "3 min 20 s". */
const char *table_time(struct arena *arena, const struct terminal *terminal, uint64_t time_ns);
/** @text made safe for a terminal, cut in its middle to at most @limit columns. */
const char *table_fit(struct arena *arena, const struct terminal *terminal, const char *text,
		      size_t limit);
/** Columns that a text takes which is safe for a terminal. */
size_t table_columns(const char *text);
