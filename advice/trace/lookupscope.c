// SPDX-License-Identifier: Apache-2.0
// lookup-scope: names are looked up in many libraries one after the other, and each look reads
// their hash tables, symbols and strings.
//
// Speaks for the whole run when symbol lookup's faults are worth a finding and some program has
// MIN_OBJECTS ELF files in memory. With faults left out, files are missing: then it is silent.
#include "advice/trace/rule.h"

#include "base/u64map.h"
#include "model/relocation.h"
#include "derive/pageset.h"
#include "derive/programs.h"

#include <stdlib.h>

enum { MIN_OBJECTS = 10, NAMED = 3 };

/** The most ELF files that faulted in one program. */
static uint64_t count_scope(const struct model *model)
{
	VEC(uint64_t) objects = { 0 }; // of each program
	struct u64map index = { 0 };   // by program
	struct programs programs = { 0 };
	struct pageset seen = { 0 };
	uint64_t most = 0;

	for (size_t i = 0; i < model->fault_count; i++) {
		const struct model_fault *fault = &model->faults[i];
		uint64_t program = programs_at(&programs, fault);
		bool is_new;

		if (fault->at_object == MODEL_NONE || !model->objects[fault->at_object].is_elf ||
		    !pageset_add_pair(&seen, program, fault->at_object))
			continue;
		uint32_t *at = u64map_put(&index, program, &is_new);
		if (is_new) {
			*at = (uint32_t)objects.count;
			vec_push(&objects, 0);
		}
		if (++objects.items[*at] > most)
			most = objects.items[*at];
	}
	vec_deinit(&objects);
	u64map_deinit(&index);
	programs_deinit(&programs);
	pageset_deinit(&seen);
	return most;
}

static const char *describe(struct findings *findings, uint64_t scope, uint64_t names,
			    const uint64_t *wanted)
{
	const char *text = rule_text(
		findings,
		"A program has up to %s ELF files, each of which may be searched for a name.",
		rule_number(findings, scope));

	if (names == 0)
		return text;
	return rule_text(findings, "%s Loading the files of this run looks up %s, most for %s.",
			 text, rule_plural(findings, names, "name", "names"),
			 rule_most(findings, wanted, NAMED));
}

void rule_lookupscope(struct findings *findings)
{
	if (findings->is_partial ||
	    !rule_is_worth(findings, findings->totals.by_initiator[MODEL_SYMBOL_LOOKUP]))
		return;

	const struct model *model = findings->model;
	struct model_count cost = { 0 };
	struct pageset pages = { 0 };
	uint64_t names = 0;

	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->faults[i].initiator != MODEL_SYMBOL_LOOKUP)
			continue;
		model_count_fault(&cost, &model->faults[i]);
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
				.where = "initiator=symbol-lookup",
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
