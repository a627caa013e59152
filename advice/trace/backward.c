// SPDX-License-Identifier: Apache-2.0
// A section is walked from its end to its start: initializers or relocations in the wrong order.
// Read-ahead goes forward and does not help.
//
// A run is consecutive faults of one process on one section of one file, each on a page before the
// last, at most MAX_STEP_BYTES away. From MIN_RUN faults on it is no accident. With the file in
// memory the direction costs nothing, so that MIN_MAJOR of them must have waited for the disk.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/u64map.h"
#include "derive/pageset.h"

/** By index of the rule's cures. */
enum { CURE_LINK = 1 << 0, CURE_RUN = 1 << 1 };

enum { MIN_RUN = 8, MIN_MAJOR = 8, MAX_STEP_BYTES = 1 << 20 };

/** The run that a process is in, on one section. */
struct run {
	uint64_t last_offset, first_offset;
	struct model_count count;
};

/** The runs that ended, of one object. */
struct total {
	struct model_count count;
	uint64_t runs;
	uint32_t section; // of the longest
	uint64_t longest, longest_from, longest_to;
};

static void end_run(const struct run *run, uint32_t section, struct total *total)
{
	if (run->count.faults < MIN_RUN)
		return;
	model_count_add(&total->count, &run->count);
	total->runs++;
	if (run->count.faults > total->longest) {
		total->longest = run->count.faults;
		total->longest_from = run->first_offset;
		total->longest_to = run->last_offset;
		total->section = section;
	}
}

static void go_on(struct run *run, const struct model_fault *fault, uint64_t page_size,
		  struct total *total)
{
	uint64_t page = fault->at.offset / page_size, last = run->last_offset / page_size;

	if (run->count.faults > 0 && page == last)
		return; // a second fault on a page says nothing about direction
	if (run->count.faults == 0 || page > last ||
	    run->last_offset - fault->at.offset > MAX_STEP_BYTES) {
		end_run(run, fault->at.section, total);
		*run = (struct run){ .first_offset = fault->at.offset };
	}
	model_count_fault(&run->count, fault);
	run->last_offset = fault->at.offset;
}

static void find_runs(const struct model *model, uint64_t page_size, struct total *totals)
{
	CLEANUP(vec_release) VEC(struct run) runs = { 0 };
	CLEANUP(vec_release) VEC(uint32_t) sections = { 0 }; // beside runs
	CLEANUP(u64map_deinit) struct u64map index = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		if (!fault->at.has_offset || fault->at.section == MODEL_NONE)
			continue;
		uint64_t pid = model_thread(model, fault)->pid;
		uint32_t at =
			u64map_row(&index, pid << 32 | fault->at.section, &runs, (struct run){ 0 });
		if (at == sections.count)
			vec_push(&sections, fault->at.section);
		go_on(&runs.items[at], fault, page_size, &totals[fault->at.object]);
	}
	for (size_t i = 0; i < runs.count; i++)
		end_run(&runs.items[i], sections.items[i],
			&totals[model->sections[sections.items[i]].object]);
}

static const char *hexadecimal(struct arena *arena, uint64_t offset)
{
	return arena_printf(arena, "0x%llx", (unsigned long long)offset);
}

static void look_at(struct findings *findings, uint32_t id, const struct total *total)
{
	const struct model_count *cost = &total->count;
	struct arena *arena = findings->arena;

	if (!rule_is_worth(findings, cost, 0, 0) || cost->major < MIN_MAJOR)
		return;
	const char *section = findings->model->sections[total->section].name;
	// Each fault of a run is on another page. What is asked for before waits for nothing.
	rule_add_found(
		findings,
		&(struct rule_found){
			.object = id,
			.cost = *cost,
			.pages = cost->faults,
			.saves = cost->major,
			.cures = CURE_RUN | (findings->model->objects[id].is_elf ? CURE_LINK : 0),
		},
		KIT_VALUES({ "faults", kit_plural(arena, cost->faults, "fault") },
			   { "major", figure_number(arena, cost->major) },
			   { "runs", kit_plural(arena, total->runs, "run") },
			   { "longest", figure_number(arena, total->longest) },
			   { "section", section ? section : "(unknown section)" },
			   { "from", hexadecimal(arena, total->longest_from) },
			   { "to", hexadecimal(arena, total->longest_to) },
			   { "read", rule_read(findings, cost) }));
}

static void find(struct findings *findings)
{
	const struct model *model = findings->model;

	if (model->total.major < MIN_MAJOR)
		return;
	CLEANUP(freep) struct total *totals = xcalloc(model->object_count + 1, sizeof(*totals));
	find_runs(model, findings->page_size, totals);
	for (size_t i = 0; i < model->shown_count; i++)
		look_at(findings, model->shown[i], &totals[model->shown[i]]);
}

const struct rule rule_backward = {
	.prose = {
		.id = "backward-runs",
		.title = "The file is read backward",
		.evidence = "{faults}, {major} of them waiting for the disk, in {runs} of falling "
			    "file offsets; the longest has {longest} in {section}, from {from} "
			    "down to {to}.{read}",
	},
	.cures = {
		{ MODEL_FOR_LINK, "Put initializers and the functions they call in execution order: `elfault order --exact -o functions.order -- {run}`, `-ffunction-sections` and lld's `-Wl,--symbol-ordering-file=functions.order`; use `.init_array`, which runs forward (`.ctors` ran backward).", "of an ELF file" },
		{ MODEL_FOR_RUN, "Ask for the ranges first: `elfault prefetch {trace} -o prefetch.list`, then `{prefetch} prefetch.list -- {run}`." },
	},
	.about = "A section is walked from its end to its start. Read-ahead goes forward, so that "
		 "each piece waits for the disk again. Static initializers did this at every start "
		 "of Firefox in 2010.",
	.when = "Reported for an object when its backward runs reach the threshold and at least 8 "
		"of their faults waited for the disk. A run is at least 8 consecutive faults of "
		"one process on one section of a file, each on a page before the last, at most 1 "
		"MiB away.",
	.details = "The evidence gives how much these faults read, where the trace records it. The "
		   "saving is all waits; after ordering one per run is left.",
	.limits = "With the file in memory the direction costs nothing, and nothing is reported.",
	.rebuilds = true,
	.where = "object={object},step=backward,kind=major",
	.saves_storage = true,
	.saves_waits = true,
	.find = find,
};
