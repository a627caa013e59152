// SPDX-License-Identifier: Apache-2.0
// hardly-used-library: a library was mapped and relocated at a cost, but hardly any of its code was
// seen to run outside its own initializers.
//
// Speaks for an object with a soname when its faults are worth a finding and at most FUNCTIONS_MAX
// of its functions were seen in use. Needs call stacks, and all faults: who runs it shows in faults
// on other files.
#include "advice/trace/rule.h"

#include "derive/codeuse.h"

enum { FUNCTIONS_MAX = 2 };

static void look_at(struct findings *findings, uint32_t id, const struct codeuse *use)
{
	const struct model *model = findings->model;
	const struct model_object *object = &model->objects[id];
	uint64_t pages = 0, loading = 0;

	if (!object->is_elf || !object->was_read || !object->soname || use->starts_threads ||
	    use->functions_used > FUNCTIONS_MAX || !rule_is_worth(findings, object->count.faults))
		return;
	loading = object->by_initiator[MODEL_LOADER] + object->by_initiator[MODEL_RELOCATION] +
		  object->by_initiator[MODEL_SYMBOL_LOOKUP];
	if (loading == 0)
		return; // mapped for its data: a debugger, a linker
	for (size_t i = 0; i < object->section_count; i++)
		pages += model->sections[object->sections[i]].pages;
	rule_add(findings,
		 &(struct model_finding){
			 .id = "hardly-used-library",
			 .title = "Loaded, but hardly used",
			 .where = rule_where(findings, "object", id, ""),
			 .object = id,
			 .faults = object->count.faults,
			 .pages = pages,
			 .duration_ns = object->count.duration_ns,
			 .saves_faults = object->count.faults,
			 .evidence = rule_text(
				 findings,
				 "%s of its faults are of loading and relocation, %s of static "
				 "initializers; besides, %s seen to run.",
				 rule_number(findings, loading),
				 rule_number(findings, object->by_initiator[MODEL_STATIC_INIT]),
				 use->functions_used == 0   ? "nothing of it was"
				 : use->functions_used == 1 ? "one of its functions was"
							    : "two of its functions were"),
			 .advice =
				 "Link with -Wl,--as-needed before the libraries, which leaves out "
				 "those without a reference; load one that is seldom needed with "
				 "dlopen() at its first use.",
		 });
}

void rule_unusedlibrary(struct findings *findings)
{
	if (findings->is_partial || !findings->model->trace.has_stacks)
		return;
	for (size_t i = 0; i < findings->model->shown_count; i++)
		look_at(findings, findings->model->shown[i],
			&findings->codeuse[findings->model->shown[i]]);
}
