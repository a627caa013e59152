// SPDX-License-Identifier: Apache-2.0
// Faults, or operations of storage, counted by their words, for programs.
#include "render/pivot.h"

#include "base/cleanup.h"
#include "model/missing.h"
#include "render/emit.h"
#include "render/escape.h"

#include <string.h>

static const struct pivot_value *value_of(const struct pivot *pivot, const struct pivot_row *row,
					  size_t axis)
{
	return &pivot->axes[axis].values[row->values[axis]];
}

/** A number of a row, by the name of its column. */
struct number {
	const char *name;
	uint64_t value;
	bool is_unknown;
};

enum { NUMBERS_MOST = 7 };

static size_t numbers_of_faults(const struct pivot *pivot, const struct pivot_row *row,
				struct number *ret_numbers)
{
	const struct model_count *count = row ? &row->count : &pivot->total;
	const struct number numbers[] = {
		{ "faults", count->faults },
		{ "major", count->major },
		{ "duration_ns", count->duration_ns },
		{ "own_ns", count->own_ns },
		{ "late_ns", count->late_ns },
		{ "pages", row ? row->pages : pivot->pages },
		{ "read_bytes", count->read_pages * pivot->page_size,
		  .is_unknown = !pivot->has_reads },
	};

	memcpy(ret_numbers, numbers, sizeof(numbers));
	return sizeof(numbers) / sizeof(numbers[0]);
}

static size_t numbers_of_io(const struct pivot *pivot, const struct pivot_row *row,
			    struct number *ret_numbers)
{
	const struct iosum *sum = row ? &row->io : &pivot->io_total;
	const struct number numbers[] = {
		{ "operations", sum->operations }, { "requests", sum->requests },
		{ "bytes", sum->bytes },	   { "latency_ns", sum->latency_ns },
		{ "wait_ns", sum->wait_ns },
	};

	memcpy(ret_numbers, numbers, sizeof(numbers));
	return sizeof(numbers) / sizeof(numbers[0]);
}

/** The numbers of @row, in the order of their columns; NULL: of all rows. Returns how many. */
static size_t numbers_of(const struct pivot *pivot, const struct pivot_row *row,
			 struct number ret_numbers[NUMBERS_MOST])
{
	return pivot->is_of_io ? numbers_of_io(pivot, row, ret_numbers)
			       : numbers_of_faults(pivot, row, ret_numbers);
}

static void add_numbers(struct strbuf *buf, const struct pivot *pivot, const struct pivot_row *row)
{
	struct number numbers[NUMBERS_MOST];
	size_t count = numbers_of(pivot, row, numbers);

	for (size_t i = 0; i < count; i++) {
		strbuf_puts(buf, i > 0 ? ",\"" : "\"");
		strbuf_puts(buf, numbers[i].name);
		emit_literal(buf, "\":");
		if (numbers[i].is_unknown)
			emit_literal(buf, "null");
		else
			emit_number(buf, numbers[i].value);
	}
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
	add_numbers(buf, pivot, row);
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
	add_numbers(&buf, pivot, NULL);
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

bool render_pivot_csv(const struct pivot *pivot, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	struct number numbers[NUMBERS_MOST];
	const size_t count = numbers_of(pivot, NULL, numbers);
	bool ok = true;

	for (size_t i = 0; i < pivot->axis_count; i++) {
		strbuf_printf(&buf, "%s,", pivot->axes[i].word);
		if (pivot->axes[i].owner_word)
			strbuf_printf(&buf, "%s,", pivot->axes[i].owner_word);
	}
	for (size_t i = 0; i < count; i++)
		strbuf_printf(&buf, "%s%s", i > 0 ? "," : "", numbers[i].name);
	strbuf_putc(&buf, '\n');
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
		numbers_of(pivot, row, numbers);
		for (size_t n = 0; n < count; n++) {
			strbuf_puts(&buf, n > 0 ? "," : "");
			if (!numbers[n].is_unknown)
				emit_number(&buf, numbers[n].value);
		}
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, DRAIN_BYTES, out);
	}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
