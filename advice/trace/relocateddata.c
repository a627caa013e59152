// SPDX-License-Identifier: Apache-2.0
// relocated-data: constant data is full of pointers (vtables, tables of strings), so that
// relocation writes, and the kernel copies, page after page of .data.rel.ro.
//
// Speaks for an object when relocation's faults on .data.rel.ro are worth a finding and it wrote at
// least half of the section's pages that hold a slot.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "model/relocation.h"

#include <string.h>

#define SECTION ".data.rel.ro"

enum { MIN_PERCENT_WRITTEN = 50 };

static const struct model_relocated_section *find_section(const struct model_relocation *relocation)
{
	for (size_t i = 0; relocation && i < relocation->section_count; i++)
		if (strcmp(relocation->sections[i].name, SECTION) == 0)
			return &relocation->sections[i];
	return NULL;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/** What is written where relocation comes to a page first; it goes from low to high. */
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
		fault->at_symbol == MODEL_NONE ? NULL : &model->symbols[fault->at_symbol];

	if (!symbol || !symbol->name)
		return KIND_OTHER;
	if (symbol->kind == MODEL_POINTEE)
		return starts_with(symbol->name, "&.rodata") ||
				       starts_with(symbol->name, "&string:")
			       ? KIND_CONSTANT
			       : KIND_OTHER;
	if (starts_with(symbol->name, "vtable for ") || starts_with(symbol->name, "_ZTV"))
		return KIND_VTABLE;
	if (starts_with(symbol->name, "typeinfo ") || starts_with(symbol->name, "_ZTI"))
		return KIND_TYPEINFO;
	return KIND_NAMED;
}

/** "a vtable 76, data without a name 12": how often it was which, in the order of enum kind. */
static const char *describe_kinds(struct findings *findings, uint32_t id)
{
	const struct model *model = findings->model;
	uint64_t counts[KINDS] = { 0 };
	const char *text = "";

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		const char *section = fault->at_section == MODEL_NONE
					      ? NULL
					      : model->sections[fault->at_section].name;

		if (fault->at_object == id && fault->initiator == MODEL_RELOCATION && section &&
		    strcmp(section, SECTION) == 0)
			counts[kind_of(model, fault)]++;
	}
	for (enum kind kind = 0; kind < KINDS; kind++)
		if (counts[kind] > 0)
			text = rule_text(findings, "%s%s%s %s", text, text[0] ? ", " : "",
					 kind_words[kind], rule_number(findings, counts[kind]));
	return text;
}

static void look_at(struct findings *findings, uint32_t id)
{
	const struct model_object *object = &findings->model->objects[id];
	const struct model_relocated_section *section = find_section(object->relocation);

	if (!section)
		return;
	struct model_count cost = rule_on_section(findings, object, SECTION, MODEL_RELOCATION);
	if (!rule_is_worth(findings, cost.faults) ||
	    !rule_is_share(section->pages_written, section->pages_holding, MIN_PERCENT_WRITTEN))
		return;

	rule_add(
		findings,
		&(struct model_finding){
			.id = "relocated-data",
			.where = rule_where(findings, "object", id,
					    "initiator=relocation,section=" SECTION),
			.title = "Constant data is copied to be relocated",
			.object = id,
			.faults = cost.faults,
			.pages = section->pages_written,
			.duration_ns = cost.duration_ns,
			.saves_faults = cost.faults,
			.evidence = rule_text(
				findings,
				"%s in " SECTION " (%s) lie on %s; relocation wrote %s of them. "
				"The first slot of a page was: %s.",
				rule_plural(findings, section->relocations, "pointer", "pointers"),
				figure_size(findings->arena, section->size),
				rule_plural(findings, section->pages_holding, "page", "pages"),
				rule_number(findings, section->pages_written),
				describe_kinds(findings, id)),
			.advice =
				"Have fewer pointers in constant data: tables of offsets into one "
				"string instead of char pointers, fewer virtual classes, -fno-rtti "
				"where it is not used, -fdata-sections with -Wl,--gc-sections. An "
				"executable linked with -no-pie needs none of the relative ones. "
				"RELR does not change this.",
		});
}

void rule_relocateddata(struct findings *findings)
{
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i]);
}
