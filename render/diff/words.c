// SPDX-License-Identifier: Apache-2.0
#include "render/diff/words.h"

#include "base/figure.h"
#include "render/table/table.h"

#include <math.h>
#include <string.h>

// What grew tenfold is told as a factor: percent of that size say nothing.
enum { TIMES_FROM = 10 };
// Of what is still there, however little, not all went.
static const double MOST_PERCENT = 99.9;

const char *diffwords_change(struct arena *arena, double change)
{
	if (change == 0)
		return "0";
	return arena_printf(arena, "%c%s", change > 0 ? '+' : '-',
			    figure_median(arena, fabs(change)));
}

const char *diffwords_percent(struct arena *arena, const struct compare_figure *figure)
{
	double before = figure->median[COMPARE_BEFORE];

	if (figure->difference == 0)
		return "-";
	if (before == 0)
		return "new";
	if (figure->median[COMPARE_AFTER] == 0)
		return "gone";
	if (figure->median[COMPARE_AFTER] >= TIMES_FROM * before)
		return arena_printf(arena, "x %.0f", figure->median[COMPARE_AFTER] / before);
	double share = fabs(figure->difference) * 100 / before;
	char sign = figure->difference > 0 ? '+' : '-';
	if (share < 0.05)
		return arena_printf(arena, "%c<0.1%%", sign);
	return arena_printf(arena, "%c%.1f%%", sign,
			    sign == '-' ? fmin(share, MOST_PERCENT) : share);
}

const char *diffwords_time(struct arena *arena, const struct terminal *terminal, double time_ns)
{
	if (time_ns == 0)
		return "0";
	return arena_printf(arena, "%c%s", time_ns > 0 ? '+' : '-',
			    table_time(arena, terminal, figure_whole(fabs(time_ns))));
}

const char *diffwords_bytes(struct arena *arena, double bytes)
{
	if (bytes == 0)
		return "0";
	return arena_printf(arena, "%c%s", bytes > 0 ? '+' : '-',
			    figure_size(arena, figure_whole(fabs(bytes))));
}

bool diffwords_has_reads(const struct comparison *comparison)
{
	const double *median = comparison->total.figures[COMPARE_READ].median;

	return comparison->has_reads && (median[COMPARE_BEFORE] > 0 || median[COMPARE_AFTER] > 0);
}

static const char *label(const struct comparison *comparison, uint32_t object)
{
	return object == MODEL_NONE ? NULL : comparison->objects[object].label;
}

const char *diffwords_row(struct arena *arena, const struct comparison *comparison,
			  enum compare_table table, const struct compare_row *row)
{
	const char *object = label(comparison, row->object);

	switch (table) {
	case COMPARE_BY_INITIATOR:
	case COMPARE_BY_MECHANISM:
		return row->name;
	case COMPARE_BY_OBJECT:
		return object ? object : "(no mapping known)";
	case COMPARE_BY_INITIALIZER:
		if (row->object == MODEL_NONE)
			return "(in no initializer)";
		if (!row->name && row->source)
			return arena_printf(arena, "(from %s) in %s", row->source, object);
		break;
	case COMPARE_BY_CAUSE:
		if (!object)
			return arena_printf(
				arena, "%s, no mapping known",
				model_initiator_name((enum model_initiator)row->initiator));
		if (!row->name || strcmp(row->name, object) == 0)
			return arena_printf(
				arena, "%s in %s",
				model_initiator_name((enum model_initiator)row->initiator), object);
		return arena_printf(arena, "%s in %s of %s",
				    model_initiator_name((enum model_initiator)row->initiator),
				    row->name, object);
	case COMPARE_BY_SECTION:
	case COMPARE_BY_FUNCTION:
	case COMPARE_BY_SYMBOL:
	case COMPARE_TABLES:
		break;
	}
	if (row->name && object && strcmp(row->name, object) == 0)
		return object;
	return arena_printf(arena, "%s%s%s", row->name ? row->name : "(no name)",
			    object ? " in " : "", object ? object : "");
}

const char *diffwords_both(struct arena *arena, const struct compare_figure *figure,
			   const char *before, const char *after)
{
	return arena_printf(arena, "%s%s%s", before,
			    figure->verdict == COMPARE_REAL ? " -> " : ", then ", after);
}

const char *diffwords_counts(struct arena *arena, const struct compare_figure *figure)
{
	return diffwords_both(arena, figure, figure_median(arena, figure->median[COMPARE_BEFORE]),
			      figure_median(arena, figure->median[COMPARE_AFTER]));
}

static const char *size_change(struct arena *arena, uint64_t before, uint64_t after)
{
	const char *was = figure_size(arena, before), *is = figure_size(arena, after);

	return before == after	      ? ""
	       : strcmp(was, is) == 0 ? arena_printf(arena, "%+lld B", (long long)(after - before))
				      : arena_printf(arena, "%s -> %s", was, is);
}

const char *diffwords_size(struct arena *arena, const struct comparison *comparison,
			   enum compare_table table, const struct compare_row *row)
{
	if (row->object == MODEL_NONE)
		return "";
	const struct compare_object *object = &comparison->objects[row->object];
	const struct compare_layout *before = &object->layout[COMPARE_BEFORE];
	const struct compare_layout *after = &object->layout[COMPARE_AFTER];
	if (!before->is_known || !after->is_known)
		return "";
	if (table == COMPARE_BY_OBJECT)
		return size_change(arena, before->size, after->size);
	for (size_t i = 0; row->name && i < object->section_count; i++)
		if (strcmp(object->sections[i].name, row->name) == 0)
			return size_change(arena, object->sections[i].size[COMPARE_BEFORE],
					   object->sections[i].size[COMPARE_AFTER]);
	return "";
}

const char *diffwords_total(struct arena *arena, const struct terminal *terminal,
			    const struct comparison *comparison)
{
	const struct compare_figure *figures = comparison->total.figures;
	const struct compare_figure *faults = &figures[COMPARE_FAULTS];
	const struct compare_figure *time = &figures[COMPARE_OWN];
	const struct compare_figure *read = &figures[COMPARE_READ];
	const char *text = arena_printf(arena, "%s faults", diffwords_counts(arena, faults));

	if (faults->difference != 0)
		text = arena_printf(arena, "%s (%s, %s)", text,
				    diffwords_change(arena, faults->difference),
				    diffwords_percent(arena, faults));
	text = arena_printf(arena, "%s; major %s; pages %s", text,
			    diffwords_counts(arena, &figures[COMPARE_MAJOR]),
			    diffwords_counts(arena, &figures[COMPARE_PAGES]));
	if (time->median[COMPARE_BEFORE] > 0 || time->median[COMPARE_AFTER] > 0)
		text = arena_printf(
			arena, "%s; fault time %s", text,
			diffwords_both(arena, time,
				       table_time(arena, terminal,
						  figure_whole(time->median[COMPARE_BEFORE])),
				       table_time(arena, terminal,
						  figure_whole(time->median[COMPARE_AFTER]))));
	if (diffwords_has_reads(comparison))
		text = arena_printf(
			arena, "%s; read %s", text,
			diffwords_both(
				arena, read,
				figure_size(arena, figure_whole(read->median[COMPARE_BEFORE])),
				figure_size(arena, figure_whole(read->median[COMPARE_AFTER]))));
	return text;
}

const char *diffwords_finding(struct arena *arena, const struct comparison *comparison,
			      const struct compare_finding *finding)
{
	const char *object = label(comparison, finding->object);

	return object ? arena_printf(arena, "%s: %s", object, finding->title) : finding->title;
}

size_t diffwords_findings(const struct comparison *comparison, size_t top)
{
	enum { FIRST_FINDINGS = 5 };
	size_t most = top == SIZE_MAX ? top : FIRST_FINDINGS;

	return comparison->finding_count < most ? comparison->finding_count : most;
}

const char *diffwords_findings_heading(const struct comparison *comparison)
{
	return comparison->can_tell ? "What changed" : "What changed (the faults may be noise)";
}

/** Name the rule that fails, if it is not p: small p alone does not suggest noise. */
static const char *doubt_words(enum compare_doubt doubt)
{
	static const char *const words[] = {
		[COMPARE_DOUBT_RANK] = "",
		[COMPARE_DOUBT_SPREAD] = ": it does not exceed the interquartile range of one side",
		[COMPARE_DOUBT_NEAR] =
			": the nearest runs of both sides differ by no more than two faults",
		[COMPARE_DOUBT_SCATTER] =
			": the nearest runs of both sides differ by no more than the runs of one",
		[COMPARE_DOUBT_ROWS] = ": p is not small enough for that many rows",
	};

	return words[doubt];
}

const char *diffwords_noise(struct arena *arena, const struct comparison *comparison)
{
	size_t before = comparison->run_count[COMPARE_BEFORE];
	size_t after = comparison->run_count[COMPARE_AFTER];
	static const char *const words[] = {
		[COMPARE_SAME] = "is the same in every run",
		[COMPARE_UNKNOWN] = "may be noise",
		[COMPARE_NOISE] = "is none that the runs can show",
		[COMPARE_REAL] = "is real",
	};

	if (before == 1 && after == 1)
		return "Only one run per side: noise cannot be estimated. Record at least 4 runs "
		       "per side; 7 are better.";
	if (!comparison->can_tell)
		return arena_printf(arena,
				    "%zu and %zu runs: too few to estimate noise; record at least "
				    "4 per side.",
				    before, after);
	const struct compare_figure *faults = &comparison->total.figures[COMPARE_FAULTS];

	return arena_printf(arena,
			    "Medians of %zu and %zu runs. The difference in total faults %s%s.",
			    before, after, words[faults->verdict],
			    faults->verdict == COMPARE_NOISE ? doubt_words(faults->doubt) : "");
}

const struct compare_figure *diffwords_figure(const struct compare_row *row)
{
	const struct compare_figure *faults = &row->figures[COMPARE_FAULTS];
	const struct compare_figure *major = &row->figures[COMPARE_MAJOR];
	const struct compare_figure *read = &row->figures[COMPARE_READ];

	if (compare_figure_differs(faults))
		return faults;
	return compare_figure_differs(major) ? major : compare_figure_differs(read) ? read : faults;
}

bool diffwords_differs(const struct compare_row *row)
{
	return row->figures[COMPARE_FAULTS].difference != 0 ||
	       row->figures[COMPARE_MAJOR].difference != 0 ||
	       row->figures[COMPARE_READ].difference != 0;
}

bool diffwords_is_listed(const struct compare_row *row, bool full)
{
	return diffwords_differs(row) && (full || diffwords_figure(row)->verdict == COMPARE_REAL);
}

const char *diffwords_unlisted(struct arena *arena, const struct comparison *comparison,
			       size_t count)
{
	if (count == 0)
		return NULL;
	return arena_printf(
		arena, "%s %s; --full lists %s", figure_number(arena, count),
		count == 1
			? (comparison->can_tell ? "row is within noise" : "row has no verdict")
			: (comparison->can_tell ? "rows are within noise" : "rows have no verdict"),
		count == 1 ? "it" : "them");
}

bool diffwords_matters(const struct compare_row *row)
{
	return compare_figure_differs(diffwords_figure(row));
}

const char *diffwords_no_cause(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_CAUSE]; i++)
		if (diffwords_differs(&comparison->rows[COMPARE_BY_CAUSE][i]))
			return "No cause of faults differs beyond noise.";
	return "No differences in faults.";
}
