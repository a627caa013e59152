// SPDX-License-Identifier: Apache-2.0
#include "render/diff/amounts.h"

#include "base/order.h"
#include "base/vec.h"
#include "model/account.h"
#include "render/diff/words.h"
#include "render/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3, COLUMNS_MAX = 7, LEAST_PERCENT = 1 };

typedef const char *cells[COLUMNS_MAX];

static bool is_real(const struct compare_figure *figure)
{
	return figure->verdict == COMPARE_REAL;
}

static const char *time_text(struct arena *arena, const struct terminal *terminal, double ns)
{
	return ns == 0 ? "0" : table_time(arena, terminal, figure_whole(fabs(ns)));
}

/** "wall", "own", "cpu", "cpu in program". */
static const char *time_name(struct arena *arena, const struct compare_time *row)
{
	if (row->state == MODEL_NONE)
		return row->is_main ? "wall" : "all states";
	if (row->state == COMPARE_TIME_OWN)
		return "own";
	const char *state = model_state_name((enum model_state)row->state);

	if (row->initiator == MODEL_NONE)
		return state;
	return arena_printf(arena, "%s in %s", state,
			    row->initiator == MODEL_INITIATOR_UNKNOWN
				    ? "unknown code"
				    : model_initiator_name((enum model_initiator)row->initiator));
}

static double error_of(const struct compare_time *row)
{
	return hypot(row->error_ns[COMPARE_BEFORE], row->error_ns[COMPARE_AFTER]);
}

/** "+50.0 ms", and how far samples can tell it where repeats do not show that. */
static const char *time_change(struct arena *arena, const struct terminal *terminal,
			       const struct comparison *comparison, const struct compare_time *row)
{
	const char *change = diffwords_time(arena, terminal, row->figure.difference);
	double error = error_of(row);

	if (comparison->can_tell || error == 0)
		return change;
	return arena_printf(arena, "%s %s %s", change, terminal_plus_minus(terminal),
			    time_text(arena, terminal, error));
}

/** The time of all initiators of the first thread, or of all, in @state; NULL: none is known. */
static const struct compare_time *time_in(const struct comparison *comparison, bool is_main,
					  uint32_t state)
{
	array_foreach (row, comparison->times, comparison->time_count)
		if (row->is_main == is_main && row->state == state && row->initiator == MODEL_NONE)
			return row;
	return NULL;
}

static const struct compare_time *whole_of(const struct comparison *comparison, bool is_main)
{
	return time_in(comparison, is_main, MODEL_NONE);
}

/** Enough of the whole to be worth a line; more than samples may be off where runs do not tell. */
static bool is_notable(const struct compare_time *row, const struct compare_time *whole)
{
	const double *median = whole->figure.median;

	if (row->figure.verdict == COMPARE_UNKNOWN && fabs(row->figure.difference) <= error_of(row))
		return false;
	return fabs(row->figure.difference) * 100 >=
	       LEAST_PERCENT * fmax(median[COMPARE_BEFORE], median[COMPARE_AFTER]);
}

// ---- Sentences ------------------------------------------------------------------------------

ORDER_OF_POINTERS(compare_changes, compare_time,
		  ORDER(fabs(y->figure.difference), fabs(x->figure.difference)) ?:
		  ORDER(x->initiator, y->initiator) ?: ORDER(x->state, y->state))

/** "; cpu in program +50.0 ms, fault-io in loader -2.0 ms": what own time consists of. */
static const char *parts_of(struct arena *arena, const struct terminal *terminal,
			    const struct comparison *comparison, const struct compare_time *whole)
{
	const struct compare_time **found =
		arena_array(arena, comparison->time_count + 1, sizeof(*found));
	const char *text = "";
	size_t count = 0;

	array_foreach (row, comparison->times, comparison->time_count) {
		bool is_part = row->initiator != MODEL_NONE && row->state != MODEL_STATE_WAIT;

		if (row->is_main && is_part && compare_figure_differs(&row->figure) &&
		    is_notable(row, whole))
			found[count++] = row;
	}
	qsort(found, count, sizeof(*found), compare_changes);
	for (size_t i = 0; i < count && i < NAMED; i++)
		text = arena_printf(arena, "%s%s %s %s", text, i > 0 ? "," : ";",
				    time_name(arena, found[i]),
				    time_change(arena, terminal, comparison, found[i]));
	return text;
}

/** "+50.2 ms (+19.4%)" has its share only where there is one. */
static const char *share_of(struct arena *arena, const struct compare_figure *figure)
{
	bool has_share = figure->median[COMPARE_BEFORE] > 0 && figure->median[COMPARE_AFTER] > 0;

	return has_share ? arena_printf(arena, " (%s)", diffwords_percent(arena, figure)) : "";
}

static const char *doubt_of(const struct compare_figure *figure)
{
	return figure->verdict == COMPARE_UNKNOWN ? ", which may be noise" : "";
}

/** "9.5 ms -> 21.5 ms". */
static const char *both_times(struct arena *arena, const struct terminal *terminal,
			      const struct compare_figure *figure)
{
	return diffwords_both(arena, figure,
			      time_text(arena, terminal, figure->median[COMPARE_BEFORE]),
			      time_text(arena, terminal, figure->median[COMPARE_AFTER]));
}

/** The side that waited a fifth of its wall time for a processor, as words; NULL: none did. */
static const char *busy_side(const struct compare_time *wall, const struct compare_time *late)
{
	bool is_busy[COMPARE_SIDES] = { 0 };

	for (int side = 0; late && side < COMPARE_SIDES; side++)
		is_busy[side] = late->figure.median[side] > wall->figure.median[side] / 5;
	if (is_busy[COMPARE_BEFORE] && is_busy[COMPARE_AFTER])
		return "both sides";
	return is_busy[COMPARE_BEFORE]	? "the before side"
	       : is_busy[COMPARE_AFTER] ? "the after side"
					: NULL;
}

/** Describe what the verdict leaves out: wall time, and waiting for a processor in it. */
static const char *apart(struct arena *arena, const struct terminal *terminal,
			 const struct compare_time *wall, const struct compare_time *late)
{
	const char *text =
		arena_printf(arena, "Wall time %s", both_times(arena, terminal, &wall->figure));

	if (!late)
		return text;
	return arena_printf(arena, "%s; in it waiting for a processor %s", text,
			    both_times(arena, terminal, &late->figure));
}

const char *diffamounts_time(struct arena *arena, const struct terminal *terminal,
			     const struct comparison *comparison)
{
	const struct compare_time *wall = whole_of(comparison, true);
	const struct compare_time *own = time_in(comparison, true, COMPARE_TIME_OWN);
	const struct compare_time *late = time_in(comparison, true, MODEL_STATE_RUNNABLE);

	if (!wall || !own)
		return NULL;
	const struct compare_figure *figure = &own->figure;
	const char *both = both_times(arena, terminal, figure);
	const char *parts = parts_of(arena, terminal, comparison, own);
	const char *rest = apart(arena, terminal, wall, late);
	const char *busy = busy_side(wall, late);

	busy = busy ? arena_printf(arena, "The processors were busy on %s. ", busy) : "";
	if (figure->difference == 0)
		return arena_printf(arena, "%sOwn time is the same: %s%s. %s", busy,
				    time_text(arena, terminal, figure->median[COMPARE_AFTER]),
				    parts, rest);
	if (figure->verdict == COMPARE_NOISE)
		return arena_printf(arena,
				    "%sNo difference in own time that the runs can show: %s%s. %s",
				    busy, both, parts, rest);
	return arena_printf(arena, "%s%s %s%s%s: own time %s%s. %s", busy,
			    time_text(arena, terminal, figure->difference),
			    figure->difference > 0 ? "slower" : "faster", share_of(arena, figure),
			    doubt_of(figure), both, parts, rest);
}

const char *diffamounts_whose(struct arena *arena, const struct comparison *comparison)
{
	const char *before = comparison->runs[0].judged;
	const char *after = comparison->runs[comparison->run_count[COMPARE_BEFORE]].judged;

	if (!before || !after || strcmp(before, after) == 0)
		return before ? before : after;
	return arena_printf(arena, "%s -> %s", before, after);
}

const char *diffamounts_bytes(struct arena *arena, const struct comparison *comparison)
{
	const struct compare_bytes *all = comparison->bytes;

	if (comparison->bytes_count == 0)
		return NULL;
	const struct compare_figure *figure = &all->figure;
	double was = figure->median[COMPARE_BEFORE], is = figure->median[COMPARE_AFTER];
	const char *before = figure_size(arena, figure_whole(was));
	const char *after = figure_size(arena, figure_whole(is));

	if (was == 0 && is == 0)
		return NULL;
	if (figure->difference == 0)
		return arena_printf(arena, "Bytes from storage are the same: %s", after);
	if (figure->verdict == COMPARE_NOISE)
		return arena_printf(
			arena,
			"No difference in bytes from storage that the runs can show: %s, then %s",
			before, after);
	return arena_printf(arena, "%s %s from storage%s%s: %s",
			    figure_size(arena, figure_whole(fabs(figure->difference))),
			    figure->difference > 0 ? "more" : "less", share_of(arena, figure),
			    doubt_of(figure), diffwords_both(arena, figure, before, after));
}

/** "held", "never held", "not watched", "held in 3 of 5 runs". */
static const char *held_on(struct arena *arena, const struct compare_mark *mark,
			   enum compare_side side, size_t runs)
{
	if (mark->watched[side] == 0)
		return "not watched";
	if (mark->held[side] == 0)
		return "never held";
	return mark->held[side] == runs
		       ? "held"
		       : arena_printf(arena, "held in %zu of %zu runs", mark->held[side], runs);
}

const char *diffamounts_mark(struct arena *arena, const struct terminal *terminal,
			     const struct comparison *comparison, const struct compare_mark *mark)
{
	const struct compare_figure *figure = &mark->figure;

	if (!mark->is_compared)
		return arena_printf(
			arena, "%s: %s before, %s after", mark->name,
			held_on(arena, mark, COMPARE_BEFORE, comparison->run_count[COMPARE_BEFORE]),
			held_on(arena, mark, COMPARE_AFTER, comparison->run_count[COMPARE_AFTER]));
	const char *both = both_times(arena, terminal, figure);

	if (figure->difference == 0)
		return arena_printf(arena, "%s is the same: %s", mark->name,
				    time_text(arena, terminal, figure->median[COMPARE_AFTER]));
	if (figure->verdict == COMPARE_NOISE)
		return arena_printf(arena, "%s: no difference that the runs can show: %s",
				    mark->name, both);
	return arena_printf(arena, "%s %s %s%s%s: %s", mark->name,
			    time_text(arena, terminal, figure->difference),
			    figure->difference > 0 ? "later" : "earlier", share_of(arena, figure),
			    doubt_of(figure), both);
}

// ---- Tables ---------------------------------------------------------------------------------

/** Four numbers, the verdict where there is one, then names. */
static struct difflocality table_of(struct arena *arena, const struct comparison *comparison,
				    const char *change, const char *const *names, size_t name_count,
				    size_t row_count)
{
	const char **headings = arena_array(arena, COLUMNS_MAX, sizeof(*headings));
	struct difflocality table = { .headings = headings,
				      .name_count = name_count + comparison->can_tell,
				      .rows = arena_array(arena, row_count + 1, sizeof(cells *)) };
	size_t count = 0;

	headings[count++] = "before";
	headings[count++] = "after";
	headings[count++] = change;
	headings[count++] = "%";
	if (comparison->can_tell)
		headings[count++] = "verdict";
	for (size_t i = 0; i < name_count; i++)
		headings[count++] = names[i];
	table.column_count = count;
	return table;
}

/** Append a row; the cells of names are left to be filled. */
static const char **add_row(struct arena *arena, struct difflocality *table,
			    const struct comparison *comparison, const char *before,
			    const char *after, const char *change,
			    const struct compare_figure *figure)
{
	const char **row = arena_array(arena, COLUMNS_MAX, sizeof(*row));
	size_t count = 0;

	row[count++] = before;
	row[count++] = after;
	row[count++] = change;
	row[count++] = diffwords_percent(arena, figure);
	if (comparison->can_tell)
		row[count++] = compare_verdict_name(figure->verdict);
	((const char *const **)table->rows)[table->row_count++] = row;
	return row + count;
}

/** Of initiators noise is not listed, nor what hardly matters. */
static bool is_listed(const struct compare_time *row, const struct compare_time *whole)
{
	if (row->figure.difference == 0)
		return false;
	return row->initiator == MODEL_NONE || is_real(&row->figure) ||
	       (compare_figure_differs(&row->figure) && is_notable(row, whole));
}

static bool is_listed_sum(const struct compare_figure *figure, bool full)
{
	return full ? figure->difference != 0 : is_real(figure);
}

struct difflocality diffamounts_times(struct arena *arena, const struct terminal *terminal,
				      const struct comparison *comparison, bool is_main, bool full)
{
	const char *const names[] = { is_main ? "of the first thread" : "of all threads" };
	struct difflocality table =
		table_of(arena, comparison, "time", names, 1, comparison->time_count);
	const struct compare_time *whole = whole_of(comparison, is_main);
	const struct compare_time *wall = whole_of(comparison, true);

	if (!whole ||
	    (!is_main && wall &&
	     whole->figure.median[COMPARE_BEFORE] <= wall->figure.median[COMPARE_BEFORE] &&
	     whole->figure.median[COMPARE_AFTER] <= wall->figure.median[COMPARE_AFTER]))
		return table;
	array_foreach (row, comparison->times, comparison->time_count) {
		const double *median = row->figure.median;
		const bool is_sum = row->state == MODEL_NONE || row->state == COMPARE_TIME_OWN;

		if (row->is_main != is_main || (!is_sum && !is_listed(row, whole)))
			continue;
		if (!is_sum && !full && !is_real(&row->figure)) {
			table.unlisted++;
			continue;
		}
		*add_row(arena, &table, comparison,
			 time_text(arena, terminal, median[COMPARE_BEFORE]),
			 time_text(arena, terminal, median[COMPARE_AFTER]),
			 time_change(arena, terminal, comparison, row), &row->figure) =
			time_name(arena, row);
	}
	const struct compare_time *own = time_in(comparison, is_main, COMPARE_TIME_OWN);

	// Sums alone, which do not differ, or not so that the runs can show it.
	if (table.row_count == 1u + (own != NULL) && !is_listed_sum(&whole->figure, full) &&
	    (!own || !is_listed_sum(&own->figure, full)))
		table.row_count = 0;
	return table;
}

static const char *place_name(struct arena *arena, const struct comparison *comparison,
			      const struct compare_bytes *row)
{
	const char *file = row->object != MODEL_NONE ? comparison->objects[row->object].label
			   : row->path		     ? row->path
						     : "(no file)";

	switch (row->by) {
	case COMPARE_BYTES_ALL:
		return "of the command";
	case COMPARE_BYTES_BY_CAUSE:
	case COMPARE_BYTES_BY_INITIATOR:
		return row->name;
	case COMPARE_BYTES_BY_FILE:
		return file;
	case COMPARE_BYTES_BY_SECTION:
		break;
	}
	return arena_printf(arena, "%s in %s", row->name, file);
}

/** Files without sections are in the table by file already. */
static bool is_place_listed(const struct compare_bytes *row)
{
	if (row->figure.difference == 0 || (row->by == COMPARE_BYTES_BY_SECTION && !row->name))
		return false;
	return row->by <= COMPARE_BYTES_BY_CAUSE || compare_figure_differs(&row->figure);
}

struct difflocality diffamounts_places(struct arena *arena, const struct comparison *comparison,
				       size_t limit, bool full)
{
	static const char *const names[] = { "by", "bytes from storage" };
	struct difflocality table =
		table_of(arena, comparison, "bytes", names, 2, comparison->bytes_count);
	enum compare_bytes_by by = COMPARE_BYTES_ALL;
	size_t shown = 0;

	array_foreach (row, comparison->bytes, comparison->bytes_count) {
		const double *median = row->figure.median;

		shown = row->by == by ? shown : 0;
		by = row->by;
		if (!is_place_listed(row))
			continue;
		if (!full && !is_real(&row->figure)) {
			table.unlisted++;
			continue;
		}
		if (shown++ >= limit) {
			table.left_out++;
			continue;
		}
		const char **last =
			add_row(arena, &table, comparison,
				figure_size(arena, figure_whole(median[COMPARE_BEFORE])),
				figure_size(arena, figure_whole(median[COMPARE_AFTER])),
				diffwords_bytes(arena, row->figure.difference), &row->figure);

		last[0] = compare_bytes_by_name(by);
		last[1] = place_name(arena, comparison, row);
	}
	return table;
}
