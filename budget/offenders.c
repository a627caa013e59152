// SPDX-License-Identifier: Apache-2.0

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/strbuf.h"
#include "budget/parts.h"

#include <string.h>

enum { CHANGES_MAX = 20 };

// ---- Rows -----------------------------------------------------------------------------------

ORDER_OF_POINTERS(compare_row_values, budget_row, parts_compare_values(x->values, y->values))

/** The rows of @table in the order of their values; to be freed. */
static const struct budget_row **by_values(const struct budget_table *table)
{
	const struct budget_row **rows = xcalloc(table->row_count + 1, sizeof(const void *));

	for (size_t i = 0; i < table->row_count; i++)
		rows[i] = &table->rows[i];
	qsort(rows, table->row_count, sizeof(const void *), compare_row_values);
	return rows;
}

static const struct budget_row *row_like(const struct budget_row *const *rows, size_t count,
					 const struct budget_row *row)
{
	const struct budget_row **found =
		bsearch(&row, rows, count, sizeof(const void *), compare_row_values);

	return found ? *found : NULL;
}

static bool is_same_words(const struct budget_table *a, const struct budget_table *b)
{
	bool is_same = a->word_count == b->word_count;

	for (size_t i = 0; is_same && i < a->word_count; i++)
		is_same = strcmp(a->words[i], b->words[i]) == 0;
	return is_same;
}

/** By how much the row is known to have changed. */
static double change_of(const struct budget_change *change)
{
	double before = change->before > change->at_most ? change->before : change->at_most;

	return change->has_before ? change->value - before : change->value;
}

ORDER_OF(compare_growth, budget_change,
	 ORDER(change_of(y), change_of(x)) ?: parts_compare_values(x->values, y->values))

ORDER_OF(compare_shrinking, budget_change,
	 ORDER(change_of(x), change_of(y)) ?: parts_compare_values(x->values, y->values))

static struct budget_change row_change(const struct budget_table *table,
				       const struct budget_row *row, double value)
{
	return (struct budget_change){ .words = table->words,
				       .word_count = table->word_count,
				       .values = row->values,
				       .value = value };
}

/** Rows that grew, or shrank, since @before. Returns how many. */
static size_t find_changed(const struct budget_table *is, const struct budget_table *was,
			   bool is_too_high, struct budget_change *ret_rows)
{
	CLEANUP(freep) const struct budget_row **is_rows = by_values(is);
	CLEANUP(freep) const struct budget_row **was_rows = by_values(was);
	size_t count = 0;

	for (size_t i = 0; i < is->row_count; i++) {
		const struct budget_row *before = row_like(was_rows, was->row_count, &is->rows[i]);
		struct budget_change change = row_change(is, &is->rows[i], is->rows[i].value);

		change.has_before = true;
		change.before = before ? before->value : 0;
		change.at_most = before ? 0 : was->least;
		if (is_too_high ? change_of(&change) > 0 : change_of(&change) < 0)
			ret_rows[count++] = change;
	}
	// Those that are gone explain a value that is too low, unless they are among the small.
	for (size_t i = 0; !is_too_high && i < was->row_count; i++) {
		struct budget_change change = row_change(is, &was->rows[i], 0);

		if (row_like(is_rows, is->row_count, &was->rows[i]) || is->least > 0)
			continue;
		change.has_before = true;
		change.before = was->rows[i].value;
		ret_rows[count++] = change;
	}
	qsort(ret_rows, count, sizeof(*ret_rows), is_too_high ? compare_growth : compare_shrinking);
	return count;
}

static void find_offenders(struct budget_answer *answer, struct budget_verdict *verdict,
			   size_t table, bool is_too_high)
{
	const struct budget_measure *before =
		answer->baseline ? budget_measure_of(answer->baseline, verdict->limit->subject)
				 : NULL;
	const struct budget_table *is = &verdict->measure->tables[table];
	const struct budget_table *was = before ? &before->tables[table] : NULL;
	size_t count = 0, most = is->row_count + (was ? was->row_count : 0);
	struct budget_change *rows = arena_array(&answer->arena, most + 1, sizeof(*rows));

	if (was && was->row_count > 0 && is_same_words(is, was))
		count = find_changed(is, was, is_too_high, rows);
	// Nothing grew, or nobody knows: what is largest.
	for (size_t i = 0; count < most && i < is->row_count && !rows[0].has_before; i++)
		rows[count++] = row_change(is, &is->rows[i], is->rows[i].value);
	verdict->offenders[table] = rows;
	verdict->offender_count[table] = count;
}

// ---- Files ----------------------------------------------------------------------------------

/** Sentences being made. */
struct sentences {
	struct arena *arena;
	const char **list;
	size_t count;
};

static void say(struct sentences *sentences, const char *text)
{
	if (sentences->count < CHANGES_MAX)
		sentences->list[sentences->count++] = text;
}

static const char *value_of(const struct budget_change *change, const char *word)
{
	for (size_t i = 0; i < change->word_count; i++)
		if (strcmp(change->words[i], word) == 0)
			return change->values[i];
	return NULL;
}

/** Does an offender, or the limit itself, name @value as @word? */
static bool is_named(const struct budget_verdict *verdict, const char *word, const char *value)
{
	const struct filter *filter = verdict->limit->filter;
	const char *pinned = filter ? filter_pinned(filter, word) : NULL;

	if (pinned && strcmp(pinned, value) == 0)
		return true;
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		for (size_t i = 0; i < verdict->offender_count[table]; i++) {
			const char *named = value_of(&verdict->offenders[table][i], word);

			if (named && strcmp(named, value) == 0)
				return true;
		}
	return false;
}

static bool is_concerned(const struct budget_verdict *verdict, const struct budget_object *object)
{
	static const char *const words[] = { "object", "init_object", "by_object" };

	for (size_t i = 0; i < 3; i++)
		if (is_named(verdict, words[i], object->name))
			return true;
	return false;
}

static void add_number(struct strbuf *text, struct arena *arena, const char *noun, uint64_t before,
		       uint64_t after)
{
	if (before != after)
		strbuf_printf(text, "; %s %s -> %s", noun, figure_number(arena, before),
			      figure_number(arena, after));
}

static void add_size(struct strbuf *text, struct arena *arena, const char *noun, uint64_t before,
		     uint64_t after)
{
	const char *was = figure_size(arena, before), *is = figure_size(arena, after);

	if (before == after)
		return;
	if (strcmp(was, is) == 0)
		strbuf_printf(text, "; %s %s -> %s B", noun, figure_number(arena, before),
			      figure_number(arena, after));
	else
		strbuf_printf(text, "; %s %s -> %s", noun, was, is);
}

static uint64_t section_size(const struct budget_object *object, const char *name)
{
	for (size_t i = 0; i < object->section_count; i++)
		if (strcmp(object->sections[i].name, name) == 0)
			return object->sections[i].size;
	return 0;
}

static const struct budget_object *object_named(const struct budget_measures *measures,
						const char *name)
{
	for (size_t i = 0; i < measures->object_count; i++)
		if (strcmp(measures->objects[i].name, name) == 0)
			return &measures->objects[i];
	return NULL;
}

/** The layout that changed: what bears on every fault, and the sections that are named. */
static void compare_objects(struct sentences *sentences, const struct budget_verdict *verdict,
			    const struct budget_object *was, const struct budget_object *is)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	struct arena *arena = sentences->arena;
	bool is_rebuilt = was->build_id && is->build_id && strcmp(was->build_id, is->build_id) != 0;

	add_number(&text, arena, "initializers", was->initializers, is->initializers);
	add_number(&text, arena, "relocations", was->relocations, is->relocations);
	add_size(&text, arena, "relocation tables", was->table_bytes, is->table_bytes);
	for (size_t i = 0; i < is->section_count; i++) {
		const char *name = is->sections[i].name;

		if (is_named(verdict, "section", name))
			add_size(&text, arena, name, section_size(was, name), is->sections[i].size);
	}
	add_size(&text, arena, "file", was->size, is->size);
	if (text.length > 0)
		say(sentences, arena_printf(arena, "%s: %s", is->name, strbuf_text(&text) + 2));
	else if (is_rebuilt)
		say(sentences,
		    arena_printf(arena, "%s: another build with the same layout", is->name));
}

static void find_changes(struct budget_answer *answer, struct budget_verdict *verdict)
{
	const struct budget_measures *is = answer->measures, *was = answer->baseline;
	struct arena *arena = &answer->arena;
	struct sentences sentences = {
		.arena = arena,
		.list = arena_array(arena, CHANGES_MAX, sizeof(const char *)),
	};

	array_foreach (object, is->objects, is->object_count) {
		const struct budget_object *before = object_named(was, object->name);

		if (before && is_concerned(verdict, object))
			compare_objects(&sentences, verdict, before, object);
		else if (!before && is_concerned(verdict, object))
			say(&sentences,
			    arena_printf(arena, "%s is new: %s, %s relocations, %s initializers",
					 object->name, figure_size(arena, object->size),
					 figure_number(arena, object->relocations),
					 figure_number(arena, object->initializers)));
	}
	for (size_t i = 0; i < was->object_count; i++)
		if (!object_named(is, was->objects[i].name) &&
		    is_concerned(verdict, &was->objects[i]))
			say(&sentences, arena_printf(arena, "%s is gone", was->objects[i].name));
	verdict->changes = sentences.list;
	verdict->change_count = sentences.count;
}

void offenders_find(struct budget_answer *answer, struct budget_verdict *verdict, bool is_too_high)
{
	for (size_t table = 0; table < BUDGET_TABLES; table++)
		find_offenders(answer, verdict, table, is_too_high);
	if (answer->baseline)
		find_changes(answer, verdict);
}
