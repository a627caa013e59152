// SPDX-License-Identifier: Apache-2.0
// A program is compiled as if data of a library were its own: at load it gets a copy of it.
#include "advice/trace/rule.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/copies.h"
#include "derive/pageset.h"
#include "model/relocation.h"

enum { NAMES_TOLD = 3 };

/** "table 77, names 12": the copies that faulted, in the order of their faults; at most three. */
static const char *describe_names(struct findings *findings, uint32_t object)
{
	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *faults = xcalloc(model->symbol_count + 1, sizeof(*faults));
	const char *text = NULL;

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object == object && fault->at.name != MODEL_NONE &&
		    copies_has(model, fault))
			faults[fault->at.name]++;
	for (size_t told = 0; told < NAMES_TOLD; told++) {
		size_t best = 0;

		for (size_t i = 1; i < model->symbol_count; i++)
			if (faults[i] > faults[best])
				best = i;
		if (model->symbol_count == 0 || faults[best] == 0 || !model->symbols[best].name)
			break;
		text = kit_append(findings->arena, text, ", ",
				  arena_printf(findings->arena, "%s %s", model->symbols[best].name,
					       figure_number(findings->arena, faults[best])));
		faults[best] = 0;
	}
	return text ? arena_printf(findings->arena, ": %s", text) : "";
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model *model = findings->model;
	const struct model_object *object = &model->objects[id];
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	struct model_count cost = { 0 };

	if (!object->relocation || object->relocation->counts[MODEL_RELOCATION_COPY] == 0)
		return;
	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->at.object != id || !copies_has(model, fault))
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
	}
	if (!rule_is_worth(findings, &cost, 0, 0))
		return;
	rule_add(
		findings, id, &cost, pageset_count(&pages), cost.faults,
		KIT_VALUES({ "copies", kit_plural(findings->arena,
						  object->relocation->counts[MODEL_RELOCATION_COPY],
						  "object") },
			   { "pages", kit_plural(findings->arena, pageset_count(&pages), "page") },
			   { "names", describe_names(findings, id) }));
}

const struct rule rule_copyrelocations = {
	.prose = {
		.id = "copy-relocations",
		.title = "Data of a library is copied into the program",
		.evidence = "{copies} that libraries define have a COPY relocation; copying wrote "
			    "{pages}{names}.",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Compile the files of the program that use them with `-fPIC`: they then read them where the library has them." },
		{ MODEL_FOR_BUILD, "Let the library hand out its data by a function instead." },
	},
	.about = "Code that is not compiled with `-fPIC` takes the address of a library's variable for "
		 "a constant of the program. So the linker makes room for it there, and ld.so copies it "
		 "from the library at every start, by a COPY relocation. The library uses the copy, too.",
	.when = "Reported for a program when relocation faults on pages that hold nothing but such "
		"copies reach the threshold.",
	.limits = "Which of the data this run needed is not known: of what it did, the pages are then "
		  "mapped in the library, and copied there where it is relocated or written.",
	.where = "object={object},initiator=relocation",
	.relinks = true,
	.find_in = find_in,
};
