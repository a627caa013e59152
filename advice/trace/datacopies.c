// SPDX-License-Identifier: Apache-2.0
// The program writes to its static data, and each page is copied at the first write.
#include "advice/trace/rule.h"

#include "base/figure.h"
#include "base/cleanup.h"
#include "derive/pageset.h"

#include <string.h>

#define SECTION ".data"

enum { NAMED = 3 };

struct sum {
	struct model_count cost;
	uint64_t pages;
};

/** Writes of ld.so, and of initializers, have findings of their own. */
static bool is_copy(const struct model *model, const struct model_fault *fault)
{
	return (fault->mechanism == MODEL_PRIVATE_WRITE || fault->mechanism == MODEL_COW_BREAK) &&
	       (fault->initiator == MODEL_PROGRAM || fault->initiator == MODEL_STARTUP) &&
	       fault->at.object != MODEL_NONE && model_is_in_section(model, fault, SECTION);
}

/** "PyType_Ready 123, foo() 12": who writes first to most pages of @id. */
static const char *describe_writers(struct findings *findings, uint32_t id)
{
	const struct model *model = findings->model;
	CLEANUP(freep) uint64_t *counts = xcalloc(model->function_count + 1, sizeof(*counts));
	const char *text = NULL;

	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object == id && fault->blame != MODEL_NONE && is_copy(model, fault))
			counts[fault->blame]++;
	for (size_t n = 0; n < NAMED && model->function_count > 0; n++) {
		size_t most = kit_largest(counts, model->function_count);

		if (counts[most] == 0)
			break;
		text = kit_append(findings->arena, text, ", ",
				  arena_printf(findings->arena, "%s %s",
					       rule_name(findings, model->functions[most].name),
					       figure_number(findings->arena, counts[most])));
		counts[most] = 0;
	}
	return text ? arena_printf(findings->arena, " First to write: %s.", text) : "";
}

static uint64_t pages_of_section(const struct findings *findings, const struct model_object *object)
{
	uint64_t size = 0;

	for (size_t i = 0; i < object->section_count; i++) {
		const struct model_section *row = &findings->model->sections[object->sections[i]];

		if (row->name && strcmp(row->name, SECTION) == 0)
			size += row->size;
	}
	return (size + findings->page_size - 1) / findings->page_size;
}

static void look_at(struct findings *findings, uint32_t id, const struct sum *sum)
{
	const struct model_object *object = &findings->model->objects[id];
	uint64_t all = pages_of_section(findings, object);
	struct arena *arena = findings->arena;

	if (!rule_is_worth(findings, &sum->cost, 0, 0))
		return;
	rule_add(findings, id, &sum->cost, sum->pages, sum->cost.faults,
		 KIT_VALUES(
			 { "faults", kit_plural(arena, sum->cost.faults, "fault") },
			 { "pages", figure_number(arena, sum->pages) },
			 { "all", kit_plural(arena, all > sum->pages ? all : sum->pages, "page") },
			 { "writers", describe_writers(findings, id) }));
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;

	CLEANUP(freep) struct sum *sums = xcalloc(model->object_count + 1, sizeof(*sums));
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (!is_copy(model, fault))
			continue;
		model_count_fault(&sums[fault->at.object].cost, fault);
		sums[fault->at.object].pages += pageset_add(&pages, model, fault);
	}
	for (size_t i = 0; i < model->shown_count; i++)
		look_at(findings, model->shown[i], &sums[model->shown[i]]);
}

const struct rule rule_datacopies = {
	.prose = {
		.id = "data-copies",
		.title = "The program copies its static data",
		.evidence = "{faults} of the program itself copied {pages} of the {all} of .data, "
			    "each at the first write.{writers}",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Do not write to static data while starting: compute tables when "
				   "compiling (`constinit`, generated tables), and keep what is "
				   "counted or linked at run time, such as reference counts and "
				   "list heads, out of objects that are otherwise constant. "
				   "CPython did: 3.11 writes 262 pages of it, 3.12 244, 3.13 47." },
	},
	.about = "The first write to a page of `.data` copies it in each process. Interpreters write "
		 "reference counts, type slots and list heads on most pages of theirs.",
	.when = "Reported for an object when the copies of its `.data` by the program itself, not by "
		"relocation, ld.so or initializers, reach the threshold.",
	.limits = "A fault shows the first variable that was written on a page, and others may be "
		  "written as well: to order variables by first write gains next to nothing.",
	.where = "object={object},section=" SECTION ",mechanism=private-write|cow-break",
	.relinks = true,
	.find = find,
};
