// SPDX-License-Identifier: Apache-2.0
// A baseline as JSON for a repository: one row per line, in an order that numbers do not change, so
// that a review shows what changed and nothing else.
#include "render/budget/budget.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "render/escape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct strbuf *out, const char *text)
{
	if (text)
		escape_json(out, text);
	else
		strbuf_puts(out, "null");
}

static void add_real(struct strbuf *out, double number)
{
	if (number == floor(number))
		strbuf_printf(out, "%.0f", number);
	else
		strbuf_printf(out, "%.17g", number);
}

/** A row as it is written: its order must be that of the values that a reader will find. */
struct written_row {
	double value;
	const char *values[BUDGET_WORDS_MAX];
};

static int compare_rows(const void *a, const void *b)
{
	const struct written_row *x = a, *y = b;
	int order = 0;

	for (size_t i = 0; !order && i < BUDGET_WORDS_MAX; i++)
		order = order_text_or_none(x->values[i], y->values[i]);
	return order ? order : (x->value > y->value) - (x->value < y->value);
}

/** @text as valid UTF-8, in @arena. */
static const char *written_text(struct arena *arena, const char *text)
{
	CLEANUP(strbuf_deinit) struct strbuf valid = { 0 };

	if (!text)
		return NULL;
	escape_utf8(&valid, text);
	return arena_strdup(arena, strbuf_text(&valid));
}

/** The rows of @table in order. */
static const struct written_row *sorted_rows(struct arena *arena, const struct budget_table *table)
{
	struct written_row *rows = arena_array(arena, table->row_count + 1, sizeof(*rows));

	for (size_t i = 0; i < table->row_count; i++) {
		rows[i].value = table->rows[i].value;
		for (size_t word = 0; word < table->word_count; word++)
			rows[i].values[word] = written_text(arena, table->rows[i].values[word]);
	}
	qsort(rows, table->row_count, sizeof(*rows), compare_rows);
	return rows;
}

static void add_table(struct strbuf *out, const struct budget_table *table)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct written_row *rows = sorted_rows(&arena, table);

	strbuf_puts(out, "      {\"by\": [");
	for (size_t i = 0; i < table->word_count; i++) {
		strbuf_puts(out, i > 0 ? ", " : "");
		add_text(out, table->words[i]);
	}
	strbuf_puts(out, "], \"least\": ");
	add_real(out, table->least);
	strbuf_puts(out, ", \"rows\": [");
	for (size_t i = 0; i < table->row_count; i++) {
		strbuf_puts(out, i > 0 ? ",\n        [" : "\n        [");
		add_real(out, rows[i].value);
		for (size_t word = 0; word < table->word_count; word++) {
			strbuf_puts(out, ", ");
			add_text(out, rows[i].values[word]);
		}
		strbuf_putc(out, ']');
	}
	strbuf_puts(out, "]}");
}

static void add_measure(struct strbuf *out, const struct budget_measure *measure)
{
	bool is_first = true;

	strbuf_puts(out, "    {\"limit\": ");
	add_text(out, measure->subject);
	strbuf_puts(out, ",\n     \"value\": ");
	add_real(out, measure->value);
	strbuf_puts(out, ", \"spread\": ");
	add_real(out, measure->spread);
	strbuf_puts(out, ", \"tables\": [");
	for (size_t i = 0; i < BUDGET_TABLES; i++) {
		strbuf_puts(out, is_first ? "\n" : ",\n");
		add_table(out, &measure->tables[i]);
		is_first = false;
	}
	strbuf_puts(out, "]}");
}

/** Names that are not UTF-8 may be written alike: the first stands, as keys of JSON must differ. */
static void add_sections(struct strbuf *out, const struct budget_object *object)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char **names = arena_array(&arena, object->section_count + 1, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < object->section_count; i++) {
		const char *name = written_text(&arena, object->sections[i].name);
		size_t same = 0;

		while (same < count && strcmp(names[same], name) != 0)
			same++;
		if (same < count)
			continue;
		names[count++] = name;
		strbuf_puts(out, count > 1 ? ", " : "");
		add_text(out, name);
		strbuf_printf(out, ": %llu", (unsigned long long)object->sections[i].size);
	}
}

static void add_object(struct strbuf *out, const struct budget_object *object)
{
	strbuf_puts(out, "    {\"object\": ");
	add_text(out, object->name);
	strbuf_puts(out, ", \"build_id\": ");
	add_text(out, object->build_id);
	strbuf_printf(out,
		      ",\n     \"size\": %llu, \"relocations\": %llu, "
		      "\"relocation_table_bytes\": %llu, \"initializers\": %llu,\n     "
		      "\"sections\": {",
		      (unsigned long long)object->size, (unsigned long long)object->relocations,
		      (unsigned long long)object->table_bytes,
		      (unsigned long long)object->initializers);
	add_sections(out, object);
	strbuf_puts(out, "}}");
}

static void add_member(struct strbuf *out, const char *key, const char *text)
{
	strbuf_printf(out, "  \"%s\": ", key);
	add_text(out, text);
	strbuf_puts(out, ",\n");
}

static void add_document(struct strbuf *out, const struct budget_measures *measures)
{
	strbuf_puts(out, "{\n");
	add_member(out, "schema", "elfault.baseline/1");
	add_member(out, "command", measures->command);
	add_member(out, "backend", measures->backend);
	add_member(out, "kernel", measures->kernel);
	add_member(out, "machine", measures->machine);
	strbuf_printf(out, "  \"page_size\": %llu,\n  \"runs\": %zu,\n  \"limits\": [",
		      (unsigned long long)measures->page_size, measures->run_count);
	for (size_t i = 0; i < measures->count; i++) {
		strbuf_puts(out, i > 0 ? ",\n" : "\n");
		add_measure(out, &measures->list[i]);
	}
	strbuf_puts(out, "\n  ],\n  \"objects\": [");
	for (size_t i = 0; i < measures->object_count; i++) {
		strbuf_puts(out, i > 0 ? ",\n" : "\n");
		add_object(out, &measures->objects[i]);
	}
	strbuf_puts(out, "\n  ]\n}\n");
}

bool render_baseline_json(const struct budget_measures *measures, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	add_document(&text, measures);
	fwrite(text.text, 1, text.length, out);
	return fflush(out) == 0 && !ferror(out);
}
