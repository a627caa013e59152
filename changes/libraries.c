// SPDX-License-Identifier: Apache-2.0
// libraries-added, libraries-gone: shared libraries that only one side loads, and all faults on
// them.
#include "changes/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <math.h>
#include <string.h>

enum { NAMED = 3 };

/** Is it a library that only @side loads? */
static bool is_only_on(const struct compare_object *object, enum compare_side side)
{
	return object->is_file && object->path[side] && !object->path[!side] &&
	       object->layout[side].is_known && object->layout[side].is_library;
}

/** Who needs it: by DT_NEEDED. */
static const char *describe_reason(struct changes *changes, const struct compare_object *library,
				   enum compare_side side)
{
	const struct comparison *comparison = changes->comparison;
	const char *soname = library->layout[side].soname;
	const char *name = soname ? soname : path_file_name(library->path[side]);

	for (size_t i = 0; i < comparison->object_count; i++) {
		const struct compare_object *object = &comparison->objects[i];

		if (!object->path[side] || !change_needs(&object->layout[side], name))
			continue;
		if (object->path[!side] && change_needs(&object->layout[!side], name))
			return change_text(changes, "%s needs it on both sides", object->label);
		return change_text(changes,
				   side == COMPARE_AFTER ? "%s needs it now" : "%s needed it",
				   object->label);
	}
	return "no file needs it: opened by dlopen() or preloaded";
}

/** Add the faults on the libraries of @side to *@ret_figure; NULL if there are none. */
static const char *list_libraries(struct changes *changes, enum compare_side side,
				  struct compare_figure *ret_figure, size_t *ret_count)
{
	const struct comparison *comparison = changes->comparison;
	size_t runs = comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER];
	CLEANUP(freep) uint64_t *sums = xcalloc(runs * COMPARE_METRICS + 1, sizeof(*sums));
	struct compare_figure figures[COMPARE_METRICS];
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	*ret_count = 0;
	// Rows are in order of their differences, which are all the faults here.
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_OBJECT]; i++) {
		const struct compare_row *row = &comparison->rows[COMPARE_BY_OBJECT][i];

		if (row->object == MODEL_NONE ||
		    !is_only_on(&comparison->objects[row->object], side))
			continue;
		for (size_t n = 0; n < runs * COMPARE_METRICS; n++)
			sums[n] += row->runs[n];
		if ((*ret_count)++ >= NAMED)
			continue;
		const struct compare_object *library = &comparison->objects[row->object];
		strbuf_printf(&text, "%s%s %s (%s)", *ret_count > 1 ? ", " : "", library->label,
			      change_number(changes, row->figures[COMPARE_FAULTS].median[side]),
			      describe_reason(changes, library, side));
	}
	if (*ret_count > NAMED)
		strbuf_printf(&text, " and %zu more", *ret_count - NAMED);
	compare_judge(comparison, sums, figures);
	*ret_figure = figures[COMPARE_FAULTS];
	return *ret_count > 0 ? arena_strdup(changes->arena, strbuf_text(&text)) : NULL;
}

static void look_at(struct changes *changes, enum compare_side side)
{
	struct compare_figure cost;
	size_t count;
	const char *names = list_libraries(changes, side, &cost, &count);
	bool is_new = side == COMPARE_AFTER;

	if (!names || !change_is_worth(changes, &cost))
		return;
	change_add(
		changes,
		&(struct compare_finding){
			.id = is_new ? "libraries-added" : "libraries-gone",
			.title = change_text(
				changes, "%s %s loaded %s, with %s on %s",
				count == 1 ? "One library"
					   : change_text(changes, "%zu libraries", count),
				count == 1 ? "is" : "are", is_new ? "in addition" : "no longer",
				change_count(changes, &cost), count == 1 ? "it" : "them"),
			.object = MODEL_NONE,
			.figure = cost,
			.is_cause = true,
			.evidence = change_text(
				changes,
				"Faults on each: %s. Looking names up in other files for them, "
				"and mapping them, is not counted here.",
				names),
			.advice = is_new ? "Link with -Wl,--as-needed before the libraries, which "
					   "leaves out those without a reference; load one that is "
					   "seldom needed with dlopen() at its first use."
					 : NULL,
		});
}

void change_libraries(struct changes *changes)
{
	look_at(changes, COMPARE_BEFORE);
	look_at(changes, COMPARE_AFTER);
}
