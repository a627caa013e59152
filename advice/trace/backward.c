// SPDX-License-Identifier: Apache-2.0
// backward-runs: a section is walked from its end to its start, so that read-ahead, which goes
// forward, does not help: initializers or relocations in the wrong order.
//
// A run is consecutive faults of one process on one section of one file, each on a page before the
// last, at most MAX_STEP_BYTES away. From MIN_RUN faults on it is no accident. Speaks for an object
// when faults in runs are worth a finding and MIN_MAJOR of them waited for the disk: with the file
// in memory the direction costs nothing.
#include "advice/trace/rule.h"

#include "base/u64map.h"
#include "derive/pageset.h"

#include <stdlib.h>

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
	rule_sum(&total->count, &run->count);
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
	uint64_t page = fault->at_offset / page_size, last = run->last_offset / page_size;

	if (run->count.faults > 0 && page == last)
		return; // a second fault on a page says nothing about direction
	if (run->count.faults == 0 || page > last ||
	    run->last_offset - fault->at_offset > MAX_STEP_BYTES) {
		end_run(run, fault->at_section, total);
		*run = (struct run){ .first_offset = fault->at_offset };
	}
	model_count_fault(&run->count, fault);
	run->last_offset = fault->at_offset;
}

static void find_runs(const struct model *model, uint64_t page_size, struct total *totals)
{
	VEC(struct run) runs = { 0 };
	VEC(uint32_t) sections = { 0 }; // beside runs
	struct u64map index = { 0 };

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		bool is_new;

		if (!fault->at_has_offset || fault->at_section == MODEL_NONE)
			continue;
		uint32_t *at =
			u64map_put(&index, (uint64_t)fault->pid << 32 | fault->at_section, &is_new);
		if (is_new) {
			*at = (uint32_t)runs.count;
			vec_push(&runs, (struct run){ 0 });
			vec_push(&sections, fault->at_section);
		}
		go_on(&runs.items[*at], fault, page_size, &totals[fault->at_object]);
	}
	for (size_t i = 0; i < runs.count; i++)
		end_run(&runs.items[i], sections.items[i],
			&totals[model->sections[sections.items[i]].object]);
	vec_deinit(&runs);
	vec_deinit(&sections);
	u64map_deinit(&index);
}

static void look_at(struct findings *findings, uint32_t id, const struct total *total)
{
	const char *section;

	if (!rule_is_worth(findings, total->count.faults) || total->count.major < MIN_MAJOR)
		return;
	section = findings->model->sections[total->section].name;
	rule_add(
		findings,
		&(struct model_finding){
			.id = "backward-runs",
			.where = rule_where(findings, "object", id, "step=backward,kind=major"),
			.title = "The file is read backward",
			.object = id,
			.faults = total->count.faults,
			.pages = total->count.faults, // each fault of a run is on another page
			.duration_ns = total->count.duration_ns,
			// One wait a run remains.
			.saves_faults = total->count.major > total->runs
						? total->count.major - total->runs
						: 0,
			.evidence = rule_text(
				findings,
				"%s, %s of them waiting for the disk, in %s of falling file "
				"offsets; the longest has %s in %s, from 0x%llx down to 0x%llx.%s",
				rule_plural(findings, total->count.faults, "fault", "faults"),
				rule_number(findings, total->count.major),
				rule_plural(findings, total->runs, "run", "runs"),
				rule_number(findings, total->longest),
				section ? section : "(unknown section)",
				(unsigned long long)total->longest_from,
				(unsigned long long)total->longest_to,
				rule_read(findings, &total->count)),
			.advice =
				"Put what runs in the order in which it runs: initializers in "
				".init_array (which runs forward; .ctors ran backward), their code "
				"by -ffunction-sections and lld's --symbol-ordering-file. Or read "
				"the "
				"range ahead: posix_fadvise(POSIX_FADV_WILLNEED) before it is "
				"loaded.",
		});
}

void rule_backward(struct findings *findings)
{
	if (findings->model->total.major < MIN_MAJOR)
		return;

	const struct model *model = findings->model;
	uint64_t page_size = model->trace.page_size > 0 ? model->trace.page_size : 4096;
	struct total *totals = xcalloc(model->object_count + 1, sizeof(*totals));

	find_runs(model, page_size, totals);
	for (size_t i = 0; i < model->shown_count; i++)
		look_at(findings, model->shown[i], &totals[model->shown[i]]);
	free(totals);
}
