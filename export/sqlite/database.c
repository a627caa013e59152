// SPDX-License-Identifier: Apache-2.0
#include "export/sqlite/database.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "render/escape.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 1 << 16 };

static bool fail(struct database *base)
{
	if (!base->failed)
		err_set(&base->err, ERR_OS, "SQLite, writing %s: %s", base->path,
			sqlite3_errmsg(base->handle));
	base->failed = true;
	return false;
}

/** A folder that nobody else may enter, as the file in it gets the permissions of any file. */
static bool make_folder(struct database *base)
{
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };
	const char *parent = getenv("TMPDIR");

	strbuf_printf(&name, "%s/elfault-export-XXXXXX", parent && parent[0] ? parent : "/tmp");
	base->folder = xstrdup(strbuf_text(&name));
	if (!mkdtemp(base->folder)) {
		base->failed = true;
		err_os(&base->err, "creating %s", base->folder);
		free(TAKE(base->folder));
		return false;
	}
	strbuf_clear(&name);
	strbuf_printf(&name, "%s/database", base->folder);
	base->path = xstrdup(strbuf_text(&name));
	return true;
}

bool database_open(struct database *base)
{
	*base = (struct database){ 0 };
	if (!make_folder(base))
		return false;
	if (sqlite3_open(base->path, &base->handle) != SQLITE_OK)
		return fail(base);
	// Nobody else uses it, and what is half written is of no use.
	database_run(base, "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF;"
			   "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
			   "PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; BEGIN");
	return !base->failed;
}

void database_run(struct database *base, const char *sql)
{
	if (!base->failed && sqlite3_exec(base->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail(base);
}

bool database_copy(struct database *base, FILE *out, struct err *err)
{
	char bytes[COPY_BYTES];
	size_t size;

	database_run(base, "COMMIT");
	if (!base->failed && sqlite3_close(base->handle) != SQLITE_OK)
		fail(base);
	if (base->failed) {
		*err = base->err;
		return false;
	}
	base->handle = NULL;
	CLEANUP(file_closep) FILE *in = fopen(base->path, "re");
	if (!in)
		return err_os(err, "%s", base->path);
	while ((size = fread(bytes, 1, sizeof(bytes), in)) > 0)
		if (fwrite(bytes, 1, size, out) != size)
			return err_os(err, "writing");
	if (ferror(in))
		return err_os(err, "reading %s", base->path);
	return fflush(out) == 0 || err_os(err, "writing");
}

void database_close(struct database *base)
{
	sqlite3_close(base->handle);
	if (base->path)
		unlink(base->path);
	if (base->folder)
		rmdir(base->folder);
	strbuf_deinit(&base->text);
	free(base->path);
	free(base->folder);
}

struct table table_open(struct database *base, const char *name)
{
	struct table table = { .base = base };
	CLEANUP(strbuf_deinit) struct strbuf sql = { 0 };
	sqlite3_stmt *select;

	strbuf_printf(&sql, "SELECT * FROM %s", name);
	if (base->failed ||
	    sqlite3_prepare_v2(base->handle, strbuf_text(&sql), -1, &select, NULL) != SQLITE_OK) {
		fail(base);
		return table;
	}
	table.column_count = sqlite3_column_count(select);
	sqlite3_finalize(select);
	strbuf_clear(&sql);
	strbuf_printf(&sql, "INSERT INTO %s VALUES (?", name);
	for (int i = 1; i < table.column_count; i++)
		strbuf_puts(&sql, ",?");
	strbuf_putc(&sql, ')');
	if (sqlite3_prepare_v2(base->handle, strbuf_text(&sql), -1, &table.insert, NULL) !=
	    SQLITE_OK)
		fail(base);
	return table;
}

static void put(struct table *table, struct cell cell)
{
	struct strbuf *buf = &table->base->text;

	table->column++;
	switch (cell.kind) {
	case CELL_NULL:
		sqlite3_bind_null(table->insert, table->column);
		break;
	case CELL_INTEGER:
		sqlite3_bind_int64(table->insert, table->column, (sqlite3_int64)cell.number);
		break;
	case CELL_FLOAT:
		sqlite3_bind_double(table->insert, table->column, cell.real);
		break;
	case CELL_STRING:
		strbuf_clear(buf);
		escape_utf8(buf, cell.text);
		sqlite3_bind_text64(table->insert, table->column, strbuf_text(buf), buf->length,
				    SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	}
}

void table_put_cells(struct table *table, const struct cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(table, cells[i]);
}

void table_end_row(struct table *table)
{
	bool is_whole = table->column == table->column_count;

	table->column = 0;
	if (table->base->failed)
		return;
	if (!is_whole || sqlite3_step(table->insert) != SQLITE_DONE)
		fail(table->base);
	sqlite3_reset(table->insert);
}

void table_close(struct table *table)
{
	sqlite3_finalize(table->insert);
}
