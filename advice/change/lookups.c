// SPDX-License-Identifier: Apache-2.0
// fewer-lookups, more-lookups: files look up another number of names when they are loaded, and the
// faults of symbol lookup differ. Files that are bound at another time are for change_binding().
//
// Each name is searched in file after file, so that what one file looks up costs faults on others:
// the faults are those of the whole run.
#include "advice/change/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"

#include <stdlib.h>

enum { NAMED = 3 };

/** A file that looks up another number of names than before. */
struct row {
	uint32_t object;
	int64_t difference;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int64_t size = llabs(x->difference), other = llabs(y->difference);

	if (size != other)
		return size > other ? -1 : 1;
	return (x->object > y->object) - (x->object < y->object);
}

/** What shows in the file why it looks up fewer names or more; "": nothing. */
static const char *describe_reason(struct changes *changes, uint32_t id)
{
	const struct compare_object *object = &changes->comparison->objects[id];
	const struct compare_layout *before = &object->layout[COMPARE_BEFORE];
	const struct compare_layout *after = &object->layout[COMPARE_AFTER];
	const uint64_t *was = before->relocations, *is = after->relocations;
	uint64_t exported[COMPARE_SIDES];
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	if (before->is_symbolic != after->is_symbolic)
		strbuf_puts(&text, after->is_symbolic ? "linked with -Bsymbolic now"
						      : "linked without -Bsymbolic now");
	if (was[MODEL_RELOCATION_SYMBOLIC] != is[MODEL_RELOCATION_SYMBOLIC])
		strbuf_printf(&text, "%ssymbolic relocations %s -> %s, relative %s -> %s",
			      text.length > 0 ? ", " : "",
			      figure_number(changes->arena, was[MODEL_RELOCATION_SYMBOLIC]),
			      figure_number(changes->arena, is[MODEL_RELOCATION_SYMBOLIC]),
			      figure_number(changes->arena, was[MODEL_RELOCATION_RELATIVE]),
			      figure_number(changes->arena, is[MODEL_RELOCATION_RELATIVE]));
	if (was[MODEL_RELOCATION_JUMP_SLOT] != is[MODEL_RELOCATION_JUMP_SLOT])
		strbuf_printf(&text, "%sPLT entries %s -> %s", text.length > 0 ? ", " : "",
			      figure_number(changes->arena, was[MODEL_RELOCATION_JUMP_SLOT]),
			      figure_number(changes->arena, is[MODEL_RELOCATION_JUMP_SLOT]));
	if (change_section_size(object, ".dynsym", COMPARE_BEFORE, &exported[COMPARE_BEFORE]) &&
	    change_section_size(object, ".dynsym", COMPARE_AFTER, &exported[COMPARE_AFTER]) &&
	    exported[COMPARE_BEFORE] != exported[COMPARE_AFTER])
		strbuf_printf(
			&text, "%s.dynsym %s", text.length > 0 ? ", " : "",
			change_sizes(changes, exported[COMPARE_BEFORE], exported[COMPARE_AFTER]));
	return text.length > 0 ? change_text(changes, " (%s)", strbuf_text(&text)) : "";
}

static const char *describe(struct changes *changes, const struct row *rows, size_t count)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (size_t i = 0; i < count && i < NAMED; i++) {
		const struct compare_object *object = &changes->comparison->objects[rows[i].object];

		strbuf_printf(&text, "%s%s: %s -> %s%s", i > 0 ? "; " : "", object->label,
			      figure_number(changes->arena,
					    object->layout[COMPARE_BEFORE].lookups_at_load),
			      figure_number(changes->arena,
					    object->layout[COMPARE_AFTER].lookups_at_load),
			      describe_reason(changes, rows[i].object));
	}
	if (count > NAMED)
		strbuf_printf(&text, "; %zu files more", count - NAMED);
	return arena_strdup(changes->arena, strbuf_text(&text));
}

/** The files that look up another number of names; @ret_other: something else bears on it, too. */
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

void change_lookups(struct changes *changes)
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
	const struct compare_figure cost = change_faults(changes, &looking);
	const struct compare_figure relocation = change_faults(changes, &relocating);

	if (!change_is_worth(changes, &cost) || (cost.difference < 0) != (difference < 0))
		return;
	qsort(rows, count, sizeof(*rows), compare);
	change_add(
		changes,
		&(struct compare_finding){
			.id = difference < 0 ? "fewer-lookups" : "more-lookups",
			.title = change_text(
				changes,
				"%s %s names %s when %s loaded, and symbol lookup has %s %s%s",
				count == 1 ? "It looks up" : "Files look up",
				figure_number(changes->arena, (uint64_t)llabs(difference)),
				difference < 0 ? "fewer" : "more",
				count == 1 ? "it is" : "they are", change_count(changes, &cost),
				difference < 0 ? "fewer" : "more",
				change_unchanged(changes, "relocation", &relocation)),
			.object = count == 1 ? rows[0].object : MODEL_NONE,
			.where = "initiator=symbol-lookup",
			.figure = cost,
			.is_cause = !has_other,
			.evidence = change_text(
				changes,
				"Names looked up at load: %s. Faults of symbol lookup in all "
				"files: %s.",
				describe(changes, rows, count), change_arrow(changes, &cost)),
			.advice = difference < 0
					  ? NULL
					  : "Bind names within a library when it is linked: "
					    "-fvisibility=hidden, or -Wl,-Bsymbolic-functions with "
					    "-fno-semantic-interposition.",
		});
}
