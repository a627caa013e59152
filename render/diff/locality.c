// SPDX-License-Identifier: Apache-2.0
#include "render/diff/locality.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/** How two cells of one row are joined: of facts, or figures with a verdict; else. */
static const char *const arrow = "->", *const then = ", then";

/** "before -> after", or one of them where both are the same. */
static const char *from_to(struct arena *arena, const char *sign, const char *before,
			   const char *after)
{
	if (strcmp(before, after) == 0)
		return after;
	return arena_printf(arena, "%s%s%s %s", before, sign == arrow ? " " : "", sign, after);
}

static const char *median_change(struct arena *arena, const char *sign,
				 const double median[COMPARE_SIDES])
{
	return from_to(arena, sign, figure_median(arena, median[COMPARE_BEFORE]),
		       figure_median(arena, median[COMPARE_AFTER]));
}

static const char *share_change(struct arena *arena, const char *sign,
				const struct compare_locality *locality,
				bool share_of(const struct compare_locality *locality,
					      enum compare_side side, double *ret_share))
{
	const char *texts[COMPARE_SIDES];
	double share;

	for (int side = 0; side < COMPARE_SIDES; side++)
		texts[side] = share_of(locality, (enum compare_side)side, &share)
				      ? arena_printf(arena, "%.2f", share)
				      : "-";
	return from_to(arena, sign, texts[COMPARE_BEFORE], texts[COMPARE_AFTER]);
}

static const char *count_change(struct arena *arena, const char *sign,
				const uint64_t counts[COMPARE_SIDES])
{
	return from_to(arena, sign, figure_number(arena, counts[COMPARE_BEFORE]),
		       figure_number(arena, counts[COMPARE_AFTER]));
}

/** Metrics of a row, by weight: its verdict is that of the first that differs. */
static const enum compare_locality_metric weights[] = { COMPARE_AREA, COMPARE_CODE_PAGES,
							COMPARE_STEP_RANDOM };

static const struct compare_figure *figure_of(const struct compare_locality *locality)
{
	const double *functions = locality->figures[COMPARE_FUNCTIONS].median;
	// One function is in no order, whatever its size.
	bool has_order = functions[COMPARE_BEFORE] >= 2 && functions[COMPARE_AFTER] >= 2;

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		const struct compare_figure *figure = &locality->figures[weights[i]];

		if ((has_order || weights[i] == COMPARE_STEP_RANDOM) && figure->difference != 0 &&
		    figure->verdict != COMPARE_NOISE)
			return figure;
	}
	return NULL;
}

static int compare_objects(const void *a, const void *b)
{
	const struct compare_object *x = *(const struct compare_object *const *)a;
	const struct compare_object *y = *(const struct compare_object *const *)b;

	for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
		double f = fabs(x->locality->figures[weights[i]].difference);
		double g = fabs(y->locality->figures[weights[i]].difference);

		if (f != g)
			return f > g ? -1 : 1;
	}
	return strcmp(x->label, y->label);
}

static const char *const *order_row(struct arena *arena, const struct comparison *comparison,
				    const struct compare_object *object)
{
	const struct compare_locality *locality = object->locality;
	const struct compare_figure *figures = locality->figures;
	const char **cells = arena_array(arena, 9, sizeof(*cells));
	const char *sign = figure_of(locality)->verdict == COMPARE_REAL ? arrow : then;
	size_t count = 0;

	cells[count++] = median_change(arena, sign, figures[COMPARE_FUNCTIONS].median);
	cells[count++] = median_change(arena, sign, figures[COMPARE_CODE_PAGES].median);
	cells[count++] = share_change(arena, sign, locality, compare_pages_per_function);
	cells[count++] = median_change(arena, sign, figures[COMPARE_AREA].median);
	cells[count++] = share_change(arena, sign, locality, compare_packing);
	cells[count++] = median_change(arena, sign, figures[COMPARE_STEP_RANDOM].median);
	if (comparison->can_tell)
		cells[count++] = compare_verdict_name(figure_of(locality)->verdict);
	cells[count] = object->label;
	return cells;
}

/** Do both sides show other functions, but enough of the same ones to tell of those alone? */
static bool has_common_row(const struct compare_locality *locality)
{
	return locality->move_count >= 2 &&
	       (locality->only[COMPARE_BEFORE] > 0 || locality->only[COMPARE_AFTER] > 0 ||
		locality->unclear[COMPARE_BEFORE] > 0 || locality->unclear[COMPARE_AFTER] > 0);
}

static const char *ratio_change(struct arena *arena, const char *sign,
				const double ratio[COMPARE_SIDES])
{
	return from_to(arena, sign, arena_printf(arena, "%.2f", ratio[COMPARE_BEFORE]),
		       arena_printf(arena, "%.2f", ratio[COMPARE_AFTER]));
}

/** The same of the functions that both sides show. */
static const char *const *common_row(struct arena *arena, const struct comparison *comparison,
				     const struct compare_object *object)
{
	const struct compare_locality *locality = object->locality;
	const char **cells = arena_array(arena, 9, sizeof(*cells));
	double per_function[COMPARE_SIDES], packing[COMPARE_SIDES];
	uint64_t pages[COMPARE_SIDES], areas[COMPARE_SIDES];
	const char *sign = figure_of(locality)->verdict == COMPARE_REAL ? arrow : then;
	size_t count = 0;

	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct locality_area *area = &locality->common[side];

		pages[side] = area->code_pages;
		areas[side] = area->area;
		per_function[side] = (double)area->code_pages / (double)locality->move_count;
		packing[side] = area->area > 0 ? (double)area->least_area / (double)area->area : 1;
	}
	cells[count++] = figure_number(arena, locality->move_count);
	cells[count++] = count_change(arena, sign, pages);
	cells[count++] = ratio_change(arena, sign, per_function);
	cells[count++] = count_change(arena, sign, areas);
	cells[count++] = ratio_change(arena, sign, packing);
	cells[count++] = "";
	if (comparison->can_tell)
		cells[count++] = "";
	cells[count] = arena_printf(arena, "%s: functions on both sides", object->label);
	return cells;
}

struct difflocality difflocality_order(struct arena *arena, const struct comparison *comparison,
				       size_t limit, bool full)
{
	static const char *const headings[] = { "functions", "code pages",   "per function", "area",
						"packing",   "random steps", "file" };
	static const char *const judged[] = {
		"functions", "code pages",   "per function", "area",
		"packing",   "random steps", "verdict",	     "file",
	};
	struct difflocality table = {
		.headings = comparison->can_tell ? judged : headings,
		.column_count = comparison->can_tell ? 8 : 7,
		.name_count = 1,
	};
	CLEANUP(vec_release) VEC(const struct compare_object *) objects = { 0 };

	array_foreach (object, comparison->objects, comparison->object_count) {
		const struct compare_figure *figure =
			object->locality && object->path[COMPARE_BEFORE] &&
					object->path[COMPARE_AFTER]
				? figure_of(object->locality)
				: NULL;

		if (figure && !full && figure->verdict != COMPARE_REAL)
			table.unlisted++;
		else if (figure)
			vec_push(&objects, object);
	}
	vec_sort(&objects, compare_objects);
	size_t shown = objects.count < limit ? objects.count : limit;
	const char *const **rows = arena_array(arena, 2 * shown + 1, sizeof(*rows));
	for (size_t i = 0; i < shown; i++) {
		rows[table.row_count++] = order_row(arena, comparison, objects.items[i]);
		if (has_common_row(objects.items[i]->locality))
			rows[table.row_count++] = common_row(arena, comparison, objects.items[i]);
	}
	table.rows = rows;
	table.left_out = objects.count - shown;
	return table;
}

/** A function that moved, in its file. */
struct moved {
	const struct compare_object *object;
	const struct compare_move *move;
};

ORDER_OF(compare_moved, moved,
	 compare_moves(x->move, y->move) ?: strcmp(x->object->label, y->object->label))

static const char *const *move_row(struct arena *arena, const struct moved *moved)
{
	const struct compare_move *move = moved->move;
	const char **cells = arena_array(arena, 6, sizeof(*cells));
	const char *const sections[] = {
		move->section[COMPARE_BEFORE] ? move->section[COMPARE_BEFORE] : "-",
		move->section[COMPARE_AFTER] ? move->section[COMPARE_AFTER] : "-",
	};

	cells[0] = median_change(arena, then, move->faults);
	cells[1] = count_change(arena, arrow, move->place);
	cells[2] = count_change(arena, arrow, move->page);
	cells[3] = median_change(arena, then, move->first_use);
	cells[4] = from_to(arena, arrow, sections[COMPARE_BEFORE], sections[COMPARE_AFTER]);
	cells[5] = arena_printf(arena, "%s in %s", move->name, moved->object->label);
	return cells;
}

struct difflocality difflocality_moves(struct arena *arena, const struct comparison *comparison,
				       size_t limit)
{
	static const char *const headings[] = {
		"faults", "place", "page", "first use", "section", "function",
	};
	struct difflocality table = { .headings = headings, .column_count = 6, .name_count = 2 };
	CLEANUP(vec_release) VEC(struct moved) all = { 0 };

	array_foreach (object, comparison->objects, comparison->object_count) {
		for (size_t k = 0; object->locality && k < object->locality->moved_count; k++)
			vec_push(&all, (struct moved){ object, &object->locality->moves[k] });
	}
	vec_sort(&all, compare_moved);
	table.row_count = all.count < limit ? all.count : limit;
	table.left_out = all.count - table.row_count;
	const char *const **rows = arena_array(arena, table.row_count + 1, sizeof(*rows));
	for (size_t i = 0; i < table.row_count; i++)
		rows[i] = move_row(arena, &all.items[i]);
	table.rows = rows;
	return table;
}

const char *difflocality_moved(struct arena *arena, const struct comparison *comparison)
{
	uint64_t moved = 0, matched = 0;

	for (size_t i = 0; i < comparison->object_count; i++) {
		const struct compare_locality *locality = comparison->objects[i].locality;

		if (!locality || locality->moved_count == 0)
			continue;
		moved += locality->moved_count;
		matched += locality->move_count;
	}
	if (moved == 0)
		return NULL;
	return arena_printf(arena, "%s of the %s functions seen to run on both sides",
			    figure_number(arena, moved), figure_number(arena, matched));
}
