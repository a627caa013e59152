// SPDX-License-Identifier: Apache-2.0
// Predictions as a table for spreadsheets and data frames.
#include "render/whatif.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

static void add_known(struct strbuf *buf, bool is_known, uint64_t number)
{
	strbuf_putc(buf, ',');
	if (is_known)
		emit_number(buf, number);
}

static void add_text(struct strbuf *buf, const char *text)
{
	strbuf_putc(buf, ',');
	if (text)
		escape_csv(buf, text);
}

static void add_sum(struct strbuf *buf, const struct whatif_answer *answer,
		    const struct whatif_sum *sum, bool has_faults, bool has_time)
{
	add_known(buf, has_faults, sum->faults);
	add_known(buf, true, sum->major);
	add_known(buf, !has_faults || answer->has_reads, sum->read_bytes);
	add_known(buf, has_time, sum->duration_ns);
}

bool render_whatif_csv(const struct whatif_answer *answer, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	strbuf_puts(&buf, "cure,group,applies,faults,major,read_bytes,duration_ns,bound,"
			  "error_percent,object,how,reason,error_ns\nnone,,true");
	add_sum(&buf, answer, &answer->before, true, answer->has_time);
	strbuf_puts(&buf, ",false,0,,,,\n");
	array_foreach (row, answer->items, answer->count) {
		strbuf_printf(&buf, "%s,%s,%s", row->cure, whatif_group_name(row->group),
			      row->applies ? "true" : "false");
		if (row->applies)
			add_sum(&buf, answer, &row->after, row->group != WHATIF_COLD_START,
				row->has_time);
		else
			strbuf_puts(&buf, ",,,,");
		strbuf_printf(&buf, ",%s", row->saves.is != MODEL_PREDICTION ? "true" : "false");
		add_known(&buf, row->applies && row->saves.is == MODEL_PREDICTION,
			  row->error_percent);
		add_text(&buf, row->object);
		add_text(&buf, row->how);
		add_text(&buf, row->reason);
		add_known(&buf, row->saves.error_ns > 0, row->saves.error_ns);
		strbuf_putc(&buf, '\n');
	}
	return emit_drain(&buf, 0, out) && fflush(out) == 0;
}
