// SPDX-License-Identifier: Apache-2.0
// The program copies its own code to memory without a file, to have huge pages for it.
#include "advice/trace/rule.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "derive/pageset.h"
#include "model/account.h"

#include <stdlib.h>

static bool is_of_copied(const struct model *model, const struct model_fault *fault, uint32_t id)
{
	return fault->at.object == id && fault->at.has_vaddr &&
	       range_contains(model->objects[id].copied, fault->at.vaddr);
}

/** True if @fault reads code as data, or writes where it is copied to. */
static bool shows_copying(const struct model *model, const struct model_fault *fault, uint32_t id)
{
	return fault->blame != MODEL_NONE && fault->access != MODEL_ACCESS_EXEC &&
	       is_of_copied(model, fault, id);
}

/** The function that copies code of @id; MODEL_NONE: none is seen to. */
static uint32_t copier_of(const struct model *model, uint32_t id)
{
	CLEANUP(freep) uint64_t *counts = xcalloc(model->function_count + 1, sizeof(*counts));

	array_foreach (fault, model->faults, model->fault_count)
		counts[shows_copying(model, fault, id) ? fault->blame : model->function_count]++;
	counts[model->function_count] = 0;

	size_t most = kit_largest(counts, model->function_count + 1);
	return counts[most] ? (uint32_t)most : MODEL_NONE; // indexes of functions are 32 bits wide
}

/** The computing for @function outside faults. */
static uint64_t computing_of(const struct findings *findings, uint32_t function)
{
	const struct model_account *account = findings->model->account;
	uint64_t ns = 0;

	if (!account || findings->is_partial)
		return 0;
	array_foreach (spot, account->spots, account->spot_count)
		if (spot->state == MODEL_STATE_CPU && spot->blame == function)
			ns += spot->ns;
	return ns;
}

static void find_in(struct findings *findings, uint32_t id)
{
	const struct model *model = findings->model;
	struct arena *arena = findings->arena;
	struct model_count cost = { 0 };
	CLEANUP(pageset_deinit) struct pageset pages = { 0 };
	uint64_t reads = 0, writes = 0;

	if (model->objects[id].copied_bytes == 0)
		return;
	const uint32_t copier = copier_of(model, id);

	if (copier == MODEL_NONE)
		return;
	array_foreach (fault, model->faults, model->fault_count) {
		if (fault->blame != copier)
			continue;
		model_count_fault(&cost, fault);
		pageset_add(&pages, model, fault);
		reads += fault->access == MODEL_ACCESS_READ && fault->at.has_offset &&
			 is_of_copied(model, fault, id);
		writes += fault->access == MODEL_ACCESS_WRITE;
	}
	const uint64_t cpu_ns = computing_of(findings, copier);
	const uint64_t error_ns = rule_error(findings, cpu_ns);

	if (!rule_is_worth(findings, &cost, cpu_ns, error_ns))
		return;
	rule_add_found(findings,
		       &(struct rule_found){
			       .object = id,
			       .cost = cost,
			       .pages = pageset_count(&pages),
			       .saves = cost.faults,
			       .cpu_ns = cpu_ns,
			       .cpu_error_ns = error_ns,
		       },
		       KIT_VALUES({ "bytes", figure_size(arena, model->objects[id].copied_bytes) },
				  { "copier", rule_name(findings, model->functions[copier].name) },
				  { "reads", kit_plural(arena, reads, "fault") },
				  { "writes", figure_number(arena, writes) },
				  { "read", rule_read(findings, &cost) }));
}

const struct rule rule_codecopies = {
	.prose = {
		.id = "code-copies",
		.title = "Code is copied to memory",
		.evidence = "{copier} copies {bytes} of code: {reads} read it, {writes} write "
			    "the copy.{read}",
	},
	.cures = {
		{ MODEL_FOR_RUN, "Leave the copy out where the program does not run for long: node "
				 "copies only with `--use-largepages`, iodlr's library only where it "
				 "is preloaded." },
		{ MODEL_FOR_LINK, "Leave it out of the build (BOLT: `-hugify`, which copies where "
				  "Linux is older than 5.10 or huge pages are off), or have the kernel "
				  "make huge pages of the file itself, in the background and for all "
				  "processes: `-Wl,-z,max-page-size=0x200000`, and "
				  "`madvise(MADV_HUGEPAGE)` on the code." },
	},
	.about = "Some programs copy their code to anonymous memory at the same addresses, as the "
		 "kernel has no huge pages for most files: all of it is read, and each process has "
		 "its own.",
	.when = "Reported for an object whose code was copied so when the faults of the function "
		"that does it, and its computing, reach the threshold.",
	.details = "Huge pages of a file need `CONFIG_READ_ONLY_THP_FOR_FS` (Linux 5.4) or a file "
		   "system with large folios. The cost is all faults of the function that reads the "
		   "code or writes the copy.",
	.limits = "Whether huge pages pay later is not known. Code that runs has its own faults "
		  "where it is not copied. The perf backend does not see a copy that `mremap` puts "
		  "into place.",
	.saves_storage = true,
	.needs_all_faults = true,
	.find_in = find_in,
};
