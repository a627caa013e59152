// SPDX-License-Identifier: Apache-2.0
// Faults, or operations of storage, counted by their words, for programs.
#include "render/pivot.h"

#include "base/cleanup.h"
#include "model/missing.h"
#include "render/emit.h"
#include "render/escape.h"

static const struct pivot_value *value_of(const struct pivot *pivot, const struct pivot_row *row,
					  size_t axis)
{
	return &pivot->axes[axis].values[row->values[axis]];
}

static void add_read_bytes(struct strbuf *buf, const struct pivot *pivot,
			   const struct model_count *count)
{
	emit_number(buf, count->read_pages * pivot->page_size);
}

static void add_count(struct strbuf *buf, const struct pivot *pivot,
		      const struct model_count *count, uint64_t pages)
{
	emit_literal(buf, "\"faults\":");
	emit_number(buf, count->faults);
	emit_literal(buf, ",\"major\":");
	emit_number(buf, count->major);
	emit_literal(buf, ",\"duration_ns\":");
	emit_number(buf, count->duration_ns);
	emit_literal(buf, ",\"own_ns\":");
	emit_number(buf, count->own_ns);
	emit_literal(buf, ",\"late_ns\":");
	emit_number(buf, count->late_ns);
	emit_literal(buf, ",\"pages\":");
	emit_number(buf, pages);
	emit_literal(buf, ",\"read_bytes\":");
	if (pivot->has_reads)
		add_read_bytes(buf, pivot, count);
	else
		emit_literal(buf, "null");
}

static void add_io(struct strbuf *buf, const struct iosum *sum)
{
	emit_literal(buf, "\"operations\":");
	emit_number(buf, sum->operations);
	emit_literal(buf, ",\"requests\":");
	emit_number(buf, sum->requests);
	emit_literal(buf, ",\"bytes\":");
	emit_number(buf, sum->bytes);
	emit_literal(buf, ",\"latency_ns\":");
	emit_number(buf, sum->latency_ns);
	emit_literal(buf, ",\"wait_ns\":");
	emit_number(buf, sum->wait_ns);
}

static void add_json_name(struct strbuf *buf, const char *name)
{
	if (name)
		escape_json(buf, name);
	else
		emit_literal(buf, "null");
}

/** Numbers and truth are what they are in a fault's own JSON; names are strings. */
static void add_json_value(struct strbuf *buf, enum pivot_kind kind,
			   const struct pivot_value *value)
{
	if (value->name && (kind == PIVOT_NUMBERS || kind == PIVOT_TRUTH))
		strbuf_puts(buf, value->name);
	else
		add_json_name(buf, value->name);
}

static void add_row(struct strbuf *buf, const struct pivot *pivot, const struct pivot_row *row)
{
	strbuf_putc(buf, '{');
	for (size_t i = 0; i < pivot->axis_count; i++) {
		strbuf_printf(buf, "\"%s\":", pivot->axes[i].word);
		add_json_value(buf, pivot->axes[i].kind, value_of(pivot, row, i));
		strbuf_putc(buf, ',');
		if (!pivot->axes[i].owner_word)
			continue;
		strbuf_printf(buf, "\"%s\":", pivot->axes[i].owner_word);
		add_json_name(buf, value_of(pivot, row, i)->owner);
		strbuf_putc(buf, ',');
	}
	if (pivot->is_of_io)
		add_io(buf, &row->io);
	else
		add_count(buf, pivot, &row->count, row->pages);
	strbuf_putc(buf, '}');
}

enum { DRAIN_BYTES = 1 << 16 };

bool render_pivot_json(const struct model *model, const struct pivot *pivot, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	emit_answer_head(&buf, model, pivot->is_of_io ? "elfault.io-pivot/1" : "elfault.pivot/1");
	emit_literal(&buf, ",\n\"counts\":{\"recorded\":");
	emit_number(&buf, model->counts.recorded);
	emit_literal(&buf, ",\"lost\":");
	emit_number(&buf, model->counts.lost);
	emit_literal(&buf, ",\"missing\":");
	emit_number(&buf, model_missing(&model->counts).total);
	emit_literal(&buf, "},\n\"by\":[");
	for (size_t i = 0; i < pivot->axis_count; i++)
		strbuf_printf(&buf, "%s\"%s\"", i > 0 ? "," : "", pivot->axes[i].word);
	emit_literal(&buf, "],\n\"total\":{");
	if (pivot->is_of_io)
		add_io(&buf, &pivot->io_total);
	else
		add_count(&buf, pivot, &pivot->total, pivot->pages);
	emit_literal(&buf, "},\n\"rows\":[");
	for (size_t i = 0; ok && i < pivot->row_count; i++) {
		strbuf_puts(&buf, i > 0 ? ",\n" : "\n");
		add_row(&buf, pivot, &pivot->rows[i]);
		ok = emit_drain(&buf, DRAIN_BYTES, out);
	}
	emit_literal(&buf, "],\n\"notes\":[");
	for (size_t i = 0; ok && i < model->notes.list.count; i++) {
		const struct note *note = &model->notes.list.items[i];
		CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

		note_print(note, &text);
		strbuf_puts(&buf, i > 0 ? "," : "");
		escape_json(&buf, strbuf_text(&text));
	}
	emit_literal(&buf, "]}\n");
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}

bool render_pivot_ndjson(const struct pivot *pivot, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < pivot->row_count; i++) {
		add_row(&buf, pivot, &pivot->rows[i]);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, DRAIN_BYTES, out);
	}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}

static void add_cells(struct strbuf *buf, const struct pivot *pivot, const struct pivot_row *row)
{
	emit_number(buf, row->count.faults);
	strbuf_putc(buf, ',');
	emit_number(buf, row->count.major);
	strbuf_putc(buf, ',');
	emit_number(buf, row->count.duration_ns);
	strbuf_putc(buf, ',');
	emit_number(buf, row->count.own_ns);
	strbuf_putc(buf, ',');
	emit_number(buf, row->count.late_ns);
	strbuf_putc(buf, ',');
	emit_number(buf, row->pages);
	strbuf_putc(buf, ',');
	if (pivot->has_reads)
		add_read_bytes(buf, pivot, &row->count);
}

static void add_io_cells(struct strbuf *buf, const struct iosum *sum)
{
	const uint64_t cells[] = { sum->operations, sum->requests, sum->bytes, sum->latency_ns,
				   sum->wait_ns };

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		strbuf_puts(buf, i > 0 ? "," : "");
		emit_number(buf, cells[i]);
	}
}

bool render_pivot_csv(const struct pivot *pivot, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	for (size_t i = 0; i < pivot->axis_count; i++) {
		strbuf_printf(&buf, "%s,", pivot->axes[i].word);
		if (pivot->axes[i].owner_word)
			strbuf_printf(&buf, "%s,", pivot->axes[i].owner_word);
	}
	strbuf_puts(&buf, pivot->is_of_io
				  ? "operations,requests,bytes,latency_ns,wait_ns\n"
				  : "faults,major,duration_ns,own_ns,late_ns,pages,read_bytes\n");
	for (size_t i = 0; ok && i < pivot->row_count; i++) {
		const struct pivot_row *row = &pivot->rows[i];

		for (size_t a = 0; a < pivot->axis_count; a++) {
			const struct pivot_value *value = value_of(pivot, row, a);

			if (value->name)
				escape_csv(&buf, value->name);
			strbuf_putc(&buf, ',');
			if (!pivot->axes[a].owner_word)
				continue;
			if (value->owner)
				escape_csv(&buf, value->owner);
			strbuf_putc(&buf, ',');
		}
		if (pivot->is_of_io)
			add_io_cells(&buf, &row->io);
		else
			add_cells(&buf, pivot, row);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, DRAIN_BYTES, out);
	}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
