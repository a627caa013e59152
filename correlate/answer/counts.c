// SPDX-License-Identifier: Apache-2.0
// Sums of all faults that are counted, and what the recorder says of those that are missing.
#include "correlate/answer/phases.h"

#include <string.h>

void counts_describe(struct model *model, const struct trace *trace,
		     const struct processes *processes)
{
	const struct trace_summary *summary = &trace->summary;
	struct model_counts *counts = &model->counts;

	counts->lost = summary->lost;
	counts->lost_other = summary->lost_other;
	counts->stacks_lost = summary->stacks_lost;
	counts->has_reads = trace->meta.has_reads;
	counts->kinds_unknown = trace->meta.kinds_unknown;
	if (!model->account || !model->window.is_set)
		processes_count(processes, &counts->processes, &counts->threads, &counts->programs);
	// The kernel counts whole tasks: its counts are not known of a window.
	if (model->window.is_set)
		return;
	counts->has_rusage = summary->has_rusage;
	counts->rusage_minor = summary->rusage_minor;
	counts->rusage_major = summary->rusage_major;
	counts->has_unsampled = summary->has_unsampled;
	counts->unsampled = summary->unsampled;
	counts->has_unrecorded = summary->has_unrecorded;
	counts->hidden = summary->hidden;
	counts->unseen_programs = summary->unseen_programs;
	counts->exec_unsampled = summary->exec_unsampled;
	counts->before_exec = summary->before_exec;
}

/** How many faults have no stack, and what that leaves unknown. */
static void count_stacks(struct model *model, const struct model_stack *stacks,
			 const struct counted_faults *faults)
{
	struct model_counts *counts = &model->counts;
	uint64_t cut = 0;

	if (!model->trace.has_stacks)
		return;
	array_foreach (fault, faults->items, faults->count) {
		const struct model_stack *stack =
			fault->stack == MODEL_NONE ? NULL : &stacks[fault->stack];

		if (!fault->has_ip || (stack && (stack->frame_count > 1 || stack->is_complete)))
			continue;
		bool is_unknown = fault->initiator == MODEL_INITIATOR_UNKNOWN;

		counts->without_stack++;
		counts->without_stack_unknown += is_unknown;
		cut += is_unknown && stack && stack->frame_count == 1 && stack->is_truncated;
	}
	notes_add_counted(&model->notes, cut,
			  "the initiator of a fault is unknown: its innermost frame is larger than "
			  "the copy of the stack (record --stack-size)");
}

static void count_elf(const struct rows *rows, const struct model_fault *fault,
		      struct model_counts *counts)
{
	size_t count;
	const struct object *object = &objects_all(rows->objects, &count)[fault->at.object];

	counts->in_elf += object->is_elf;
	if (!objects_opened(rows->objects, fault->at.object))
		return;
	counts->in_elf_section +=
		strcmp(rows->sections.items[fault->at.section].name, "[padding]") != 0;
	counts->in_elf_symbol += fault->at.name != MODEL_NONE;
}

void counts_fill(const struct rows *rows, const struct counted_faults *faults, uint64_t page_size)
{
	struct model_counts *counts = &rows->model->counts;

	array_foreach (fault, faults->items, faults->count) {
		const bool is_attributed = fault->at.object != MODEL_NONE;

		counts->recorded++;
		counts->attributed += is_attributed;
		counts->unattributed += !is_attributed;
		counts->minor += fault->kind == MODEL_MINOR;
		counts->major += fault->kind == MODEL_MAJOR;
		counts->read_bytes += model_read_pages(fault) * page_size;
		if (is_attributed)
			count_elf(rows, fault, counts);
	}
	count_stacks(rows->model, rows->stacks.items, faults);
}
