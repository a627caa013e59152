// SPDX-License-Identifier: Apache-2.0
// Shared libraries that only one side loads, and all faults on them; or one side has libfoo.so.1,
// the other libfoo.so.2.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/path.h"

#include <string.h>

enum { ADDED_BY_NEED, ADDED_BY_DLOPEN, LOST, OTHER_NAMES }; // what can be found
enum { NAMED = 3 };

/** Libraries that go into one finding. */
enum sort { ADDED, GONE, RENAMED };

/** Is it a library that only @side loads? */
static bool is_only_on(const struct compare_object *object, enum compare_side side)
{
	return object->is_file && object->path[side] && !object->path[!side] &&
	       object->layout[side].is_known && object->layout[side].is_library;
}

/** Of "libfoo.so.1" and "_json.cpython-311-x86_64-linux-gnu.so" what another version also has. */
static size_t stem_length(const char *name)
{
	return strcspn(name, ".");
}

/** Find the name of @library on the other side, as far as its own name shows it; NULL: none. */
static const struct compare_object *other_name(const struct changes *changes,
					       const struct compare_object *library,
					       enum compare_side side)
{
	const struct comparison *comparison = changes->comparison;
	const char *name = path_file_name(library->path[side]);
	size_t length = stem_length(name);

	array_foreach (object, comparison->objects, comparison->object_count) {
		if (!is_only_on(object, !side))
			continue;
		const char *other = path_file_name(object->path[!side]);
		if (stem_length(other) == length && strncmp(name, other, length) == 0)
			return object;
	}
	return NULL;
}

/** Describe who needs it, by DT_NEEDED; *@ret_needed: a file that is on both sides does. */
static const char *describe_reason(struct changes *changes, const struct compare_object *library,
				   enum compare_side side, bool *ret_needed)
{
	const struct comparison *comparison = changes->comparison;
	const char *soname = library->layout[side].soname;
	const char *name = soname ? soname : path_file_name(library->path[side]);

	array_foreach (object, comparison->objects, comparison->object_count) {
		if (!object->path[side] || !change_needs(&object->layout[side], name))
			continue;
		*ret_needed = *ret_needed || object->path[!side];
		if (object->path[!side] && change_needs(&object->layout[!side], name))
			return arena_printf(changes->arena, "%s needs it on both sides",
					    object->label);
		return arena_printf(changes->arena,
				    side == COMPARE_AFTER ? "%s needs it now" : "%s needed it",
				    object->label);
	}
	return "no file needs it: opened by dlopen() or preloaded";
}

/** Libraries of one sort, and all faults on them. */
struct group {
	size_t count; // RENAMED: of both sides
	const char *names;
	bool is_needed; // one of those named, by a file of both sides
	struct compare_figure figure;
};

static void name_one(struct changes *changes, struct group *group, enum sort sort,
		     const struct compare_row *row)
{
	const struct compare_object *object = &changes->comparison->objects[row->object];
	const struct compare_figure *faults = &row->figures[COMPARE_FAULTS];
	enum compare_side side = object->path[COMPARE_AFTER] ? COMPARE_AFTER : COMPARE_BEFORE;
	const char *reason = sort != RENAMED
				     ? describe_reason(changes, object, side, &group->is_needed)
			     : side == COMPARE_AFTER ? "only after"
						     : "only before";

	group->names = kit_append(changes->arena, group->names, ", ",
				  arena_printf(changes->arena, "%s %s (%s)", object->label,
					       figure_median(changes->arena, faults->median[side]),
					       reason));
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
	array_foreach (row, comparison->rows[COMPARE_BY_OBJECT],
		       comparison->row_count[COMPARE_BY_OBJECT]) {
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
		group->names = arena_printf(changes->arena, "%s and %zu more", group->names,
					    group->count - NAMED);
	compare_judge(comparison, sums, figures);
	group->figure =
		sort == RENAMED ? figures[COMPARE_FAULTS] : change_larger_cost(changes, figures);
}

static void look_for(struct changes *changes, enum sort sort)
{
	struct group group = { 0 };

	add_up(changes, sort, &group);
	if (group.count == 0 || !change_is_worth(changes, &group.figure))
		return;
	bool is_one = group.count == 1;
	unsigned prose = sort == RENAMED   ? OTHER_NAMES
			 : sort == GONE	   ? LOST
			 : group.is_needed ? ADDED_BY_NEED
					   : ADDED_BY_DLOPEN;
	const double *median = group.figure.median;
	change_add(changes, prose,
		   &(struct compare_finding){ .object = MODEL_NONE,
					      .figure = group.figure,
					      .is_cause = sort != RENAMED },
		   KIT_VALUES({ "count",
				is_one ? "One" : arena_printf(changes->arena, "%zu", group.count) },
			      { "libraries", is_one ? "library is" : "libraries are" },
			      { "them", is_one ? "it" : "them" },
			      { "faults", change_count(changes, &group.figure) },
			      { "before", figure_median(changes->arena, median[COMPARE_BEFORE]) },
			      { "after", figure_median(changes->arena, median[COMPARE_AFTER]) },
			      { "names", group.names }));
}

static void find(struct changes *changes)
{
	look_for(changes, ADDED);
	look_for(changes, GONE);
	look_for(changes, RENAMED);
}

#define EVIDENCE                                                                                   \
	"Faults on each: {names}. Mapping them, and looking up names for them in other files, is " \
	"not counted here."

const struct change_rule change_libraries = {
	.prose = {
		[ADDED_BY_NEED] = {
			.id = "libraries-added",
			.title = "{count} additional {libraries} loaded, with {faults} on {them}",
			.evidence = EVIDENCE,
			.fix = "Link with `-Wl,--as-needed` before the libraries, which omits "
			       "those without a reference; load a library that is seldom needed, and "
			       "of which functions are used and no data, with `dlopen()` on "
			       "first use.",
		},
		[ADDED_BY_DLOPEN] = {
			.id = "libraries-added",
			.title = "{count} additional {libraries} loaded, with {faults} on {them}",
			.evidence = EVIDENCE,
			.fix = "Call `dlopen()` on first use only.",
		},
		[LOST] = {
			.id = "libraries-gone",
			.title = "{count} {libraries} no longer loaded, with {faults} on {them}",
			.evidence = EVIDENCE,
		},
		[OTHER_NAMES] = {
			.id = "libraries-renamed",
			.title = "Libraries have other names, and {after} faults on them instead "
				 "of {before}",
			.evidence = "Faults on each: {names}. If they are builds of one library, "
				    "--pair compares them.",
		},
	},
	.counts = "all faults on libraries that only one side loads",
	.shown_by = "files; `DT_NEEDED` names what needs them; `libraries-renamed`: each side has "
		    "one of the same name up to its first dot",
	.cause = "yes; `libraries-renamed`: no",
	.find = find,
};
