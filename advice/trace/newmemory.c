// SPDX-License-Identifier: Apache-2.0
// Most faults make pages of new memory, one by one.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/account.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_NEW = 512, MIN_PERCENT = 25, NAMED = 3, MIN_PERCENT_SAVED = 10 };
enum { HUGE_PAGE = 2 << 20 };

/** Measured: what a heap on huge pages saves of the processor's time, at most. */
enum { SAVES_PERCENT_OF_CPU = 3 };

/** By index of the rule's cures. */
enum { CURE_BUILD = 1 << 0, CURE_RUN = 1 << 1 };

/** Kinds of memory, as people think of it. */
enum kind { KIND_HEAP, KIND_ANON, KIND_STACK, KIND_BSS, KIND_OTHER, KINDS };

static const char *const kind_words[KINDS] = {
	[KIND_HEAP] = "the heap", [KIND_ANON] = "mmap'ed memory", [KIND_STACK] = "stacks",
	[KIND_BSS] = ".bss",	  [KIND_OTHER] = "others",
};

static enum kind kind_of(const struct model *model, const struct model_fault *fault)
{
	const char *section = model_section_name(model, fault);

	if (!section)
		return KIND_OTHER;
	if (strcmp(section, "[heap]") == 0)
		return KIND_HEAP;
	if (strcmp(section, "[anon]") == 0)
		return KIND_ANON;
	if (strcmp(section, "[stack]") == 0)
		return KIND_STACK;
	return strcmp(section, ".bss") == 0 ? KIND_BSS : KIND_OTHER;
}

/** Faults of one program on one part of its heap that a huge page could be. */
struct region {
	uint32_t program, number;
	uint64_t faults;
};

struct sum {
	struct model_count cost, heap;
	uint64_t by_kind[KINDS];
	uint64_t steps; // of those on the heap: on the page after the one before
	uint64_t saved; // by huge pages
};

/** The heap of one program, as far as was seen. */
struct heap {
	uint32_t last_page; // low bits are enough: a heap does not grow beyond 2^32 pages
	uint32_t first_region;
};

struct heaps {
	struct u64map index, regions_index;
	VEC(struct heap) list; // by program
	VEC(struct region) regions;
};

static void heaps_deinit(struct heaps *heaps)
{
	u64map_deinit(&heaps->index);
	u64map_deinit(&heaps->regions_index);
	vec_deinit(&heaps->list);
	vec_deinit(&heaps->regions);
}

static void count_heap(struct heaps *heaps, uint64_t addr, uint32_t program, uint64_t page_size,
		       struct sum *sum)
{
	const uint32_t page = (uint32_t)(addr / page_size), number = (uint32_t)(addr / HUGE_PAGE);
	const size_t known = heaps->list.count;
	uint32_t row = u64map_row(&heaps->index, program, &heaps->list,
				  (struct heap){ .first_region = number });
	struct heap *heap = &heaps->list.items[row];

	sum->steps += row < known && heap->last_page + 1 == page;
	heap->last_page = page;
	if (number < heap->first_region)
		heap->first_region = number;
	row = u64map_row(&heaps->regions_index, (uint64_t)program << 32 | number, &heaps->regions,
			 (struct region){ program, number, 0 });
	heaps->regions.items[row].faults++;
}

/** One fault of each region is left; the first, in which a heap begins, is no whole one. */
static uint64_t count_saved(const struct heaps *heaps)
{
	uint64_t saved = 0;

	vec_foreach (region, &heaps->regions) {
		const uint32_t *heap = u64map_get(&heaps->index, region->program);

		if (region->number != heaps->list.items[*heap].first_region)
			saved += region->faults - 1;
	}
	return saved;
}

static void count(const struct findings *findings, struct sum *sum, uint64_t *by_function)
{
	const struct model *model = findings->model;
	CLEANUP(heaps_deinit) struct heaps heaps = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->mechanism != MODEL_ZERO_FILL)
			continue;
		model_count_fault(&sum->cost, fault);
		sum->by_kind[kind_of(model, fault)]++;
		if (fault->blame != MODEL_NONE)
			by_function[fault->blame]++;
		if (kind_of(model, fault) != KIND_HEAP)
			continue;
		model_count_fault(&sum->heap, fault);
		count_heap(&heaps, fault->addr, model_thread(model, fault)->program,
			   findings->page_size, sum);
	}
	sum->saved = count_saved(&heaps);
}

/** "the heap 1,234, mmap'ed memory 12" */
static const char *describe_kinds(struct findings *findings, const struct sum *sum)
{
	const char *text = NULL;

	for (enum kind kind = 0; kind < KINDS; kind++)
		if (sum->by_kind[kind] > 0)
			text = kit_append(
				findings->arena, text, ", ",
				arena_printf(findings->arena, "%s %s", kind_words[kind],
					     figure_number(findings->arena, sum->by_kind[kind])));
	return text;
}

/** "parse() 123, read_all() 12": who needed most; empties their counts. NULL: nobody. */
static const char *describe_blame(struct findings *findings, uint64_t *by_function)
{
	const struct model *model = findings->model;
	const char *text = NULL;

	for (size_t n = 0; n < NAMED && model->function_count > 0; n++) {
		size_t most = kit_largest(by_function, model->function_count);

		if (by_function[most] == 0)
			break;
		text = kit_append(findings->arena, text, ", ",
				  arena_printf(findings->arena, "%s %s",
					       rule_name(findings, model->functions[most].name),
					       figure_number(findings->arena, by_function[most])));
		by_function[most] = 0;
	}
	return text;
}

/** Fewer faults, hardly any time: a page has to be cleared however it is mapped. */
static struct model_saving saving_of(const struct findings *findings, const struct sum *sum)
{
	const struct model_account *account = findings->model->account;
	const uint64_t *ns = account ? account->all.ns : NULL;
	uint64_t cpu_ns = ns ? ns[MODEL_STATE_CPU] + ns[MODEL_STATE_FAULT] : 0;
	uint64_t least = cpu_ns / 100 * SAVES_PERCENT_OF_CPU;

	return (struct model_saving){
		.faults = sum->saved,
		.duration_ns = least < sum->heap.own_ns ? least : sum->heap.own_ns,
		.is = MODEL_AT_MOST,
	};
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;
	uint64_t all = findings->totals.by_mechanism[MODEL_ZERO_FILL];

	if (all < MIN_NEW || !kit_is_share((double)all, (double)model->total.faults, MIN_PERCENT))
		return;
	CLEANUP(freep)
	uint64_t *by_function = xcalloc(model->function_count + 1, sizeof(*by_function));
	struct arena *arena = findings->arena;
	struct sum sum = { 0 };

	count(findings, &sum, by_function);
	size_t first = kit_largest(by_function, model->function_count);
	const char *most = by_function[first] > 0 ? model->functions[first].name : NULL;
	const char *blame = describe_blame(findings, by_function);
	bool is_heap = rule_has_glibc(findings) && sum.saved >= RULE_MIN_FAULTS &&
		       kit_is_share((double)sum.saved, (double)all, MIN_PERCENT_SAVED);
	struct model_saving saves = saving_of(findings, &sum);

	if (!is_heap)
		saves = (struct model_saving){ .is = MODEL_AT_MOST };
	rule_add_found(
		findings,
		&(struct rule_found){
			.object = MODEL_NONE,
			.cost = sum.cost,
			.pages = sum.cost.faults,
			.cures = CURE_BUILD | (is_heap ? CURE_RUN : 0),
			.predicted = &saves,
		},
		KIT_VALUES({ "faults", kit_plural(arena, all, "fault") },
			   { "size", figure_size(arena, all * findings->page_size) },
			   { "kinds", describe_kinds(findings, &sum) },
			   { "steps", sum.heap.faults == 0
					      ? ""
					      : arena_printf(arena,
							     " Of those on the heap %s touched the "
							     "page after the one before.",
							     figure_number(arena, sum.steps)) },
			   { "first",
			     most ? arena_printf(arena, ", first in %s", rule_name(findings, most))
				  : "" },
			   { "blame", blame ? arena_printf(arena, " Most were needed by %s.", blame)
					    : "" }));
}

const struct rule rule_newmemory = {
	.prose = {
		.id = "new-memory",
		.title = "Most faults make new memory",
		.evidence = "{faults} made a page of new memory each, {size} together: "
			    "{kinds}.{steps}{blame}",
	},
	.cures = {
		{ MODEL_FOR_BUILD, "Touch less memory while starting{first}: allocate when it is needed, as much "
				   "as is needed. Each page is cleared, however it is mapped, so "
				   "that only memory that is not touched saves time." },
		{ MODEL_FOR_RUN, "For fewer faults, put the heap on huge pages: `env "
				 "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 {run}` (glibc 2.35, and "
				 "madvise or always in "
				 "/sys/kernel/mm/transparent_hugepage/enabled). It saves hardly "
				 "any time: with heaps of some MiB 0 to 13 % of the faults, with larger ones up to "
				 "42 %, but 1 to 3 % of the processor time, for more memory in use.",
		  "where malloc is glibc's and huge pages could save a tenth of them" },
	},
	.about = "Heap, stacks, `.bss` and other anonymous memory come from the kernel page by page, "
		 "at the first touch of each: 51 to 71 % of the faults of large desktop programs "
		 "and interpreters.",
	.when = "Reported for the run from 512 such faults on, when they are at least a quarter of "
		"the faults shown.",
	.details = "The saving is that of huge pages: all faults on the heap but one for each 2 MiB "
		   "and those before its first whole 2 MiB, and at most 3 % of the processor time. Preparing all pages in one call "
		   "(`MAP_POPULATE`) saves faults as well, and costs time for each page that is "
		   "never used.",
	.limits = "What the memory is used for is not known, nor whether it is used again.",
	.where = "mechanism=zero-fill",
	.find = find,
};
