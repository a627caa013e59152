// SPDX-License-Identifier: Apache-2.0
// An SQLite database that is filled table by table, then copied to where it goes. Serves sqlite*.c.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "model/model.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct database {
	sqlite3 *handle;
	char *folder; // of the file, which only the caller may read; goes with database_close()
	char *path;
	struct strbuf text;
	bool failed;	// once and for all: what follows is ignored
	struct err err; // of the first failure
};

/** Create an empty one in a temporary folder. False: see @base->err; to be closed anyway. */
bool database_open(struct database *base);

/** Run statements without results. */
void database_run(struct database *base, const char *sql);

/** Copy the whole of it to @out. Returns false, and sets *@err, if anything failed until then. */
bool database_copy(struct database *base, FILE *out, struct err *err);

void database_close(struct database *base);

/** The value of one column. */
struct cell {
	enum { CELL_NULL, CELL_INTEGER, CELL_FLOAT, CELL_STRING } kind;
	union {
		uint64_t number;
		double real;
		const char *text;
	};
};

/** 64 bits are kept as they are, so that SQLite shows those above 2^63 - 1 as negative. */
static inline struct cell cell_number(uint64_t number)
{
	return (struct cell){ .kind = CELL_INTEGER, .number = number };
}

/** NULL unless @is_known. */
static inline struct cell cell_known(bool is_known, uint64_t number)
{
	return is_known ? cell_number(number) : (struct cell){ .kind = CELL_NULL };
}

/** The id of a row of another table; NULL for MODEL_NONE. */
static inline struct cell cell_row(uint32_t row)
{
	return cell_known(row != MODEL_NONE, row);
}

static inline struct cell cell_real(double number)
{
	return (struct cell){ .kind = CELL_FLOAT, .real = number };
}

/** Made valid UTF-8; NULL stays NULL. */
static inline struct cell cell_text(const char *text)
{
	return (struct cell){ .kind = text ? CELL_STRING : CELL_NULL, .text = text };
}

/** A table that is filled row by row. */
struct table {
	struct database *base;
	sqlite3_stmt *insert;
	int column, column_count;
};

struct table table_open(struct database *base, const char *name);
/** Set the next columns of a row. */
void table_put_cells(struct table *table, const struct cell *cells, size_t count);
#define table_put(table, ...)                                          \
	table_put_cells((table), (const struct cell[]){ __VA_ARGS__ }, \
			sizeof((const struct cell[]){ __VA_ARGS__ }) / sizeof(struct cell))

/** Write the row whose columns are set. */
void table_end_row(struct table *table);

/** Write a row: its columns in their order. */
#define table_add(table, ...) (table_put((table), __VA_ARGS__), table_end_row((table)))

void table_close(struct table *table);
