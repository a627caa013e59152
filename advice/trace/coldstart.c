// SPDX-License-Identifier: Apache-2.0
// Pages had to be read from disk first.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "derive/pageset.h"

#include <stdlib.h>

enum { MIN_MAJOR = 8, MIN_PERCENT = 5, NAMED = 4 };

static int compare(const void *a, const void *b, void *context)
{
	const struct model_count *counts = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return ORDER(counts[y].major, counts[x].major) ?: ORDER(x, y);
}

/** "libfoo.so .text 12 (1.2 MiB)": a section, its major faults and its size. */
static const char *describe_section(struct findings *findings, uint32_t index, uint64_t major)
{
	const struct model_section *section = &findings->model->sections[index];
	struct arena *arena = findings->arena;
	const char *text =
		arena_printf(arena, "%s %s", section->name ? section->name : "(unknown section)",
			     figure_number(arena, major));

	if (section->object != MODEL_NONE)
		text = arena_printf(arena, "%s %s", rule_label(findings, section->object), text);
	if (section->size > 0)
		text = arena_printf(arena, "%s (%s)", text, figure_size(arena, section->size));
	return text;
}

/** Do major faults take enough of the time, or are there enough where times are not known? */
static bool is_worth(const struct findings *findings, const struct model_count *cost)
{
	const struct model_count *total = &findings->model->total;

	if (cost->major < MIN_MAJOR)
		return false;
	return total->duration_ns > 0 ? kit_is_share((double)cost->duration_ns,
						     (double)total->duration_ns, MIN_PERCENT)
				      : rule_is_worth(findings, cost->faults);
}

static void find(struct findings *findings)
{
	if (findings->model->total.major < MIN_MAJOR)
		return;

	const struct model *model = findings->model;
	CLEANUP(freep)
	struct model_count *counts = xcalloc(model->section_count + 1, sizeof(*counts));
	struct model_count cost = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	VEC(uint32_t) sections = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->kind != MODEL_MAJOR)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		if (fault->at.section == MODEL_NONE)
			continue;
		if (counts[fault->at.section].faults == 0)
			vec_push(&sections, fault->at.section);
		model_count_fault(&counts[fault->at.section], fault);
	}
	if (is_worth(findings, &cost)) {
		const char *most = NULL;

		if (sections.count > 0)
			qsort_r(sections.items, sections.count, sizeof(uint32_t), compare, counts);
		for (size_t i = 0; i < sections.count && i < NAMED; i++)
			most = kit_append(findings->arena, most, ", ",
					  describe_section(findings, sections.items[i],
							   counts[sections.items[i]].major));
		// Each section has to be read once.
		rule_add(findings, MODEL_NONE, &cost, pageset_count(&pages),
			 cost.faults > sections.count ? cost.faults - sections.count : 0,
			 KIT_VALUES({ "faults",
				      kit_plural(findings->arena, cost.faults, "major fault") },
				    { "sections",
				      kit_plural(findings->arena, sections.count, "section") },
				    { "most", most ? most : "memory outside files" },
				    { "read", rule_read(findings, &cost) }));
	}
	vec_deinit(&sections);
}

const struct rule rule_coldstart = {
	.prose = {
		.id = "cold-start",
		.title = "The program waits for pages from disk",
		.evidence = "{faults} in {sections}; most in {most}.{read}",
		.fix = "Request the ranges early and at once, with "
		       "`posix_fadvise(POSIX_FADV_WILLNEED)` or `readahead(2)`; order code and "
		       "data by first use, so that read-ahead brings in what is needed. A second "
		       "run shows what remains with warm files.",
	},
	.about = "Pages had to be read from disk first.",
	.when = "Reported for the run from 8 major faults on, when they took at least 5 % of the "
		"time spent in faults; where times are not known, when they reach the threshold.",
	.details = "The evidence gives the sections with most waits and their sizes, and how much "
		   "these faults read, including read-ahead, where the trace records it. The "
		   "saving is all reads except one per section.",
	.where = "kind=major",
	.find = find,
};
