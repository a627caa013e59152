// SPDX-License-Identifier: Apache-2.0
// Constant data is full of pointers (vtables, tables of strings): relocation writes, and the kernel
// copies, page after page of .data.rel.ro.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/text.h"
#include "derive/copies.h"
#include "derive/pageset.h"
#include "derive/relocating.h"
#include "model/layout.h"
#include "model/relocation.h"

#include <string.h>

#define SECTION ".data.rel.ro"

enum { MIN_PERCENT_WRITTEN = 50 };

/** By index of the rule's cures. */
enum { CURE_NO_PIE = 1 << 0, CURE_CODE = 1 << 1, CURE_LINK = 1 << 2 };

static const struct model_relocated_section *find_section(const struct model_relocation *relocation)
{
	for (size_t i = 0; relocation && i < relocation->section_count; i++)
		if (strcmp(relocation->sections[i].name, SECTION) == 0)
			return &relocation->sections[i];
	return NULL;
}

/** Kinds of data on a page that relocation reaches first, from low to high addresses. */
enum kind { KIND_VTABLE, KIND_TYPEINFO, KIND_CONSTANT, KIND_NAMED, KIND_OTHER, KINDS };

static const char *const kind_words[KINDS] = {
	[KIND_VTABLE] = "a vtable",
	[KIND_TYPEINFO] = "typeinfo",
	[KIND_CONSTANT] = "a pointer to constants (strings, tables)",
	[KIND_NAMED] = "other data with a name",
	[KIND_OTHER] = "data without a name",
};

static enum kind kind_of(const struct model *model, const struct model_fault *fault)
{
	const struct model_symbol *symbol =
		fault->at.name == MODEL_NONE ? NULL : &model->symbols[fault->at.name];

	if (!symbol || !symbol->name)
		return KIND_OTHER;
	if (symbol->kind == MODEL_POINTEE)
		return text_starts_with(symbol->name, "&.rodata") ||
				       text_starts_with(symbol->name, "&string:")
			       ? KIND_CONSTANT
			       : KIND_OTHER;
	if (text_starts_with(symbol->name, "vtable for ") || text_starts_with(symbol->name, "_ZTV"))
		return KIND_VTABLE;
	if (text_starts_with(symbol->name, "typeinfo ") || text_starts_with(symbol->name, "_ZTI"))
		return KIND_TYPEINFO;
	return KIND_NAMED;
}

/** "a vtable 76, data without a name 12": how often it was which, in the order of enum kind. */
static const char *describe_kinds(struct findings *findings, uint32_t id)
{
	const struct model *model = findings->model;
	uint64_t counts[KINDS] = { 0 };
	const char *text = NULL;

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object == id && fault->initiator == MODEL_RELOCATION &&
		    model_is_in_section(model, fault, SECTION) && !copies_has(model, fault))
			counts[kind_of(model, fault)]++;
	for (enum kind kind = 0; kind < KINDS; kind++)
		if (counts[kind] > 0)
			text = kit_append(
				findings->arena, text, ", ",
				arena_printf(findings->arena, "%s %s", kind_words[kind],
					     figure_number(findings->arena, counts[kind])));
	return text ? text : "";
}

/** Faults of COPY relocations on the section, and their pages: they write no pointers. */
static struct model_count copied_in(const struct findings *findings, uint32_t id,
				    uint64_t *ret_pages)
{
	const struct model *model = findings->model;
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	struct model_count copied = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object != id || !model_is_in_section(model, fault, SECTION) ||
		    !copies_has(model, fault))
			continue;
		model_count_fault(&copied, fault);
		pageset_add(&pages, model, fault);
	}
	*ret_pages = pageset_count(&pages);
	return copied;
}

/** "llvm::Names", "vtable for Foo", "[strings]". */
static const char *owner_label(struct findings *findings, const struct model_owner *owner)
{
	return owner->name ? rule_name(findings, owner->name)
			   : arena_printf(findings->arena, "[%s]", owner->kind);
}

/** The first owners of pointers in the section, each with its pages and its time; "": unknown. */
static const char *describe_owners(struct findings *findings,
				   const struct model_relocation *relocation)
{
	enum { OWNERS = 3 };
	struct arena *arena = findings->arena;
	const char *list = NULL;
	size_t count = 0;

	array_foreach (owner, relocation->owners, relocation->owner_count) {
		uint64_t computing_ns = 0;

		if (!owner->section || strcmp(owner->section, SECTION) != 0 || count++ >= OWNERS)
			continue;
		relocating_share(findings->model, owner->relocations, &computing_ns);
		const uint64_t ns = owner->own_ns + computing_ns;

		list = kit_append(
			arena, list, "; ",
			arena_printf(arena, "%s%s%s: %s on %s, %s of them alone%s",
				     owner_label(findings, owner), owner->source ? " of " : "",
				     owner->source ?: "",
				     kit_plural(arena, owner->relocations, "pointer"),
				     kit_plural(arena, owner->pages, "page"),
				     figure_number(arena, owner->pages_alone),
				     ns > 0 ? arena_printf(arena, ", %s", rule_time(findings, ns))
					    : ""));
	}
	return list ? arena_printf(arena, " First owners: %s.", list) : "";
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocated_section *section = find_section(object->relocation);
	struct arena *arena = findings->arena;

	if (!section)
		return;
	uint64_t copied_pages = 0;
	struct model_count cost = rule_on_section(findings, object, SECTION, MODEL_RELOCATION);

	if (section->copies > 0) {
		const struct model_count copied = copied_in(findings, id, &copied_pages);

		model_count_subtract(&cost, &copied);
	}
	const uint64_t written = section->pages_written - copied_pages;
	const uint64_t holding = section->pages_holding - copied_pages;

	uint64_t cpu_ns = rule_relocating(findings, section->relocations - section->copies);

	if (!rule_is_worth(findings, &cost, cpu_ns, rule_error(findings, cpu_ns)) ||
	    !kit_is_share((double)written, (double)holding, MIN_PERCENT_WRITTEN))
		return;

	const struct model_layout *layout = object->layout;
	bool is_pie = layout && !layout->is_library && !layout->is_fixed;
	// At a fixed address no page of it has to be relocated, wherever it lies.
	const struct model_count relocated = object->relocation->relocation;

	rule_add_found(
		findings,
		&(struct rule_found){
			.object = id,
			.cost = cost,
			.pages = written,
			.saves = cost.faults,
			.gone = is_pie && relocated.faults > cost.faults ? &relocated : NULL,
			.cpu_ns = cpu_ns,
			.cpu_error_ns = rule_error(findings, cpu_ns),
			.cures = CURE_CODE | CURE_LINK | (is_pie ? CURE_NO_PIE : 0),
		},
		KIT_VALUES({ "pointers",
			     kit_plural(arena, section->relocations - section->copies, "pointer") },
			   { "size", figure_size(arena, section->size) },
			   { "pages", kit_plural(arena, holding, "page") },
			   { "written", figure_number(arena, written) },
			   { "kinds", describe_kinds(findings, id) },
			   { "owners", describe_owners(findings, object->relocation) }));
}

const struct rule rule_relocateddata = {
	.prose = {
		.id = "relocated-data",
		.title = "Constant data is copied to be relocated",
		.evidence = "{pointers} in .data.rel.ro ({size}) lie on {pages}; relocation wrote "
			    "{written} of them. First slot on each page: {kinds}.{owners}",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Link with `-no-pie` and without `-fPIE`: the linker then writes its addresses, and relative relocations vanish.", "of a position-independent executable" },
		{ MODEL_FOR_BUILD, "Reduce the number of pointers in constant data: use tables of offsets into one string instead of `char` pointers, fewer virtual classes, and `-fno-rtti` where RTTI is unused." },
		{ MODEL_FOR_LINK, "Drop what nothing refers to: `-fdata-sections` and `-Wl,--gc-sections`. RELR does not help here." },
	},
	.about = "Relocation writes to constant data, so that the kernel copies each of its pages "
		 "in each process, at every start.",
	.when = "Reported for an object when relocation faults on `.data.rel.ro` reach the "
		"threshold and relocation wrote at least half of the pages there that hold a "
		"pointer.",
	.details = "A virtual class that nothing uses still costs a vtable and typeinfo; "
		   "`-fno-rtti` drops the typeinfo, `-Wl,--gc-sections` data without references. "
		   "Of a position-independent executable the saving is all its relocation.",
	.limits = "Which of the data this run needed is not known. The kind of data is counted "
		  "where relocation came to a page first; the rest of the page may hold another "
		  "kind. Computing is the share of relocation's that its relocations have by their "
		  "number. The time of an owner is that of the faults on its pages, of a page that "
		  "several share in proportion to their pointers there, and its part of "
		  "computing; `elfault map --relocations` lists all owners, "
		  "`relocation.owners` of JSON the first 20 of this run.",
	.where = "object={object},initiator=relocation,section=" SECTION,
	.saves_storage = true,
	.relinks = true,
	.find_in = find_in,
};
