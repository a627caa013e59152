// SPDX-License-Identifier: Apache-2.0
// Pages had to be read from disk first.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/order.h"
#include "base/u64map.h"
#include "derive/pageset.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_MAJOR = 8, MIN_PERCENT = 5, NAMED = 4 };

/** Where major faults waited: in a section, or on the page that .data and .bss share. */
struct place {
	struct model_count count;
	uint32_t section;
	bool is_tail;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return ORDER(b->count.major, a->count.major) ?: ORDER(a->section, b->section) ?:
	       ORDER(a->is_tail, b->is_tail);
}

/**
 * .bss has no bytes in the file to wait for. A write there that copies a page of the file is the
 * kernel's or ld.so's, which zero the rest of .data's last page.
 */
static bool is_zeroed_tail(const struct model *model, const struct model_fault *fault)
{
	const char *name = model->sections[fault->at.section].name;

	return name && strcmp(name, ".bss") == 0 &&
	       (fault->mechanism == MODEL_PRIVATE_WRITE || fault->mechanism == MODEL_COW_BREAK);
}

/** "libfoo.so .text 12 (reading 1.2 MiB)": a section, its major faults and what they read. */
static const char *describe(struct findings *findings, const struct place *place)
{
	const struct model *model = findings->model;
	const struct model_section *section = &model->sections[place->section];
	struct arena *arena = findings->arena;
	const char *name = section->name ? section->name : "(unknown section)";
	const char *label =
		section->object == MODEL_NONE ? NULL : rule_label(findings, section->object);
	const char *text =
		arena_printf(arena, "%s%s%s%s", place->is_tail ? "the zeroed last page of " : "",
			     label ? label : "", label ? " " : "", place->is_tail ? ".data" : name);

	text = arena_printf(arena, "%s %s", text, figure_number(arena, place->count.major));
	if (place->count.read_pages > 0)
		text = arena_printf(arena, "%s (reading %s)", text,
				    figure_size(arena, model_read_bytes(model, &place->count)));
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
	struct model_count cost = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	CLEANUP(u64map_deinit) struct u64map numbers = { 0 };
	VEC(struct place) places = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		bool is_new;

		if (fault->kind != MODEL_MAJOR)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		if (fault->at.section == MODEL_NONE)
			continue;

		struct place place = { .section = fault->at.section,
				       .is_tail = is_zeroed_tail(model, fault) };
		uint32_t *number =
			u64map_put(&numbers, (uint64_t)place.section << 1 | place.is_tail, &is_new);
		if (is_new) {
			*number = (uint32_t)places.count;
			vec_push(&places, place);
		}
		model_count_fault(&places.items[*number].count, fault);
	}
	if (is_worth(findings, &cost)) {
		const char *most = NULL;

		vec_sort(&places, compare);
		for (size_t i = 0; i < places.count && i < NAMED; i++)
			most = kit_append(findings->arena, most, ", ",
					  describe(findings, &places.items[i]));
		// Each section has to be read once.
		rule_add(findings, MODEL_NONE, &cost, pageset_count(&pages),
			 cost.faults > places.count ? cost.faults - places.count : 0,
			 KIT_VALUES({ "faults",
				      kit_plural(findings->arena, cost.faults, "major fault") },
				    { "sections",
				      kit_plural(findings->arena, places.count, "section") },
				    { "most", most ? most : "memory outside files" },
				    { "read", rule_read(findings, &cost) }));
	}
	vec_deinit(&places);
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
	.details = "The evidence gives the sections with most waits and how much these faults read, "
		   "including read-ahead, where the trace records it. A wait in `.bss` is for the "
		   "last page of `.data`, whose rest is zeroed. The saving is all reads except one "
		   "per section.",
	.where = "kind=major",
	.find = find,
};
