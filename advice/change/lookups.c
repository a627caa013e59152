// SPDX-License-Identifier: Apache-2.0
// Files look up another number of names when they are loaded, and the faults of symbol lookup
// differ. Files that are bound at another time are for the rule on binding.
//
// Each name is searched in file after file, so that what one file looks up costs faults on others:
// the faults are those of the whole run.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"

#include <stdlib.h>

enum { ONE_FEWER, FEWER, ONE_MORE, MORE };
enum { NAMED = 3 };

/** A file that looks up another number of names than before. */
struct row {
	uint32_t object;
	int64_t difference;
};

ORDER_OF(compare, row,
	 ORDER(llabs(y->difference), llabs(x->difference)) ?: ORDER(x->object, y->object))

/** "@what 12 -> 3", appended to @list; the list as it is where both are the same. */
static const char *add_counts(struct arena *arena, const char *list, const char *what, uint64_t was,
			      uint64_t is)
{
	if (was == is)
		return list;
	return kit_append(arena, list, ", ",
			  arena_printf(arena, "%s %s -> %s", what, figure_number(arena, was),
				       figure_number(arena, is)));
}

/** Describe why the file looks up fewer names or more, as the file shows it; "": nothing does. */
static const char *describe_reason(struct changes *changes, const struct compare_object *object)
{
	const struct compare_layout *before = &object->layout[COMPARE_BEFORE];
	const struct compare_layout *after = &object->layout[COMPARE_AFTER];
	const uint64_t *was = before->relocations, *is = after->relocations;
	struct arena *arena = changes->arena;
	uint64_t had, has; // exported
	const char *list = NULL;

	if (before->is_symbolic != after->is_symbolic)
		list = after->is_symbolic ? "linked with -Bsymbolic now"
					  : "linked without -Bsymbolic now";
	if (was[MODEL_RELOCATION_SYMBOLIC] != is[MODEL_RELOCATION_SYMBOLIC]) {
		list = add_counts(arena, list, "symbolic relocations",
				  was[MODEL_RELOCATION_SYMBOLIC], is[MODEL_RELOCATION_SYMBOLIC]);
		list = arena_printf(arena, "%s, relative %s -> %s", list,
				    figure_number(arena, was[MODEL_RELOCATION_RELATIVE]),
				    figure_number(arena, is[MODEL_RELOCATION_RELATIVE]));
	}
	list = add_counts(arena, list, "PLT entries", was[MODEL_RELOCATION_JUMP_SLOT],
			  is[MODEL_RELOCATION_JUMP_SLOT]);
	if (change_section_size(object, ".dynsym", COMPARE_BEFORE, &had) &&
	    change_section_size(object, ".dynsym", COMPARE_AFTER, &has) && had != has)
		list = kit_append(
			arena, list, ", ",
			arena_printf(arena, ".dynsym %s", change_sizes(changes, had, has)));
	return list ? arena_printf(arena, " (%s)", list) : "";
}

static const char *describe(struct changes *changes, const struct row *rows, size_t count)
{
	struct arena *arena = changes->arena;
	const char *list = NULL;

	for (size_t i = 0; i < count && i < NAMED; i++) {
		const struct compare_object *object = &changes->comparison->objects[rows[i].object];
		const struct compare_layout *layout = object->layout;

		list = kit_append(
			arena, list, "; ",
			arena_printf(arena, "%s: %s -> %s%s", object->label,
				     figure_number(arena, layout[COMPARE_BEFORE].lookups_at_load),
				     figure_number(arena, layout[COMPARE_AFTER].lookups_at_load),
				     describe_reason(changes, object)));
	}
	return count > NAMED ? arena_printf(arena, "%s; %zu more files", list, count - NAMED)
			     : list;
}

/** The files that look up another number of names; @ret_other: something else also bears on it. */
static size_t list_files(struct changes *changes, struct row *rows, bool *ret_other)
{
	const struct comparison *comparison = changes->comparison;
	size_t count = 0;

	*ret_other = false;
	for (uint32_t i = 0; i < comparison->object_count; i++) {
		const struct compare_object *object = &comparison->objects[i];
		const struct compare_layout *before, *after;

		if (!change_layouts(object, &before, &after)) {
			// What neither side could read as ELF looks up nothing.
			*ret_other = *ret_other || before->is_known || after->is_known;
			continue;
		}
		if (!before->has_relocation || !after->has_relocation)
			continue;
		if (before->bind_now != after->bind_now)
			*ret_other = true;
		else if (before->lookups_at_load != after->lookups_at_load)
			rows[count++] = (struct row){ i, (int64_t)after->lookups_at_load -
								 (int64_t)before->lookups_at_load };
	}
	return count;
}

static void find(struct changes *changes)
{
	CLEANUP(freep)
	struct row *rows = xcalloc(changes->comparison->object_count + 1, sizeof(*rows));
	bool has_other;
	size_t count = list_files(changes, rows, &has_other);
	int64_t difference = 0;

	for (size_t i = 0; i < count; i++)
		difference += rows[i].difference;
	if (difference == 0)
		return;
	const struct change_choice looking = { .object = CHANGE_ANY,
					       .initiators = CHANGE_BY(MODEL_SYMBOL_LOOKUP) };
	const struct change_choice relocating = { .object = CHANGE_ANY,
						  .initiators = CHANGE_BY(MODEL_RELOCATION) };
	const struct compare_figure cost = change_cost(changes, &looking);
	const struct compare_figure relocation = change_figure(changes, &relocating, cost.metric);

	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != (difference < 0))
		return;
	qsort(rows, count, sizeof(*rows), compare);
	change_add(
		changes,
		difference < 0 ? (count == 1 ? ONE_FEWER : FEWER) : (count == 1 ? ONE_MORE : MORE),
		&(struct compare_finding){ .object = count == 1 ? rows[0].object : MODEL_NONE,
					   .figure = cost,
					   .is_cause = !has_other },
		KIT_VALUES({ "names", figure_number(changes->arena, (uint64_t)llabs(difference)) },
			   { "difference", change_fewer(changes, &cost) },
			   { "unchanged", change_unchanged(changes, "relocation", &relocation) },
			   { "files", describe(changes, rows, count) },
			   { "unit", cost.metric == COMPARE_OWN ? "own time" : "faults" },
			   { "faults", change_arrow(changes, &cost) }));
}

#define EVIDENCE "Names looked up at load: {files}. Symbol-lookup {unit} in all files: {faults}."
#define FIX                                                                        \
	"Bind names within a library at link time: use `-fvisibility=hidden`, or " \
	"`-Wl,-Bsymbolic-functions` with `-fno-semantic-interposition`."

const struct change_rule change_lookups = {
	.prose = {
		[ONE_FEWER] = {
			.id = "fewer-lookups",
			.title = "It looks up {names} fewer names at load, and symbol lookup has "
				 "{difference}{unchanged}",
			.evidence = EVIDENCE,
		},
		[FEWER] = {
			.id = "fewer-lookups",
			.title = "Files look up {names} fewer names at load, and symbol lookup has "
				 "{difference}{unchanged}",
			.evidence = EVIDENCE,
		},
		[ONE_MORE] = {
			.id = "more-lookups",
			.title = "It looks up {names} more names at load, and symbol lookup has "
				 "{difference}{unchanged}",
			.evidence = EVIDENCE,
			.fix = FIX,
		},
		[MORE] = {
			.id = "more-lookups",
			.title = "Files look up {names} more names at load, and symbol lookup has "
				 "{difference}{unchanged}",
			.evidence = EVIDENCE,
			.fix = FIX,
		},
	},
	.counts = "symbol-lookup faults of the run",
	.shown_by = "another number of names that files look up at load; the evidence has "
		    "`-Bsymbolic`, symbolic relocations, PLT entries and `.dynsym` where they "
		    "changed",
	.cause = "if all files are on both sides and bound at the same time",
	.where = "initiator=symbol-lookup",
	.find = find,
};
