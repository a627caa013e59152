// SPDX-License-Identifier: Apache-2.0
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/path.h"
#include "model/account.h"
#include "model/words.def"

#include <math.h>
#include <string.h>

const char *const change_relocation_tables[] = { ".rela.dyn", ".rel.dyn", ".relr.dyn",
						 ".rela.plt", ".rel.plt", NULL };
const char *const change_lookup_tables[] = { ".gnu.hash",    ".hash",	       ".dynsym", ".dynstr",
					     ".gnu.version", ".gnu.version_r", NULL };

#define USE_BIT(id, word, meaning, color, letter, phase, work) \
	| (MODEL_WORK_##work == MODEL_WORK_PROGRAM ? CHANGE_BY(MODEL_##id) : 0)
const uint32_t change_use = 0 INITIATOR_WORDS(USE_BIT);

#define WORD_OF_SYSTEM(word)
#define WORD_OF_UNKNOWN(word)
#define WORD_OF_PROGRAM(word)					"|" word
#define USE_WORD(id, word, meaning, color, letter, phase, work) WORD_OF_##work(word)
// A separator before each word; the first is skipped.
static const char use_words[] = INITIATOR_WORDS(USE_WORD);
const char *const change_use_words = &use_words[1];

static bool is_among(const char *const *names, const char *name)
{
	for (; name && *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static bool is_chosen(const struct change_choice *choice, const struct compare_row *row)
{
	if (choice->object != CHANGE_ANY && choice->object != row->object)
		return false;
	if (choice->initiators && !(choice->initiators & CHANGE_BY(row->initiator)))
		return false;
	return !choice->sections || is_among(choice->sections, row->name) != choice->outside;
}

static size_t numbers_of(const struct comparison *comparison)
{
	return (comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER]) *
	       COMPARE_METRICS;
}

/** The sum of the chosen causes, judged as one row: @ret_figures is by metric. O(causes). */
static void sum(const struct changes *changes, const struct change_choice *choice,
		struct compare_figure *ret_figures)
{
	const struct comparison *comparison = changes->comparison;
	size_t count = numbers_of(comparison);
	CLEANUP(freep) uint64_t *sums = xcalloc(count + 1, sizeof(*sums));

	array_foreach (row, comparison->rows[COMPARE_BY_CAUSE],
		       comparison->row_count[COMPARE_BY_CAUSE]) {
		for (size_t n = 0; is_chosen(choice, row) && n < count; n++)
			sums[n] += row->runs[n];
	}
	compare_judge(comparison, sums, ret_figures);
}

struct compare_figure change_faults(const struct changes *changes,
				    const struct change_choice *choice)
{
	struct compare_figure figures[COMPARE_METRICS];

	sum(changes, choice, figures);
	return figures[COMPARE_FAULTS];
}

/** The time of @initiators in all threads; false: it is not known, or samples err by as much. */
static bool sum_times(const struct changes *changes, uint32_t initiators,
		      struct compare_figure *ret_figures)
{
	const struct comparison *comparison = changes->comparison;
	const size_t run_count =
		comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];
	CLEANUP(freep) uint64_t *sums = xcalloc(numbers_of(comparison) + 1, sizeof(*sums));
	double squares = 0;
	bool is_known = false;

	array_foreach (time, comparison->times, comparison->time_count) {
		if (time->is_main || time->initiator == MODEL_NONE ||
		    !(initiators & CHANGE_BY(time->initiator)) ||
		    (time->state != MODEL_STATE_CPU && time->state != MODEL_STATE_FAULT &&
		     time->state != MODEL_STATE_FAULT_IO))
			continue;
		is_known = true;
		squares += pow(time->error_ns[COMPARE_BEFORE], 2) +
			   pow(time->error_ns[COMPARE_AFTER], 2);
		for (size_t run = 0; run < run_count; run++)
			sums[run * COMPARE_METRICS + COMPARE_OWN] += time->runs[run];
	}
	if (is_known)
		compare_judge(comparison, sums, ret_figures);
	return is_known && fabs(ret_figures[COMPARE_OWN].difference) > sqrt(squares);
}

struct compare_figure change_larger_cost(const struct changes *changes,
					 const struct compare_figure *figures)
{
	return !change_is_worth(changes, &figures[COMPARE_FAULTS]) &&
			       change_is_worth(changes, &figures[COMPARE_OWN])
		       ? figures[COMPARE_OWN]
		       : figures[COMPARE_FAULTS];
}

/** sum(), with all time where it is known. */
static void sum_costs(const struct changes *changes, const struct change_choice *choice,
		      struct compare_figure *ret_figures)
{
	struct compare_figure times[COMPARE_METRICS];

	sum(changes, choice, ret_figures);
	if (choice->object == CHANGE_ANY && !choice->sections &&
	    sum_times(changes, choice->initiators, times))
		ret_figures[COMPARE_OWN] = times[COMPARE_OWN];
}

struct compare_figure change_cost(const struct changes *changes, const struct change_choice *choice)
{
	struct compare_figure figures[COMPARE_METRICS];

	sum_costs(changes, choice, figures);
	return change_larger_cost(changes, figures);
}

struct compare_figure change_figure(const struct changes *changes,
				    const struct change_choice *choice, enum compare_metric metric)
{
	struct compare_figure figures[COMPARE_METRICS];

	sum_costs(changes, choice, figures);
	return figures[metric];
}

struct compare_figure change_on_objects(const struct changes *changes,
					bool (*is_chosen)(const struct compare_object *object))
{
	const struct comparison *comparison = changes->comparison;
	size_t count = numbers_of(comparison);
	CLEANUP(freep) uint64_t *sums = xcalloc(count + 1, sizeof(*sums));
	struct compare_figure figures[COMPARE_METRICS];

	array_foreach (row, comparison->rows[COMPARE_BY_OBJECT],
		       comparison->row_count[COMPARE_BY_OBJECT]) {
		if (row->object == MODEL_NONE || !is_chosen(&comparison->objects[row->object]))
			continue;
		for (size_t n = 0; n < count; n++)
			sums[n] += row->runs[n];
	}
	compare_judge(comparison, sums, figures);
	return figures[COMPARE_FAULTS];
}

double change_larger(const struct compare_figure *figure)
{
	return fmax(figure->median[COMPARE_BEFORE], figure->median[COMPARE_AFTER]);
}

bool change_is_believed(const struct compare_figure *figure)
{
	return figure->difference != 0 &&
	       (figure->verdict == COMPARE_REAL || figure->verdict == COMPARE_UNKNOWN);
}

/** Are its faults at least @per_mille of all? */
static bool is_share(const struct changes *changes, const struct compare_figure *figure,
		     unsigned per_mille)
{
	const struct compare_figure *all = &changes->comparison->total.figures[COMPARE_FAULTS];

	return kit_is_per_mille(fabs(figure->difference), change_larger(all), per_mille);
}

/** Own time of all threads. */
static const struct compare_figure *time_used(const struct comparison *comparison)
{
	array_foreach (time, comparison->times, comparison->time_count)
		if (!time->is_main && time->state == COMPARE_TIME_OWN &&
		    time->initiator == MODEL_NONE)
			return &time->figure;
	return &comparison->total.figures[COMPARE_OWN];
}

static bool is_time_worth(const struct changes *changes, const struct compare_figure *figure)
{
	const double difference = fabs(figure->difference);

	return figure->verdict == COMPARE_REAL && difference >= CHANGE_MIN_NS &&
	       kit_is_per_mille(difference, change_larger(time_used(changes->comparison)),
				CHANGE_MIN_PER_MILLE_NS);
}

bool change_is_worth(const struct changes *changes, const struct compare_figure *figure)
{
	if (figure->metric == COMPARE_OWN)
		return is_time_worth(changes, figure);
	return change_is_believed(figure) && fabs(figure->difference) >= CHANGE_MIN_FAULTS &&
	       is_share(changes, figure, CHANGE_MIN_PER_MILLE);
}

bool change_is_large(const struct changes *changes, const struct compare_figure *figure)
{
	return figure->metric == COMPARE_FAULTS && change_is_worth(changes, figure) &&
	       is_share(changes, figure, CHANGE_MIN_PER_MILLE_LOOSE);
}

bool change_layouts(const struct compare_object *object, const struct compare_layout **ret_before,
		    const struct compare_layout **ret_after)
{
	const struct compare_layout *layouts = object->layout;

	*ret_before = &layouts[COMPARE_BEFORE];
	*ret_after = &layouts[COMPARE_AFTER];
	return object->path[COMPARE_BEFORE] && object->path[COMPARE_AFTER] &&
	       layouts[COMPARE_BEFORE].is_known && layouts[COMPARE_AFTER].is_known;
}

bool change_is_same_build(const struct compare_layout *before, const struct compare_layout *after)
{
	return before->build_id && after->build_id &&
	       strcmp(before->build_id, after->build_id) == 0;
}

bool change_section_size(const struct compare_object *object, const char *name,
			 enum compare_side side, uint64_t *ret_size)
{
	for (size_t i = 0; i < object->section_count; i++)
		if (strcmp(object->sections[i].name, name) == 0) {
			*ret_size = object->sections[i].size[side];
			return object->sections[i].is_there[side];
		}
	return false;
}

bool change_needs(const struct compare_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->needed_count; i++)
		if (strcmp(layout->needed[i], name) == 0)
			return true;
	return false;
}

/** The object's path as a condition has it, on either side. */
static const char *paths_of(struct changes *changes, uint32_t object)
{
	const struct compare_object *row = &changes->comparison->objects[object];
	const char *before = row->path[COMPARE_BEFORE], *after = row->path[COMPARE_AFTER];
	struct arena *arena = changes->arena;

	if (!before || !after || strcmp(before, after) == 0)
		return kit_escape(arena, before ? before : after);
	if (strcmp(path_file_name(before), path_file_name(after)) == 0)
		return kit_escape(arena, path_file_name(before));
	return arena_printf(arena, "%s|%s", kit_escape(arena, before), kit_escape(arena, after));
}

void change_add(struct changes *changes, unsigned prose, const struct compare_finding *finding,
		const struct kit_value *values)
{
	const struct kit_prose *text = &changes->rule->prose[prose];
	struct compare_finding added = *finding;
	struct arena *arena = changes->arena;

	if (finding->object != MODEL_NONE)
		values = kit_prepend(
			arena, (struct kit_value){ "object", paths_of(changes, finding->object) },
			values);
	added.id = text->id;
	added.title = kit_fill(arena, text->title, values);
	added.where =
		kit_fill(arena, finding->where ? finding->where : changes->rule->where, values);
	added.evidence = kit_fill(arena, text->evidence, values);
	if (finding->figure.difference > 0 && change_is_worth(changes, &finding->figure))
		added.advice = kit_fill(arena, text->fix, values);
	vec_push(&changes->list, added);
}

/** "61", "2.1 ms": a median of what @figure counts. */
static const char *amount(struct changes *changes, const struct compare_figure *figure,
			  double median)
{
	return figure->metric == COMPARE_OWN ? arena_printf(changes->arena, "%.1f ms", median / 1e6)
					     : figure_median(changes->arena, median);
}

const char *change_count(struct changes *changes, const struct compare_figure *figure)
{
	double size = fabs(figure->difference);

	if (figure->metric == COMPARE_OWN)
		return arena_printf(changes->arena, "%s of own time",
				    amount(changes, figure, size));
	return arena_printf(changes->arena, "%s %s", figure_median(changes->arena, size),
			    size == 1 ? "fault" : "faults");
}

const char *change_fewer(struct changes *changes, const struct compare_figure *figure)
{
	double size = fabs(figure->difference);

	if (figure->metric == COMPARE_OWN)
		return arena_printf(changes->arena, "%s %s own time", amount(changes, figure, size),
				    figure->difference < 0 ? "less" : "more");
	return arena_printf(changes->arena, "%s %s %s", figure_median(changes->arena, size),
			    figure->difference < 0 ? "fewer" : "more",
			    size == 1 ? "fault" : "faults");
}

const char *change_effect(struct changes *changes, const struct compare_figure *figure)
{
	return figure->difference < 0
		       ? arena_printf(changes->arena, "saved %s", change_count(changes, figure))
		       : arena_printf(changes->arena, "cost %s", change_fewer(changes, figure));
}

const char *change_arrow(struct changes *changes, const struct compare_figure *figure)
{
	return arena_printf(changes->arena, "%s%s%s",
			    amount(changes, figure, figure->median[COMPARE_BEFORE]),
			    figure->verdict == COMPARE_REAL ? " -> " : ", then ",
			    amount(changes, figure, figure->median[COMPARE_AFTER]));
}

const char *change_sizes(struct changes *changes, uint64_t before, uint64_t after)
{
	const char *was = figure_size(changes->arena, before);
	const char *is = figure_size(changes->arena, after);

	if (before != after && strcmp(was, is) == 0)
		return arena_printf(changes->arena, "%s -> %s B",
				    figure_number(changes->arena, before),
				    figure_number(changes->arena, after));
	return arena_printf(changes->arena, "%s -> %s", was, is);
}

const char *change_unchanged(struct changes *changes, const char *what,
			     const struct compare_figure *figure)
{
	if (figure->median[COMPARE_BEFORE] == 0 && figure->median[COMPARE_AFTER] == 0)
		return "";
	if (figure->difference == 0)
		return arena_printf(changes->arena, "; %s is unchanged", what);
	if (figure->verdict == COMPARE_NOISE)
		return arena_printf(changes->arena, "; %s is unchanged within noise", what);
	return "";
}

const char *change_toolchain(struct changes *changes, uint32_t object)
{
	const struct compare_layout *layouts = changes->comparison->objects[object].layout;
	const char *before = layouts[COMPARE_BEFORE].toolchain;
	const char *after = layouts[COMPARE_AFTER].toolchain;

	if (!before || !after || strcmp(before, after) == 0)
		return "";
	return arena_printf(changes->arena, " Built by %s before, by %s after.", before, after);
}
