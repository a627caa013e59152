// SPDX-License-Identifier: Apache-2.0
#include "render/diff/files.h"

#include "base/figure.h"
#include "base/order.h"
#include "base/path.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_SECTIONS = 4, MANY_FILES = 3 };

/** The sides of an object. */
#define BEFORE(object) (&(object)->layout[COMPARE_BEFORE])
#define AFTER(object)  (&(object)->layout[COMPARE_AFTER])

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/** By how much it differs: a section that only one side has by its size. */
static uint64_t change_of(const struct compare_section *section)
{
	return distance(section->size[COMPARE_BEFORE], section->size[COMPARE_AFTER]);
}

ORDER_OF_POINTERS(compare_sections, compare_section,
		  ORDER(change_of(y), change_of(x)) ?: strcmp(x->name, y->name))

/** "80.9 KiB -> 4.5 KiB"; bytes where that would show no change. */
static const char *sizes(struct arena *arena, uint64_t before, uint64_t after)
{
	const char *was = figure_size(arena, before), *is = figure_size(arena, after);

	if (strcmp(was, is) != 0)
		return arena_printf(arena, "%s -> %s", was, is);
	return arena_printf(arena, "%s (%+lld B)", is, (long long)(after - before));
}

static const char *append(struct arena *arena, const char *list, const char *part)
{
	return arena_printf(arena, "%s%s%s", list, *list ? ", " : "", part);
}

static const char *section_text(struct arena *arena, const struct compare_section *section)
{
	const uint64_t *size = section->size;

	if (!section->is_there[COMPARE_BEFORE])
		return arena_printf(arena, "%s is new (%s)", section->name,
				    figure_size(arena, size[COMPARE_AFTER]));
	if (!section->is_there[COMPARE_AFTER])
		return arena_printf(arena, "%s is gone (%s)", section->name,
				    figure_size(arena, size[COMPARE_BEFORE]));
	const char *text = arena_printf(arena, "%s %s", section->name,
					sizes(arena, size[COMPARE_BEFORE], size[COMPARE_AFTER]));
	double percent = size[COMPARE_BEFORE] > 0
				 ? ((double)size[COMPARE_AFTER] - (double)size[COMPARE_BEFORE]) *
					   100 / (double)size[COMPARE_BEFORE]
				 : 0;
	bool has_percent = fabs(percent) >= 0.05 && percent > -99.5 && percent < 1000;

	return has_percent ? arena_printf(arena, "%s (%+.1f%%)", text, percent) : text;
}

/** The sections that differ most. */
static const char *add_sections(struct arena *arena, const struct compare_object *object,
				const char *list)
{
	const struct compare_section **found =
		arena_array(arena, object->section_count + 1, sizeof(*found));
	size_t count = 0;

	array_foreach (section, object->sections, object->section_count)
		if (change_of(section) > 0)
			found[count++] = section;
	qsort(found, count, sizeof(*found), compare_sections);
	for (size_t i = 0; i < count && i < NAMED_SECTIONS; i++)
		list = append(arena, list, section_text(arena, found[i]));
	if (count > NAMED_SECTIONS)
		list = append(arena, list,
			      arena_printf(arena, "%zu more sections", count - NAMED_SECTIONS));
	return list;
}

static const char *add_number(struct arena *arena, const char *list, const char *noun,
			      uint64_t before, uint64_t after)
{
	return before == after ? list
			       : append(arena, list,
					arena_printf(arena, "%s %s -> %s", noun,
						     figure_number(arena, before),
						     figure_number(arena, after)));
}

static const char *encoding_of(const struct compare_layout *layout)
{
	return layout->encoding ? layout->encoding : "none";
}

static const char *add_relocations(struct arena *arena, const struct compare_object *object,
				   const char *list)
{
	if (!BEFORE(object)->has_relocation || !AFTER(object)->has_relocation)
		return list;
	list = add_number(arena, list, "relocations", compare_layout_relocations(BEFORE(object)),
			  compare_layout_relocations(AFTER(object)));
	if (strcmp(encoding_of(BEFORE(object)), encoding_of(AFTER(object))) != 0)
		list = append(arena, list,
			      arena_printf(arena, "encoded as %s, %s before",
					   encoding_of(AFTER(object)),
					   encoding_of(BEFORE(object))));
	return list;
}

/** Functions by their addresses. Other names at one of them are aliases, or were folded into it. */
static const char *add_functions(struct arena *arena, const struct compare_object *object,
				 const char *list)
{
	const struct compare_layout *before = BEFORE(object), *after = AFTER(object);
	uint64_t shared_before = before->function_names - before->named_functions;
	uint64_t shared_after = after->function_names - after->named_functions;

	// Names from elsewhere are other names.
	if (!before->symbols || !after->symbols || strcmp(before->symbols, after->symbols) != 0)
		return list;
	list = add_number(arena, list, "functions", before->functions, after->functions);
	if (before->functions == after->functions || shared_before == shared_after)
		return list;
	return arena_printf(arena, "%s (%s %s share an address)", list,
			    figure_number(arena, distance(shared_before, shared_after)),
			    shared_after > shared_before ? "more" : "fewer");
}

static bool is_same_build(const struct compare_object *object)
{
	const char *before = BEFORE(object)->build_id, *after = AFTER(object)->build_id;

	return before && after && strcmp(before, after) == 0;
}

/** Describe the changes of @object, which both sides have and know; "": none that is known. */
static const char *changes_of(struct arena *arena, const struct compare_object *object)
{
	const char *list = add_sections(arena, object, "");

	list = add_relocations(arena, object, list);
	list = add_number(arena, list, "initializers", BEFORE(object)->initializers,
			  AFTER(object)->initializers);
	list = add_functions(arena, object, list);
	if (BEFORE(object)->is_fixed != AFTER(object)->is_fixed)
		list = append(arena, list,
			      AFTER(object)->is_fixed ? "at a fixed address now (-no-pie)"
						      : "at any address now (-pie)");
	return list;
}

/** "app (was app-old)". */
static const char *name_of(struct arena *arena, const struct compare_object *object)
{
	const char *was = path_file_name(object->path[COMPARE_BEFORE]);

	return strcmp(was, path_file_name(object->path[COMPARE_AFTER])) == 0
		       ? object->label
		       : arena_printf(arena, "%s (was %s)", object->label, was);
}

static uint64_t weight_of(const struct compare_object *object)
{
	uint64_t sum = 0;

	array_foreach (section, object->sections, object->section_count)
		sum += change_of(section);
	return sum;
}

/** The program first. */
static int compare_objects(const void *a, const void *b, void *program)
{
	const struct compare_object *x = *(const struct compare_object *const *)a;
	const struct compare_object *y = *(const struct compare_object *const *)b;

	return ORDER(y == program, x == program) ?: ORDER(weight_of(y), weight_of(x))
		?: strcmp(x->label, y->label);
}

/** The sides of @object that could not be read, in words; NULL: none, or it is the same build. */
static const char *unread(const struct compare_object *object)
{
	bool before = BEFORE(object)->is_unread, after = AFTER(object)->is_unread;

	if (is_same_build(object) || (!before && !after))
		return NULL;
	return before && after ? "on either side" : before ? "before" : "after";
}

const char *const *difffiles(struct arena *arena, const struct comparison *comparison, size_t limit,
			     size_t *ret_count)
{
	size_t most = limit == SIZE_MAX ? limit : MANY_FILES, shown = 0, count = 0;
	const char **lines = arena_array(arena, comparison->object_count + 2, sizeof(*lines));
	const struct compare_object **files =
		arena_array(arena, comparison->object_count + 1, sizeof(*files));
	const char *blind = "";
	size_t file_count = 0;

	array_foreach (object, comparison->objects, comparison->object_count)
		if (object->path[COMPARE_BEFORE] && object->path[COMPARE_AFTER])
			files[file_count++] = object;
	const struct compare_object *program = comparison->program == MODEL_NONE
						       ? NULL
						       : &comparison->objects[comparison->program];

	qsort_r(files, file_count, sizeof(*files), compare_objects, (void *)program);
	for (size_t i = 0; i < file_count; i++) {
		const char *sides = unread(files[i]);

		if (sides) {
			blind = append(
				arena, blind,
				arena_printf(arena, "%s (%s)", name_of(arena, files[i]), sides));
			continue;
		}
		bool is_known = BEFORE(files[i])->is_known && AFTER(files[i])->is_known;
		const char *changes = is_known ? changes_of(arena, files[i]) : "";

		if (*changes && shown++ < most)
			lines[count++] =
				arena_printf(arena, "%s: %s", name_of(arena, files[i]), changes);
	}
	if (shown > most)
		lines[count++] = arena_printf(arena, "%zu more files differ; --top 0 shows them",
					      shown - most);
	if (*blind)
		lines[count++] = arena_printf(
			arena, "What changed in these files is unknown, as they cannot be read: %s",
			blind);
	*ret_count = count;
	return lines;
}
