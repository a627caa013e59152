// SPDX-License-Identifier: Apache-2.0
// A library was mapped and relocated, but hardly any of its code ran outside its own initializers.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "derive/codeuse.h"

enum { FUNCTIONS_MAX = 2 };

static void find_in(struct findings *findings, uint32_t id)
{
	static const char *const ran[FUNCTIONS_MAX + 1] = { "nothing of it was",
							    "one of its functions was",
							    "two of its functions were" };
	const struct model *model = findings->model;
	const struct model_object *object = &model->objects[id];
	const struct codeuse *use = &findings->codeuse[id];
	const uint64_t *by = object->by_initiator;
	struct arena *arena = findings->arena;
	uint64_t pages = 0,
		 loading = by[MODEL_LOADER] + by[MODEL_RELOCATION] + by[MODEL_SYMBOL_LOOKUP];

	// Without stacks it is not known what ran. A file without faults of loading was mapped for
	// its data: by a debugger, a linker.
	if (!model->trace.has_stacks || !object->is_elf || !object->was_read || !object->soname ||
	    use->starts_threads || use->functions_used > FUNCTIONS_MAX || loading == 0 ||
	    !rule_is_worth(findings, object->count.faults))
		return;
	for (size_t i = 0; i < object->section_count; i++)
		pages += model->sections[object->sections[i]].pages;
	rule_add(findings, id, &object->count, pages, object->count.faults,
		 KIT_VALUES({ "loading", figure_number(arena, loading) },
			    { "initializers", figure_number(arena, by[MODEL_STATIC_INIT]) },
			    { "ran", ran[use->functions_used] }));
}

const struct rule rule_unusedlibrary = {
	.prose = {
		.id = "hardly-used-library",
		.title = "Loaded, but hardly used",
		.evidence = "Loading and relocation cause {loading} of its faults, static "
			    "initializers {initializers}; apart from these, {ran} seen to run.",
		.fix = "Link with `-Wl,--as-needed` before the libraries, which omits those "
		       "without a reference; load a library that is seldom needed with `dlopen()` "
		       "on first use.",
	},
	.about = "A library was loaded and relocated, but little or none of its code was seen to "
		 "run.",
	.when = "Reported for an object with a soname when all its faults reach the threshold and "
		"at most two of its functions were seen on a stack, outside its own initializers, "
		"finalizers and IFUNC resolvers.",
	.limits = "Code that ran without a fault is not seen, nor data that was read. Faults from "
		  "looking up its names in other files are not included. Call stacks are required.",
	.where = "object={object}",
	.needs_all_faults = true,
	.find_in = find_in,
};
