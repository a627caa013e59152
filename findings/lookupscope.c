// SPDX-License-Identifier: Apache-2.0
// lookup-scope: names are looked up in many libraries one after the other, and each look reads
// their hash tables, symbols and strings.
//
// Speaks for the whole run when symbol lookup's faults are worth a finding and some process has
// MIN_OBJECTS ELF files in memory. With faults left out, files are missing: then it is silent.
#include "findings/rule.h"

#include "base/u64map.h"
#include "correlate/relocationmodel.h"
#include "findings/pageset.h"

#include <stdlib.h>

enum { MIN_OBJECTS = 10, NAMED = 3 };

/** The most ELF files that faulted in one process between two execs. */
static uint64_t count_scope(const struct model *model)
{
	struct run {
		uint32_t generation, objects;
		bool in_exec;
	};
	VEC(struct run) runs = { 0 };
	struct u64map by_pid = { 0 };
	struct pageset seen = { 0 };
	uint64_t most = 0;

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		bool is_new, is_exec = fault->initiator == MODEL_EXEC;
		uint32_t *at = u64map_put(&by_pid, fault->pid, &is_new);

		if (is_new) {
			*at = (uint32_t)runs.count;
			vec_push(&runs, (struct run){ 0 });
		}
		struct run *run = &runs.items[*at];
		if (is_exec && !run->in_exec)
			*run = (struct run){ .generation = run->generation + 1 };
		run->in_exec = is_exec;
		if (fault->at_object == MODEL_NONE || !model->objects[fault->at_object].is_elf)
			continue;
		if (pageset_add_pair(&seen, (uint64_t)fault->pid << 32 | run->generation,
				     fault->at_object) &&
		    ++run->objects > most)
			most = run->objects;
	}
	vec_deinit(&runs);
	u64map_deinit(&by_pid);
	pageset_deinit(&seen);
	return most;
}

static const char *describe(struct findings *findings, uint64_t scope, uint64_t names,
			    const uint64_t *wanted)
{
	const char *text = rule_text(
		findings,
		"A process has up to %s ELF files, each of which may be searched for a name.",
		rule_number(findings, scope));

	if (names == 0)
		return text;
	return rule_text(findings, "%s Loading the files of this run looks up %s, most for %s.",
			 text, rule_plural(findings, names, "name", "names"),
			 rule_most(findings, wanted, NAMED));
}

void rule_lookupscope(struct findings *findings)
{
	const struct model *model = findings->model;
	struct model_count cost = { 0 };
	struct pageset pages = { 0 };
	uint64_t names = 0;

	if (findings->is_partial)
		return;
	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->faults[i].initiator != MODEL_SYMBOL_LOOKUP)
			continue;
		rule_count(&cost, &model->faults[i]);
		pageset_add(&pages, &model->faults[i], model->trace.page_size);
	}
	uint64_t scope = rule_is_worth(findings, cost.faults) ? count_scope(model) : 0;
	if (scope >= MIN_OBJECTS) {
		uint64_t *wanted = xcalloc(model->object_count + 1, sizeof(*wanted));

		for (size_t i = 0; i < model->object_count; i++) {
			wanted[i] = model->objects[i].relocation
					    ? model->objects[i].relocation->lookups_at_load
					    : 0;
			names += wanted[i];
		}
		rule_add(
			findings,
			&(struct model_finding){
				.id = "lookup-scope",
				.title = "Names are searched in many libraries",
				.object = MODEL_NONE,
				.faults = cost.faults,
				.pages = pageset_count(&pages),
				.duration_ns = cost.duration_ns,
				.saves_faults = cost.faults,
				.evidence = describe(findings, scope, names, wanted),
				.advice =
					"Bind names within a library when it is linked: "
					"-fvisibility=hidden, or -Wl,-Bsymbolic-functions with "
					"-fno-semantic-interposition. Have fewer libraries: "
					"-Wl,--as-needed, or link them statically, which saves all "
					"lookups.",
			});
		free(wanted);
	}
	pageset_deinit(&pages);
}
