// SPDX-License-Identifier: Apache-2.0
// Two files compared, as a table for spreadsheets and data frames: what differs, a row each.
#include "render/map.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

static void add_pair(struct strbuf *buf, const uint64_t *sides)
{
	for (int side = 0; side < MAPDIFF_SIDES; side++) {
		strbuf_putc(buf, ',');
		emit_number(buf, sides[side]);
	}
}

bool render_mapdiff_csv(const struct mapdiff *diff, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	strbuf_puts(&buf, "by,name,section,before,after,before_memory,after_memory,before_count,"
			  "after_count,before_shared,after_shared\n");
	for (int by = 0; by < MAPDIFF_TABLES; by++)
		for (size_t i = 0; ok && i < diff->tables[by].row_count; i++) {
			const struct mapdiff_row *row = &diff->tables[by].rows[i];

			strbuf_printf(&buf, "%s,", mapdiff_by_word((enum mapdiff_by)by));
			escape_csv(&buf, row->name);
			strbuf_putc(&buf, ',');
			escape_csv(&buf, row->section ? row->section : "");
			add_pair(&buf, row->size);
			add_pair(&buf, row->memory);
			add_pair(&buf, row->count);
			add_pair(&buf, row->shared);
			strbuf_putc(&buf, '\n');
			ok = emit_drain(&buf, 1 << 18, out);
		}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
