// SPDX-License-Identifier: Apache-2.0
// An SQLite database that is filled table by table, then copied to where it goes. Serves sqlite*.c.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

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

/**
 * Rows for one table: its columns in their order, then table_end_row(). Numbers of 64 bits are kept
 * as they are, so that SQLite shows those above 2^63 - 1 as negative.
 */
struct table {
	struct database *base;
	sqlite3_stmt *insert;
	int column, column_count;
};

struct table table_open(struct database *base, const char *name, int column_count);
void table_number(struct table *table, uint64_t number);
void table_real(struct table *table, double number);
/** NULL unless @is_known. */
void table_known(struct table *table, bool is_known, uint64_t number);
/** The id of a row of another table; NULL for MODEL_NONE. */
void table_row(struct table *table, uint32_t row);
/** Made valid UTF-8; NULL stays NULL. */
void table_text(struct table *table, const char *text);
void table_end_row(struct table *table);
void table_close(struct table *table);
