// SPDX-License-Identifier: Apache-2.0
// Replays a trace in time order, so that every fault meets the mappings of its own moment.
#include "correlate/correlate.h"

#include "base/cleanup.h"
#include "correlate/attribute.h"
#include "correlate/blame.h"
#include "correlate/codes.h"
#include "correlate/costs.h"
#include "correlate/dependency.h"
#include "model/filter.h"
#include "correlate/initcounts.h"
#include "correlate/initiator.h"
#include "correlate/narrow.h"
#include "correlate/stacks.h"
#include "correlate/step.h"

#include <stdlib.h>
#include <string.h>

/** Everything one run needs; released together. */
struct replay {
	const struct trace *trace;
	struct arena arena; // areas
	struct objects *objects;
	struct processes *processes;
	struct stacks *stacks;
	struct instructions *instructions;
	struct access_decoder *decoder;
	struct builder builder;
	struct attribution attribution;
	bool *is_shown;	     // by object id; NULL: everything is
	size_t object_count; // of is_shown

	// The name of the thread that faulted last, as a row of the model.
	uint32_t comm, comm_tid;
	uint64_t comm_generation;
};

static void replay_deinit(struct replay *replay)
{
	free(replay->is_shown);
	builder_deinit(&replay->builder);
	access_decoder_destroy(replay->decoder);
	instructions_destroy(replay->instructions);
	stacks_destroy(replay->stacks);
	processes_destroy(replay->processes);
	objects_destroy(replay->objects);
	arena_deinit(&replay->arena);
}

static bool choose_objects(struct replay *replay, const struct correlate_options *options,
			   struct err *err)
{
	size_t count;

	if (!options->object_count)
		return true;
	// Names can only be looked up among objects that are known: learn all of them first.
	vec_foreach (mapping, &replay->trace->mappings)
		objects_of_mapping(replay->objects, mapping);
	objects_all(replay->objects, &count);
	replay->is_shown = xcalloc(count, sizeof(*replay->is_shown));
	replay->object_count = count;
	return narrow(options, replay->objects, replay->is_shown, err);
}

static uint32_t comm_of(struct replay *replay, const struct trace_fault *fault)
{
	uint64_t generation = processes_comm_generation(replay->processes);

	if (replay->comm_tid != fault->tid || replay->comm_generation != generation ||
	    replay->comm == MODEL_NONE) {
		replay->comm =
			builder_comm(&replay->builder,
				     processes_comm(replay->processes, fault->pid, fault->tid));
		replay->comm_tid = fault->tid;
		replay->comm_generation = generation;
	}
	return replay->comm;
}

static void replay_fault(struct replay *replay, const struct trace_fault *from)
{
	struct process *process = processes_get(replay->processes, from->pid);
	struct model_fault fault;

	attribute_fault(&replay->attribution, process, from, &fault);
	fault.comm = comm_of(replay, from);
	if (from->stack)
		fault.stack =
			stacks_resolve(replay->stacks, &replay->attribution, process, from->stack);
	builder_fault(&replay->builder, &fault, process->image);
}

/** The next event of one of the sorted streams; UINT64_MAX past the end. */
#define NEXT_TIME(vec, at) ((at) < (vec).count ? (vec).items[at].time_ns : UINT64_MAX)

/** At equal times what changes the address space comes first: a fault needs its mapping. */
static void replay_events(struct replay *replay)
{
	const struct trace *trace = replay->trace;
	size_t task = 0, mapping = 0, remap = 0;

	vec_foreach (fault, &trace->faults) {
		for (;;) {
			uint64_t task_ns = NEXT_TIME(trace->tasks, task);
			uint64_t mapping_ns = NEXT_TIME(trace->mappings, mapping);
			uint64_t remap_ns = NEXT_TIME(trace->remaps, remap);
			uint64_t first = task_ns < mapping_ns ? task_ns : mapping_ns;

			if (remap_ns < first)
				first = remap_ns;
			if (first > fault->time_ns || first == UINT64_MAX)
				break;
			if (task_ns == first)
				processes_task(replay->processes, &trace->tasks.items[task++]);
			else if (mapping_ns == first)
				processes_map(replay->processes, &trace->mappings.items[mapping++]);
			else
				processes_remap(replay->processes, &trace->remaps.items[remap++]);
		}
		replay_fault(replay, fault);
	}
	while (task < trace->tasks.count)
		processes_task(replay->processes, &trace->tasks.items[task++]);
}

/** Drop the faults of objects that were not asked for. */
static void keep_objects(struct replay *replay)
{
	size_t kept = 0;

	vec_foreach (fault, &replay->builder.faults)
		if (fault->at_object < replay->object_count && replay->is_shown[fault->at_object])
			replay->builder.faults.items[kept++] = *fault;
	replay->builder.faults.count = kept;
}

/** Drop the faults that were not asked for, and say in the model which were. */
static void keep_shown(struct replay *replay, const struct correlate_options *options)
{
	struct builder *builder = &replay->builder;
	struct model *model = builder->model;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	narrow_describe(options, &text);
	if (replay->is_shown)
		keep_objects(replay);
	if (options->filter) {
		const struct field_rows rows = builder_rows(builder);

		strbuf_printf(&text, "%s%s", text.length > 0 ? "," : "",
			      filter_text(options->filter));
		builder->faults.count = filter_apply(options->filter, &rows, builder->faults.items,
						     builder->faults.count, &model->notes);
	}
	model->is_narrowed = options->object_count > 0;
	if (text.length > 0)
		model->filter = arena_strdup(&model->arena, text.text);
}

static void describe_trace(struct model *model, const struct trace *trace)
{
	const struct trace_meta *meta = &trace->meta;
	const char **command =
		arena_array(&model->arena, meta->command_count + 1, sizeof(*command));

	for (size_t i = 0; i < meta->command_count; i++)
		command[i] = arena_strdup(&model->arena, meta->command[i]);
	model->trace = (struct model_trace){
		.path = arena_strdup(&model->arena, trace->path ? trace->path : ""),
		.command = command,
		.command_count = meta->command_count,
		.backend = arena_strdup(&model->arena, meta->backend ? meta->backend : "unknown"),
		.kernel = arena_strdup(&model->arena, meta->kernel ? meta->kernel : ""),
		.machine = arena_strdup(&model->arena, meta->machine ? meta->machine : ""),
		.page_size = meta->page_size,
		.complete = trace->complete,
		.has_stacks = meta->has_stacks,
		.has_reads = meta->has_reads,
	};
	if (trace->complete && trace->summary.end_ns >= meta->start_ns)
		model->trace.duration_ns = trace->summary.end_ns - meta->start_ns;
	else if (trace->faults.count)
		model->trace.duration_ns =
			trace->faults.items[trace->faults.count - 1].time_ns - meta->start_ns;
}

static void describe_counts(struct model *model, const struct trace *trace,
			    const struct processes *processes)
{
	const struct trace_summary *summary = &trace->summary;
	struct model_counts *counts = &model->counts;

	counts->lost = summary->lost;
	counts->lost_other = summary->lost_other;
	counts->stacks_lost = summary->stacks_lost;
	counts->has_reads = trace->meta.has_reads;
	counts->has_rusage = summary->has_rusage;
	counts->rusage_minor = summary->rusage_minor;
	counts->rusage_major = summary->rusage_major;
	counts->has_unsampled = summary->has_unsampled;
	counts->unsampled = summary->unsampled;
	counts->before_exec = summary->before_exec;
	processes_count(processes, &counts->processes, &counts->threads, &counts->programs);
}

/** How many faults have no stack, and what that leaves unknown. */
static void count_stacks(struct builder *builder)
{
	struct model_counts *counts = &builder->model->counts;

	if (!builder->model->trace.has_stacks)
		return;
	vec_foreach (fault, &builder->faults) {
		const struct model_stack *stack =
			fault->stack == MODEL_NONE ? NULL : &builder->stacks.items[fault->stack];

		if (!fault->has_ip || (stack && (stack->frame_count > 1 || stack->is_complete)))
			continue;
		counts->without_stack++;
		counts->without_stack_unknown += fault->initiator == MODEL_INITIATOR_UNKNOWN;
	}
}

static void add_notes(struct model *model, const struct replay *replay)
{
	notes_add_counted(&model->notes, replay->attribution.inferred_mechanisms,
			  "a fault came without the processor's error code: its access is read "
			  "from the instruction, its mechanism inferred from earlier faults on "
			  "the page");
	notes_add_counted(&model->notes, model->counts.lost_other,
			  "a mapping or task record was lost: some addresses may be attributed to "
			  "what was mapped there before");
}

bool correlate(const struct trace *trace, const struct correlate_options *options,
	       struct model **ret_model, struct err *err)
{
	CLEANUP(model_closep) struct model *model = xcalloc(1, sizeof(*model));
	CLEANUP(replay_deinit) struct replay replay = { .trace = trace, .comm = MODEL_NONE };
	uint32_t page_size = trace->meta.page_size;

	if (page_size < 1024 || (page_size & (page_size - 1)))
		return err_set(err, ERR_INPUT,
			       "%s: page size %u in its meta chunk is not a power "
			       "of two of at least 1024",
			       trace->path, page_size);

	notes_merge(&model->notes, &trace->notes);
	describe_trace(model, trace);
	replay.objects = objects_create(options->debug_dir, &model->notes);
	replay.processes = processes_create(&replay.arena, replay.objects);
	replay.stacks = stacks_create(trace);
	replay.instructions = instructions_create();
	replay.decoder = access_decoder_create(replay.instructions);
	builder_init(&replay.builder, model, replay.objects, !options->no_demangle);
	replay.builder.faults_only = options->faults_only;
	replay.builder.no_sources = options->no_sources;
	replay.attribution = (struct attribution){
		.builder = &replay.builder,
		.objects = replay.objects,
		.decoder = replay.decoder,
		.page_size = page_size,
		.start_ns = trace->meta.start_ns,
	};
	if (!choose_objects(&replay, options, err))
		return false;

	vec_reserve(&replay.builder.faults, trace->faults.count);
	replay_events(&replay);
	builder_list_initializers(&replay.builder);
	initiators_decide(&replay.builder, replay.processes);
	steps_decide(&replay.builder, page_size);
	count_stacks(&replay.builder);
	blame_faults(&replay.builder);
	builder_name(&replay.builder);
	if (!options->faults_only)
		dependencies_fill(&replay.builder);
	initcounts_fill(&replay.builder, page_size);
	// Only now: why a fault happened may show in others, of objects that are not shown.
	keep_shown(&replay, options);
	builder_count(&replay.builder, page_size);
	// Of a part of an object's faults they would say what is not so.
	if (!options->faults_only && !options->filter)
		costs_fill(&replay.builder, page_size);
	if (options->codes)
		codes_fill(&replay.builder, replay.instructions, options->frame_sources);
	builder_finish(&replay.builder);
	describe_counts(model, trace, replay.processes);
	add_notes(model, &replay);

	*ret_model = TAKE(model);
	return true;
}
