// SPDX-License-Identifier: Apache-2.0
// A comparison as one JSON document, a row at a time: there may be a hundred thousand.

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "render/diff/diff.h"
#include "render/emit.h"
#include "render/escape.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { DRAIN = 1 << 16 };

/** A document being written. */
struct diffjson {
	const struct comparison *comparison;
	struct strbuf buf;
	struct arena arena;
};

/** `"key":`, after a comma unless it is the first of an object. */
static void add_key(struct diffjson *json, const char *key)
{
	struct strbuf *buf = &json->buf;
	char last = buf->length > 0 ? buf->text[buf->length - 1] : '\0';

	if (last != '{')
		strbuf_putc(buf, ',');
	strbuf_printf(buf, "\"%s\":", key);
}

static void add_text(struct diffjson *json, const char *key, const char *text)
{
	add_key(json, key);
	if (text)
		escape_json(&json->buf, text);
	else
		emit_literal(&json->buf, "null");
}

static void add_number(struct diffjson *json, const char *key, uint64_t number)
{
	add_key(json, key);
	emit_number(&json->buf, number);
}

static void add_bool(struct diffjson *json, const char *key, bool value)
{
	add_key(json, key);
	strbuf_puts(&json->buf, value ? "true" : "false");
}

/** A median and the like: exact up to 2^53, a quarter at the least. */
static void add_real(struct diffjson *json, const char *key, double number)
{
	add_key(json, key);
	if (fabs(number) < 0x1p63 && number == (double)(int64_t)number)
		strbuf_printf(&json->buf, "%lld", (long long)number);
	else
		strbuf_printf(&json->buf, "%.17g", number);
}

/** The numbers of one side's runs, @stride apart in @values. */
static void add_run_numbers(struct diffjson *json, const char *key, const uint64_t *values,
			    size_t stride, enum compare_side side)
{
	const size_t *counts = json->comparison->run_count;
	size_t first = side == COMPARE_BEFORE ? 0 : counts[COMPARE_BEFORE];

	add_key(json, key);
	strbuf_putc(&json->buf, '[');
	for (size_t i = first; i < first + counts[side]; i++) {
		if (i > first)
			strbuf_putc(&json->buf, ',');
		emit_number(&json->buf, values[i * stride]);
	}
	strbuf_putc(&json->buf, ']');
}

static void add_figure_words(struct diffjson *json, const struct compare_figure *figure)
{
	add_real(json, "before", figure->median[COMPARE_BEFORE]);
	add_real(json, "after", figure->median[COMPARE_AFTER]);
	add_real(json, "difference", figure->difference);
	add_text(json, "verdict", compare_verdict_name(figure->verdict));
	add_real(json, "p", figure->p);
}

static void add_figure(struct diffjson *json, const char *key, const struct compare_figure *figure,
		       const uint64_t *values, size_t stride)
{
	add_key(json, key);
	strbuf_putc(&json->buf, '{');
	add_figure_words(json, figure);
	add_real(json, "before_spread", figure->spread[COMPARE_BEFORE]);
	add_real(json, "after_spread", figure->spread[COMPARE_AFTER]);
	add_run_numbers(json, "before_runs", values, stride, COMPARE_BEFORE);
	add_run_numbers(json, "after_runs", values, stride, COMPARE_AFTER);
	strbuf_putc(&json->buf, '}');
}

static void add_figures(struct diffjson *json, const struct compare_row *row)
{
	for (int metric = 0; metric < COMPARE_METRICS; metric++) {
		const char *name = compare_metric_name((enum compare_metric)metric);

		if (metric == COMPARE_READ && !json->comparison->has_reads)
			add_text(json, name, NULL);
		else
			add_figure(json, name, &row->figures[metric], row->runs + metric,
				   COMPARE_METRICS);
	}
}

static const char *path_of(const struct comparison *comparison, uint32_t id)
{
	if (id == MODEL_NONE)
		return NULL;
	const char *const *path = comparison->objects[id].path;
	return path[COMPARE_AFTER] ? path[COMPARE_AFTER] : path[COMPARE_BEFORE];
}

static void add_row(struct diffjson *json, enum compare_table table, const struct compare_row *row)
{
	strbuf_putc(&json->buf, '{');
	if (table > COMPARE_BY_MECHANISM) {
		add_text(json, "object", path_of(json->comparison, row->object));
		add_key(json, "object_id");
		if (row->object == MODEL_NONE)
			emit_literal(&json->buf, "null");
		else
			emit_number(&json->buf, row->object);
	}
	if (table == COMPARE_BY_CAUSE) {
		add_text(json, "section", row->name);
		add_text(json, "initiator",
			 model_initiator_name((enum model_initiator)row->initiator));
		add_text(json, "explanation",
			 row->figures[COMPARE_FAULTS].difference != 0
				 ? compare_explain(json->comparison, row, &json->arena)
				 : NULL);
	} else if (table != COMPARE_BY_OBJECT) {
		add_text(json, compare_table_name(table), row->name);
	}
	if (table == COMPARE_BY_INITIALIZER)
		add_text(json, "source", row->source);
	add_figures(json, row);
	strbuf_putc(&json->buf, '}');
}

/** One side's layout, null where it is not there. */
static void add_layout(struct diffjson *json, const struct compare_object *object,
		       enum compare_side side)
{
	const struct compare_layout *layout = &object->layout[side];

	add_key(json, side == COMPARE_BEFORE ? "before" : "after");
	if (!object->path[side]) {
		emit_literal(&json->buf, "null");
		return;
	}
	strbuf_putc(&json->buf, '{');
	add_text(json, "path", object->path[side]);
	add_text(json, "build_id", layout->build_id);
	add_number(json, "size", layout->size);
	add_number(json, "initializers", layout->initializers);
	add_key(json, "relocations");
	if (layout->has_relocation) {
		strbuf_putc(&json->buf, '{');
		for (int i = 0; i < MODEL_RELOCATION_CLASSES; i++)
			add_number(json,
				   model_relocation_class_name((enum model_relocation_class)i),
				   layout->relocations[i]);
		add_text(json, "encoding", layout->encoding);
		add_number(json, "table_bytes", layout->table_bytes);
		add_number(json, "pages_holding", layout->pages_holding);
		add_number(json, "lookups_at_load", layout->lookups_at_load);
		add_bool(json, "bind_now", layout->bind_now);
		strbuf_putc(&json->buf, '}');
	} else {
		emit_literal(&json->buf, "null");
	}
	strbuf_putc(&json->buf, '}');
}

/** Sections that both sides have in one size say nothing and are left out. */
static void add_sections(struct diffjson *json, const struct compare_object *object)
{
	bool is_first = true;

	add_key(json, "sections");
	strbuf_putc(&json->buf, '[');
	array_foreach (section, object->sections, object->section_count) {
		const bool *is_there = section->is_there;

		if (is_there[COMPARE_BEFORE] && is_there[COMPARE_AFTER] &&
		    section->size[COMPARE_BEFORE] == section->size[COMPARE_AFTER])
			continue;
		strbuf_puts(&json->buf, is_first ? "{" : ",{");
		is_first = false;
		add_text(json, "section", section->name);
		for (int side = 0; side < COMPARE_SIDES; side++) {
			const char *key = side == COMPARE_BEFORE ? "before" : "after";

			if (is_there[side])
				add_number(json, key, section->size[side]);
			else
				add_text(json, key, NULL);
		}
		strbuf_putc(&json->buf, '}');
	}
	strbuf_putc(&json->buf, ']');
}

/** One column of a curve. */
static void add_points(struct diffjson *json, const char *key, const struct locality_point *points,
		       size_t count, size_t offset)
{
	add_key(json, key);
	strbuf_putc(&json->buf, '[');
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strbuf_putc(&json->buf, ',');
		emit_number(&json->buf, *(const uint64_t *)((const char *)&points[i] + offset));
	}
	strbuf_putc(&json->buf, ']');
}

static void add_curve(struct diffjson *json, const char *key, const char *counted,
		      const struct locality_point *points, size_t count)
{
	add_key(json, key);
	strbuf_putc(&json->buf, '{');
	add_points(json, counted, points, count, offsetof(struct locality_point, count));
	add_points(json, "pages", points, count, offsetof(struct locality_point, pages));
	add_points(json, "time_ns", points, count, offsetof(struct locality_point, time_ns));
	strbuf_putc(&json->buf, '}');
}

/** Add one side's locality beside its figures, null if the file is not there. */
static void add_locality_side(struct diffjson *json, const struct compare_object *object,
			      enum compare_side side)
{
	const struct compare_locality *locality = object->locality;
	const struct compare_curves *curves = &locality->curves[side];
	double number;

	add_key(json, side == COMPARE_BEFORE ? "before" : "after");
	if (!object->path[side]) {
		emit_literal(&json->buf, "null");
		return;
	}
	strbuf_putc(&json->buf, '{');
	if (compare_packing(locality, side, &number))
		add_real(json, "packing", number);
	else
		add_text(json, "packing", NULL);
	if (compare_pages_per_function(locality, side, &number))
		add_real(json, "pages_per_function", number);
	else
		add_text(json, "pages_per_function", NULL);
	add_number(json, "only_here", locality->only[side]);
	add_number(json, "unclear", locality->unclear[side]);
	add_key(json, "common");
	strbuf_putc(&json->buf, '{');
	add_number(json, "code_pages", locality->common[side].code_pages);
	add_number(json, "code_bytes", locality->common[side].code_bytes);
	add_number(json, "area", locality->common[side].area);
	add_number(json, "least_area", locality->common[side].least_area);
	strbuf_putc(&json->buf, '}');
	add_number(json, "run", curves->run);
	add_curve(json, "code_curve", "functions", curves->code, curves->code_count);
	add_curve(json, "file_curve", "faults", curves->file, curves->file_count);
	strbuf_putc(&json->buf, '}');
}

static void add_move(struct diffjson *json, const struct compare_move *move)
{
	strbuf_putc(&json->buf, '{');
	add_text(json, "function", move->name);
	for (int side = 0; side < COMPARE_SIDES; side++) {
		add_key(json, side == COMPARE_BEFORE ? "before" : "after");
		strbuf_putc(&json->buf, '{');
		add_text(json, "section", move->section[side]);
		add_key(json, "vaddr");
		strbuf_putc(&json->buf, '"');
		emit_addr(&json->buf, move->vaddr[side]);
		strbuf_putc(&json->buf, '"');
		add_number(json, "size", move->size[side]);
		add_number(json, "page", move->page[side]);
		add_number(json, "place", move->place[side]);
		add_real(json, "first_use", move->first_use[side]);
		add_real(json, "faults", move->faults[side]);
		strbuf_putc(&json->buf, '}');
	}
	strbuf_putc(&json->buf, '}');
}

static void add_locality(struct diffjson *json, const struct compare_object *object)
{
	const struct compare_locality *locality = object->locality;

	add_key(json, "locality");
	if (!locality) {
		emit_literal(&json->buf, "null");
		return;
	}
	strbuf_putc(&json->buf, '{');
	for (int metric = 0; metric < COMPARE_LOCALITY_METRICS; metric++)
		add_figure(json, compare_locality_metric_name((enum compare_locality_metric)metric),
			   &locality->figures[metric], locality->runs + metric,
			   COMPARE_LOCALITY_METRICS);
	add_locality_side(json, object, COMPARE_BEFORE);
	add_locality_side(json, object, COMPARE_AFTER);
	add_number(json, "matched", locality->move_count);
	add_key(json, "moved");
	strbuf_putc(&json->buf, '[');
	for (size_t i = 0; i < locality->moved_count; i++) {
		if (i > 0)
			strbuf_putc(&json->buf, ',');
		add_move(json, &locality->moves[i]);
	}
	strbuf_puts(&json->buf, "]}");
}

static void add_object(struct diffjson *json, const struct compare_object *object)
{
	strbuf_putc(&json->buf, '{');
	add_text(json, "label", object->label);
	add_text(json, "paired_by", compare_pairing_name(object->pairing));
	add_layout(json, object, COMPARE_BEFORE);
	add_layout(json, object, COMPARE_AFTER);
	add_sections(json, object);
	add_locality(json, object);
	strbuf_putc(&json->buf, '}');
}

static void add_side(struct diffjson *json, enum compare_side side)
{
	const struct comparison *comparison = json->comparison;
	size_t first = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];

	add_key(json, side == COMPARE_BEFORE ? "before" : "after");
	strbuf_putc(&json->buf, '[');
	for (size_t i = first; i < first + comparison->run_count[side]; i++) {
		const struct compare_run *run = &comparison->runs[i];

		strbuf_puts(&json->buf, i > first ? ",{" : "{");
		add_text(json, "path", run->path);
		add_text(json, "command", run->command);
		add_bool(json, "complete", run->complete);
		add_number(json, "duration_ns", run->duration_ns);
		add_bool(json, "has_reads", run->has_reads);
		add_number(json, "lost", run->lost);
		add_number(json, "missing", run->missing);
		add_bool(json, "has_account", run->has_account);
		add_bool(json, "has_storage", run->has_storage);
		strbuf_putc(&json->buf, '}');
	}
	strbuf_putc(&json->buf, ']');
}

static bool write_rows(struct diffjson *json, FILE *out)
{
	const struct comparison *comparison = json->comparison;

	for (int table = 0; table < COMPARE_TABLES; table++) {
		strbuf_printf(&json->buf, ",\n\"by_%s\":[",
			      compare_table_name((enum compare_table)table));
		for (size_t i = 0; i < comparison->row_count[table]; i++) {
			strbuf_puts(&json->buf, i > 0 ? ",\n" : "\n");
			add_row(json, (enum compare_table)table, &comparison->rows[table][i]);
			if (!emit_drain(&json->buf, DRAIN, out))
				return false;
		}
		strbuf_putc(&json->buf, ']');
	}
	return true;
}

static bool write_objects(struct diffjson *json, FILE *out)
{
	emit_literal(&json->buf, ",\n\"objects\":[");
	for (size_t i = 0; i < json->comparison->object_count; i++) {
		strbuf_puts(&json->buf, i > 0 ? ",\n" : "\n");
		add_object(json, &json->comparison->objects[i]);
		if (!emit_drain(&json->buf, DRAIN, out))
			return false;
	}
	strbuf_putc(&json->buf, ']');
	return true;
}

static void add_findings(struct diffjson *json)
{
	const struct comparison *comparison = json->comparison;

	emit_literal(&json->buf, ",\n\"findings\":[");
	for (size_t i = 0; i < comparison->finding_count; i++) {
		const struct compare_finding *finding = &comparison->findings[i];

		strbuf_puts(&json->buf, i > 0 ? ",\n{" : "\n{");
		add_text(json, "id", finding->id);
		add_text(json, "title", finding->title);
		add_text(json, "object", path_of(comparison, finding->object));
		add_text(json, "where", finding->where);
		add_text(json, "metric", compare_metric_name(finding->metric));
		add_figure_words(json, &finding->figure);
		add_bool(json, "is_cause", finding->is_cause);
		add_text(json, "evidence", finding->evidence);
		add_text(json, "advice", finding->advice);
		strbuf_putc(&json->buf, '}');
	}
	strbuf_putc(&json->buf, ']');
}

static void add_time(struct diffjson *json, const struct compare_time *row)
{
	strbuf_putc(&json->buf, '{');
	if (row->initiator != MODEL_NONE)
		add_text(json, "initiator",
			 model_initiator_name((enum model_initiator)row->initiator));
	add_text(json, "state", model_state_name((enum model_state)row->state));
	add_figure(json, "time_ns", &row->figure, row->runs, 1);
	if (row->initiator != MODEL_NONE) {
		add_real(json, "before_error", row->error_ns[COMPARE_BEFORE]);
		add_real(json, "after_error", row->error_ns[COMPARE_AFTER]);
	}
	strbuf_putc(&json->buf, '}');
}

/** Under @key those of @row on that are of the same threads, and of one initiator each or of all.
 */
static const struct compare_time *add_times(struct diffjson *json, const char *key, bool is_main,
					    bool is_of_one, const struct compare_time *row)
{
	const struct comparison *comparison = json->comparison;
	const struct compare_time *end = comparison->times + comparison->time_count;

	add_key(json, key);
	strbuf_putc(&json->buf, '[');
	for (bool is_first = true;
	     row < end && row->is_main == is_main && is_of_one == (row->initiator != MODEL_NONE);
	     row++, is_first = false) {
		if (!is_first)
			strbuf_putc(&json->buf, ',');
		add_time(json, row);
	}
	strbuf_putc(&json->buf, ']');
	return row;
}

/** The first thread, or all: the whole time, its states, then those of each initiator. */
static const struct compare_time *add_threads(struct diffjson *json, const char *const *keys,
					      bool is_main, const struct compare_time *row)
{
	const struct comparison *comparison = json->comparison;
	const struct compare_time *end = comparison->times + comparison->time_count;

	if (row < end && row->is_main == is_main && row->state == MODEL_NONE) {
		add_figure(json, keys[0], &row->figure, row->runs, 1);
		row++;
	} else {
		add_text(json, keys[0], NULL);
	}
	row = add_times(json, keys[1], is_main, false, row);
	return add_times(json, keys[2], is_main, true, row);
}

static void add_account(struct diffjson *json)
{
	static const char *const keys[][3] = { { "wall_ns", "main", "main_by_initiator" },
					       { "all_ns", "all", "by_initiator" } };
	const struct compare_time *row = json->comparison->times;

	emit_literal(&json->buf, ",\n\"account\":");
	if (json->comparison->time_count == 0) {
		emit_literal(&json->buf, "null");
		return;
	}
	strbuf_putc(&json->buf, '{');
	row = add_threads(json, keys[0], true, row);
	add_threads(json, keys[1], false, row);
	strbuf_putc(&json->buf, '}');
}

static void add_bytes(struct diffjson *json, const struct compare_bytes *row)
{
	strbuf_putc(&json->buf, '{');
	if (row->by >= COMPARE_BYTES_BY_FILE)
		add_text(json, "object",
			 row->object == MODEL_NONE ? row->path
						   : path_of(json->comparison, row->object));
	if (row->by != COMPARE_BYTES_BY_FILE)
		add_text(json, compare_bytes_by_name(row->by), row->name);
	add_figure(json, "bytes", &row->figure, row->runs, 1);
	strbuf_putc(&json->buf, '}');
}

static void add_storage(struct diffjson *json)
{
	const struct comparison *comparison = json->comparison;

	emit_literal(&json->buf, ",\n\"storage\":");
	if (comparison->bytes_count == 0) {
		emit_literal(&json->buf, "null");
		return;
	}
	const struct compare_bytes *row = comparison->bytes;
	const struct compare_bytes *end = row + comparison->bytes_count;

	strbuf_putc(&json->buf, '{');
	add_figure(json, "bytes", &row->figure, row->runs, 1);
	row++;
	for (enum compare_bytes_by by = COMPARE_BYTES_BY_CAUSE; by <= COMPARE_BYTES_BY_SECTION;
	     by++) {
		add_key(json, arena_printf(&json->arena, "by_%s", compare_bytes_by_name(by)));
		strbuf_putc(&json->buf, '[');
		for (bool is_first = true; row < end && row->by == by; row++, is_first = false) {
			if (!is_first)
				strbuf_putc(&json->buf, ',');
			add_bytes(json, row);
		}
		strbuf_putc(&json->buf, ']');
	}
	strbuf_putc(&json->buf, '}');
}

/** Add the notes of the runs of @side as numbers; "notes" has them in words. */
static void add_run_notes(struct diffjson *json, enum compare_side side)
{
	const struct runnotes *notes = &json->comparison->run_notes[side];

	add_key(json, side == COMPARE_BEFORE ? "before" : "after");
	strbuf_putc(&json->buf, '[');
	for (size_t i = 0; i < notes->list.count; i++) {
		const struct runnote *note = &notes->list.items[i];

		strbuf_puts(&json->buf, i > 0 ? ",{" : "{");
		add_text(json, "text", note->text);
		add_number(json, "runs", note->runs);
		add_number(json, "least", note->least);
		add_number(json, "most", note->most);
		strbuf_putc(&json->buf, '}');
	}
	strbuf_putc(&json->buf, ']');
}

bool render_diff_json(const struct comparison *comparison,
		      const struct render_diff_options *options, FILE *out)
{
	(void)options;
	struct diffjson json = { .comparison = comparison };
	struct strbuf *buf = &json.buf;

	strbuf_putc(buf, '{');
	add_text(&json, "schema", "elfault.diff/1");
	add_side(&json, COMPARE_BEFORE);
	add_side(&json, COMPARE_AFTER);
	add_bool(&json, "can_tell", comparison->can_tell);
	add_key(&json, "total");
	strbuf_putc(buf, '{');
	add_figures(&json, &comparison->total);
	strbuf_putc(buf, '}');
	add_account(&json);
	add_storage(&json);
	add_findings(&json);
	bool ok = write_rows(&json, out) && write_objects(&json, out);
	emit_literal(buf, ",\n\"notes\":[");
	for (size_t i = 0; i < comparison->notes.list.count; i++) {
		if (i > 0)
			strbuf_putc(buf, ',');
		escape_json(buf, comparison->notes.list.items[i].text);
	}
	emit_literal(buf, "],\n\"run_notes\":{");
	add_run_notes(&json, COMPARE_BEFORE);
	add_run_notes(&json, COMPARE_AFTER);
	emit_literal(buf, "}}\n");
	ok = ok && emit_drain(buf, 0, out);
	strbuf_deinit(buf);
	arena_deinit(&json.arena);
	return ok && fflush(out) == 0 && !ferror(out);
}
