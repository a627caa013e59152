// SPDX-License-Identifier: Apache-2.0
// The change in layout that stands beside a change in faults. It explains, but proves nothing: only
// what bears on the initiator or the section is named.
#include "compare/compare.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "compare/facts.h"

#include <string.h>

/** Add "; " between facts. */
static void next(struct strbuf *text)
{
	if (text->length > 0)
		strbuf_puts(text, "; ");
}

static void changed_number(struct strbuf *text, struct arena *arena, const char *noun,
			   uint64_t before, uint64_t after)
{
	if (before == after)
		return;
	next(text);
	strbuf_printf(text, "%s %s -> %s", noun, figure_number(arena, before),
		      figure_number(arena, after));
}

/** Bytes, where the rounded size would show no change. */
static void add_size(struct strbuf *text, struct arena *arena, uint64_t before, uint64_t after)
{
	const char *was = figure_size(arena, before), *is = figure_size(arena, after);

	if (strcmp(was, is) == 0)
		strbuf_printf(text, "%s -> %s B", figure_number(arena, before),
			      figure_number(arena, after));
	else
		strbuf_printf(text, "%s -> %s", was, is);
}

static void explain_section(struct strbuf *text, struct arena *arena,
			    const struct compare_section *section)
{
	if (section->is_there[COMPARE_BEFORE] && section->is_there[COMPARE_AFTER]) {
		if (section->size[COMPARE_BEFORE] == section->size[COMPARE_AFTER])
			return;
		next(text);
		strbuf_printf(text, "%s ", section->name);
		add_size(text, arena, section->size[COMPARE_BEFORE], section->size[COMPARE_AFTER]);
		return;
	}
	int side = section->is_there[COMPARE_AFTER] ? COMPARE_AFTER : COMPARE_BEFORE;
	next(text);
	strbuf_printf(text, "%s (%s) is %s", section->name, figure_size(arena, section->size[side]),
		      side == COMPARE_AFTER ? "new" : "gone");
}

static void explain_relocation(struct strbuf *text, struct arena *arena,
			       const struct compare_layout *before,
			       const struct compare_layout *after)
{
	const char *was = before->encoding ? before->encoding : "none";
	const char *is = after->encoding ? after->encoding : "none";

	changed_number(text, arena, "relocations", compare_layout_relocations(before),
		       compare_layout_relocations(after));
	if (strcmp(was, is) != 0) {
		next(text);
		strbuf_printf(text, "encoding %s -> %s", was, is);
	}
	if (before->table_bytes != after->table_bytes) {
		next(text);
		strbuf_puts(text, "relocation tables ");
		add_size(text, arena, before->table_bytes, after->table_bytes);
	}
	changed_number(text, arena, "pages with relocated slots", before->pages_holding,
		       after->pages_holding);
}

static void explain_binding(struct strbuf *text, struct arena *arena,
			    const struct compare_layout *before, const struct compare_layout *after)
{
	if (before->bind_now != after->bind_now) {
		next(text);
		strbuf_puts(text, after->bind_now ? "bound when loaded (-z now), lazily before"
						  : "bound lazily, when loaded (-z now) before");
	}
	changed_number(text, arena, "names looked up at load", before->lookups_at_load,
		       after->lookups_at_load);
}

const char *compare_explain(const struct comparison *comparison, const struct compare_row *row,
			    struct arena *arena)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	if (row->object == MODEL_NONE)
		return NULL;
	const struct compare_object *object = &comparison->objects[row->object];
	const struct compare_layout *before = &object->layout[COMPARE_BEFORE];
	const struct compare_layout *after = &object->layout[COMPARE_AFTER];
	if (!object->path[COMPARE_BEFORE] || !object->path[COMPARE_AFTER]) {
		if (!object->is_file)
			return NULL;
		return object->path[COMPARE_AFTER] ? "the file is new: only after maps it"
						   : "the file is gone: only before maps it";
	}
	const struct compare_section *section = facts_section(object, row->name);
	if (section)
		explain_section(&text, arena, section);
	bool has_relocation = before->has_relocation && after->has_relocation;
	if (has_relocation && row->initiator == MODEL_RELOCATION)
		explain_relocation(&text, arena, before, after);
	if (has_relocation &&
	    (row->initiator == MODEL_RELOCATION || row->initiator == MODEL_SYMBOL_LOOKUP ||
	     row->initiator == MODEL_LAZY_BINDING))
		explain_binding(&text, arena, before, after);
	if (row->initiator == MODEL_STATIC_INIT)
		changed_number(&text, arena, "initializers", before->initializers,
			       after->initializers);
	return text.length > 0 ? arena_strdup(arena, strbuf_text(&text)) : NULL;
}
