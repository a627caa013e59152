// SPDX-License-Identifier: Apache-2.0
// libraries-added, libraries-gone: shared libraries that only one side loads, and all faults on
// them. libraries-renamed: one side has libfoo.so.1, the other libfoo.so.2.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <string.h>

enum { NAMED = 3 };

/** Libraries that go into one finding. */
enum sort { ADDED, GONE, RENAMED };

/** Is it a library that only @side loads? */
static bool is_only_on(const struct compare_object *object, enum compare_side side)
{
	return object->is_file && object->path[side] && !object->path[!side] &&
	       object->layout[side].is_known && object->layout[side].is_library;
}

/** Of "libfoo.so.1" and "_json.cpython-311-x86_64-linux-gnu.so" what another version has, too. */
static size_t stem_length(const char *name)
{
	return strcspn(name, ".");
}

/** What @library is called on the other side, as far as its name can tell; NULL: nothing. */
static const struct compare_object *other_name(const struct changes *changes,
					       const struct compare_object *library,
					       enum compare_side side)
{
	const struct comparison *comparison = changes->comparison;
	const char *name = path_file_name(library->path[side]);
	size_t length = stem_length(name);

	for (size_t i = 0; i < comparison->object_count; i++) {
		const struct compare_object *object = &comparison->objects[i];

		if (!is_only_on(object, !side))
			continue;
		const char *other = path_file_name(object->path[!side]);
		if (stem_length(other) == length && strncmp(name, other, length) == 0)
			return object;
	}
	return NULL;
}

/** Who needs it, by DT_NEEDED; *@ret_needed: a file that is on both sides does. */
static const char *describe_reason(struct changes *changes, const struct compare_object *library,
				   enum compare_side side, bool *ret_needed)
{
	const struct comparison *comparison = changes->comparison;
	const char *soname = library->layout[side].soname;
	const char *name = soname ? soname : path_file_name(library->path[side]);

	for (size_t i = 0; i < comparison->object_count; i++) {
		const struct compare_object *object = &comparison->objects[i];

		if (!object->path[side] || !change_needs(&object->layout[side], name))
			continue;
		*ret_needed = *ret_needed || object->path[!side];
		if (object->path[!side] && change_needs(&object->layout[!side], name))
			return change_text(changes, "%s needs it on both sides", object->label);
		return change_text(changes,
				   side == COMPARE_AFTER ? "%s needs it now" : "%s needed it",
				   object->label);
	}
	return "no file needs it: opened by dlopen() or preloaded";
}

/** Libraries of one sort, and all faults on them. */
struct group {
	size_t count; // RENAMED: of both sides
	struct strbuf names;
	bool is_needed; // one of those named, by a file of both sides
	struct compare_figure figure;
};

static void name_one(struct changes *changes, struct group *group, enum sort sort,
		     const struct compare_row *row)
{
	const struct compare_object *object = &changes->comparison->objects[row->object];
	const struct compare_figure *faults = &row->figures[COMPARE_FAULTS];
	enum compare_side side = object->path[COMPARE_AFTER] ? COMPARE_AFTER : COMPARE_BEFORE;

	strbuf_printf(&group->names, "%s%s %s", group->count > 0 ? ", " : "", object->label,
		      change_number(changes, faults->median[side]));
	if (sort == RENAMED)
		strbuf_printf(&group->names, " (only %s)",
			      side == COMPARE_AFTER ? "after" : "before");
	else
		strbuf_printf(&group->names, " (%s)",
			      describe_reason(changes, object, side, &group->is_needed));
}

static bool is_of(const struct changes *changes, const struct compare_object *object,
		  enum sort sort)
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		if (is_only_on(object, (enum compare_side)side)) {
			if (other_name(changes, object, (enum compare_side)side))
				return sort == RENAMED;
			return sort == (side == COMPARE_AFTER ? ADDED : GONE);
		}
	return false;
}

static void add_up(struct changes *changes, enum sort sort, struct group *group)
{
	const struct comparison *comparison = changes->comparison;
	size_t numbers =
		(comparison->run_count[COMPARE_BEFORE] + comparison->run_count[COMPARE_AFTER]) *
		COMPARE_METRICS;
	CLEANUP(freep) uint64_t *sums = xcalloc(numbers + 1, sizeof(*sums));
	struct compare_figure figures[COMPARE_METRICS];

	// Rows are in order of their differences, which are all the faults here.
	for (size_t i = 0; i < comparison->row_count[COMPARE_BY_OBJECT]; i++) {
		const struct compare_row *row = &comparison->rows[COMPARE_BY_OBJECT][i];

		if (row->object == MODEL_NONE ||
		    !is_of(changes, &comparison->objects[row->object], sort))
			continue;
		for (size_t n = 0; n < numbers; n++)
			sums[n] += row->runs[n];
		if (group->count < NAMED)
			name_one(changes, group, sort, row);
		group->count++;
	}
	if (group->count > NAMED)
		strbuf_printf(&group->names, " and %zu more", group->count - NAMED);
	compare_judge(comparison, sums, figures);
	group->figure = figures[COMPARE_FAULTS];
}

static const char *title_of(struct changes *changes, enum sort sort, const struct group *group)
{
	bool is_one = group->count == 1;
	const char *what =
		is_one ? "One library is" : change_text(changes, "%zu libraries are", group->count);

	if (sort == RENAMED)
		return change_text(
			changes, "Libraries have other names, and %s faults on them instead of %s",
			change_number(changes, group->figure.median[COMPARE_AFTER]),
			change_number(changes, group->figure.median[COMPARE_BEFORE]));
	return change_text(changes, "%s loaded %s, with %s on %s", what,
			   sort == ADDED ? "in addition" : "no longer",
			   change_count(changes, &group->figure), is_one ? "it" : "them");
}

static const char *advice_for(enum sort sort, const struct group *group)
{
	if (sort != ADDED)
		return NULL;
	return group->is_needed
		       ? "Link with -Wl,--as-needed before the libraries, which leaves out "
			 "those without a reference; load one that is seldom needed with "
			 "dlopen() at its first use."
		       : "Load what is opened by dlopen() only when it is used.";
}

static void look_for(struct changes *changes, enum sort sort)
{
	static const char *const ids[] = { "libraries-added", "libraries-gone",
					   "libraries-renamed" };
	struct group group = { 0 };

	add_up(changes, sort, &group);
	if (group.count > 0 && change_is_worth(changes, &group.figure))
		change_add(changes,
			   &(struct compare_finding){
				   .id = ids[sort],
				   .title = title_of(changes, sort, &group),
				   .object = MODEL_NONE,
				   .figure = group.figure,
				   .is_cause = sort != RENAMED,
				   .evidence = change_text(
					   changes, "Faults on each: %s. %s",
					   strbuf_text(&group.names),
					   sort == RENAMED
						   ? "If they are builds of one library, --pair "
						     "compares them."
						   : "Mapping them, and looking up names for "
						     "them in other files, is not counted here."),
				   .advice = advice_for(sort, &group),
			   });
	strbuf_deinit(&group.names);
}

void change_libraries(struct changes *changes)
{
	look_for(changes, ADDED);
	look_for(changes, GONE);
	look_for(changes, RENAMED);
}
