// SPDX-License-Identifier: Apache-2.0
// Replays a trace in time order, so that every fault meets the mappings of its own moment.
#include "correlate/correlate.h"

#include "base/cleanup.h"
#include "correlate/time/account.h"
#include "correlate/linking/costs.h"
#include "correlate/replay/attribute.h"
#include "correlate/why/blame.h"
#include "correlate/time/calls.h"
#include "correlate/answer/phases.h"
#include "model/filter.h"
#include "correlate/storage/storage.h"
#include "correlate/why/initiator.h"
#include "correlate/replay/events.h"
#include "correlate/answer/narrow.h"
#include "correlate/time/spots.h"
#include "correlate/replay/stacks.h"
#include "correlate/replay/rows.h"
#include "trace/living.h"

#include <stdlib.h>
#include <string.h>

/** State that every phase needs; released together. */
struct analysis {
	struct trace *trace;
	struct correlate_options options;
	struct model *model;
	struct arena arena; // areas
	struct objects *objects;
	struct processes *processes;
	struct instructions *instructions;
	struct narrowing narrowing;
	uint64_t inferred_mechanisms;
	struct fileuses uses;
	struct rows rows;
	struct shown_faults faults;
	bool has_costs;	      // relocation and data of every object that faulted
	bool is_lent;	      // the model borrows rows and faults
	bool names_are_shown; // as options.shown has it
};

void analysis_destroy(struct analysis *run)
{
	if (!run)
		return;
	if (run->is_lent)
		run->model->faults = NULL;
	model_close(run->model);
	shown_faults_deinit(&run->faults);
	rows_deinit(&run->rows);
	fileuses_deinit(&run->uses);
	narrowing_deinit(&run->narrowing);
	instructions_destroy(run->instructions);
	processes_destroy(run->processes);
	objects_destroy(run->objects);
	arena_deinit(&run->arena);
	free(run);
}

/** The replay has the builder: when it has ended, nobody can add rows. */
struct replay {
	struct trace *trace;
	struct processes *processes;
	struct stacks *stacks;
	struct access_decoder *decoder;
	struct builder builder;
	struct attribution attribution;
	size_t task, mapping, remap, prefault; // events that come next
	struct prefaults prefaults;
	struct moment_reader moment; // likewise
	struct all_moments *moments;
	struct fileuses *uses; // NULL: not asked for

	uint32_t thread; // that faulted last, as a row of the model; MODEL_NONE: none yet
	uint64_t comm_generation;
};

static void replay_deinit(struct replay *replay)
{
	builder_deinit(&replay->builder);
	access_decoder_destroy(replay->decoder);
	stacks_destroy(replay->stacks);
	prefaults_deinit(&replay->prefaults);
}

static uint32_t thread_of(struct replay *replay, const struct process *process, uint32_t pid,
			  uint32_t tid)
{
	uint64_t generation = processes_comm_generation(replay->processes);
	struct model_thread thread = { .program = process->program, .pid = pid, .tid = tid };

	if (replay->thread != MODEL_NONE && replay->comm_generation == generation) {
		const struct model_thread *last =
			&replay->builder.rows.threads.items[replay->thread];

		if (last->tid == tid && last->program == process->program)
			return replay->thread;
	}
	thread.comm = builder_comm(&replay->builder, processes_comm(replay->processes, pid, tid));
	replay->thread = builder_thread(&replay->builder, &thread);
	replay->comm_generation = generation;
	return replay->thread;
}

static void replay_fault(struct replay *replay, const struct trace_fault *from)
{
	struct process *process = processes_get(replay->processes, from->pid);
	struct model_fault fault;

	if (replay->uses)
		fileuses_fault(replay->uses, process->aspace, from, replay->attribution.page_size,
			       replay->attribution.start_ns);
	attribute_fault(&replay->attribution, process, from, &fault);
	fault.thread = thread_of(replay, process, from->pid, from->tid);
	if (from->stack)
		fault.stack =
			stacks_resolve(replay->stacks, &replay->attribution, process, from->stack);
	builder_fault(&replay->builder, &fault);
}

/** The next event of one of the sorted streams; UINT64_MAX past the end. */
#define NEXT_TIME(vec, at) ((at) < (vec).count ? (vec).items[at].time_ns : UINT64_MAX)

enum { STRIDE = 1 << 16 };

/**
 * The first @done faults of the trace have become rows: their memory is the rows' that follow. So
 * both together take little more than the larger of the two.
 */
static void pass_on(struct replay *replay, size_t done)
{
	struct trace *trace = replay->trace;
	struct all_faults *rows = &replay->builder.faults;
	size_t left = trace->faults.count - done;
	size_t room = trace->faults.count / 16 + STRIDE;

	trace_drop_faults(trace, done - STRIDE, done);
	// Twice the room at once would be more than is needed.
	if (rows->list.capacity - rows->list.count < STRIDE)
		vec_reserve_exactly(&rows->list, done + (left < room ? left : room));
}

/** Replay the next prefault: what it touched follows from what is mapped now. */
static void replay_prefault(struct replay *replay)
{
	const struct trace_prefault *from = &replay->trace->prefaults.items[replay->prefault++];
	const struct process *process = processes_get(replay->processes, from->pid);

	prefaults_add(&replay->prefaults, replay->attribution.objects, process->aspace, from,
		      trace_call_name(replay->trace, from->call), replay->attribution.page_size);
}

/** Apply what changes the address space until @time_ns: at equal times it comes first. */
static void replay_changes(struct replay *replay, uint64_t time_ns)
{
	const struct trace *trace = replay->trace;

	for (;;) {
		uint64_t task_ns = NEXT_TIME(trace->tasks, replay->task);
		uint64_t mapping_ns = NEXT_TIME(trace->mappings, replay->mapping);
		uint64_t remap_ns = NEXT_TIME(trace->remaps, replay->remap);
		uint64_t first = task_ns < mapping_ns ? task_ns : mapping_ns;

		uint64_t prefault_ns = NEXT_TIME(trace->prefaults, replay->prefault);

		if (remap_ns < first)
			first = remap_ns;
		if (prefault_ns < first)
			first = prefault_ns;
		if (first > time_ns || first == UINT64_MAX)
			return;
		if (task_ns == first)
			processes_task(replay->processes, &trace->tasks.items[replay->task++]);
		else if (mapping_ns == first)
			processes_map(replay->processes, &trace->mappings.items[replay->mapping++]);
		else if (remap_ns == first)
			processes_remap(replay->processes, &trace->remaps.items[replay->remap++]);
		else
			replay_prefault(replay);
	}
}

/** Resolve the moments before @time_ns, each as its process was then. */
static void replay_moments(struct replay *replay, uint64_t time_ns)
{
	for (;;) {
		uint64_t moment_ns = moments_next_ns(&replay->moment);
		struct process *process;
		uint32_t pid, tid;

		if (moment_ns >= time_ns)
			return;
		replay_changes(replay, moment_ns);
		moments_next_task(&replay->moment, &pid, &tid);
		process = processes_get(replay->processes, pid);
		moments_take(&replay->moment, &replay->attribution, replay->stacks, process,
			     thread_of(replay, process, pid, tid), replay->moments);
	}
}

static void replay_events(struct replay *replay, bool keeps_trace)
{
	struct trace *trace = replay->trace;

	vec_foreach (fault, &trace->faults) {
		replay_moments(replay, fault->time_ns);
		replay_changes(replay, fault->time_ns);
		replay_fault(replay, fault);
		size_t done = (size_t)(fault - trace->faults.items) + 1;
		if (done % STRIDE == 0 && !keeps_trace)
			pass_on(replay, done);
	}
	replay_moments(replay, UINT64_MAX);
	if (!keeps_trace)
		vec_deinit(&trace->faults);
	if (trace->prefaults.count > 0)
		replay_changes(replay, trace->prefaults.items[trace->prefaults.count - 1].time_ns);
	while (replay->task < trace->tasks.count)
		processes_task(replay->processes, &trace->tasks.items[replay->task++]);
}

/** Attribute every fault. */
static void replay_trace(struct analysis *run, struct all_faults *ret_faults,
			 struct all_moments *ret_moments)
{
	CLEANUP(replay_deinit)
	struct replay replay = {
		.trace = run->trace,
		.processes = run->processes,
		.stacks = stacks_create(run->trace),
		.decoder = access_decoder_create(run->instructions),
		.thread = MODEL_NONE,
		.moment = { .trace = run->trace },
		.moments = ret_moments,
		.uses = run->options.needs & NEED_FILE_USES ? &run->uses : NULL,
	};

	builder_init(&replay.builder, run->model, run->objects, !run->options.no_demangle);
	replay.builder.rows.faults_only = !(run->options.needs & NEED_TABLES);
	replay.attribution = (struct attribution){
		.builder = &replay.builder,
		.objects = run->objects,
		.decoder = replay.decoder,
		.page_size = run->trace->meta.page_size,
		.start_ns = run->trace->meta.start_ns,
	};
	// The end of a task may be among what was lost. What the kernel counted of an attached
	// process was read while it ran.
	if (run->trace->summary.has_rusage && run->trace->summary.lost_other == 0 &&
	    run->trace->meta.command_count > 0)
		run->model->counts.living = living_faults(run->trace);
	run->uses.is_exact = fileuses_is_exact(run->trace);
	replay_events(&replay, run->options.keep_trace);
	if (replay.uses)
		fileuses_headers(replay.uses, run->objects, run->trace);
	processes_end(run->processes);
	run->inferred_mechanisms = replay.attribution.inferred_mechanisms;
	prefaults_fill(&replay.prefaults, run->model);
	builder_close(&replay.builder, run->options.needs & NEED_SOURCES, &run->rows, ret_faults);
}

/** Drop the faults that the conditions exclude. Empties @all. */
static void keep_filtered(struct analysis *run, struct all_faults *all)
{
	const struct filter *filter = run->options.filter;

	run->faults = (struct shown_faults){ .items = TAKE(all->list.items), all->list.count };
	all_faults_deinit(all);
	if (!filter)
		return;
	const struct model fields = rows_fields(&run->rows);

	run->faults.count = filter_apply(filter, &fields, run->faults.items, run->faults.count,
					 &run->model->notes);
}

/** Drop what is not of the OBJECT arguments, and say in the model what is shown. */
static void keep_narrowed(struct analysis *run)
{
	const struct filter *filter = run->options.filter;
	struct model *model = run->model;
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	narrow_describe(&run->options, &text);
	if (filter)
		strbuf_printf(&text, "%s%s", text.length > 0 ? "," : "", filter_text(filter));
	if (text.length > 0)
		model->filter = arena_strdup(&model->arena, text.text);
	if (!run->options.object_count)
		return;
	model->is_narrowed = true;
	narrow_faults(&run->narrowing, &run->faults);
	spots_narrow(&run->rows, run->narrowing.is_shown, run->narrowing.count);
}

/** The process that the recorder attached to, and the name that it had then. */
static void describe_process(struct model *model, const struct trace *trace)
{
	struct arena *arena = &model->arena;
	uint32_t pid = trace->meta.root_pid;
	const char *comm = NULL;

	for (size_t i = 0; i < trace->tasks.count && !comm; i++) {
		const struct trace_task *task = &trace->tasks.items[i];

		if (task->kind == TRACE_TASK_COMM && task->pid == pid && task->tid == pid)
			comm = arena_strdup(arena, task->comm);
	}
	model->trace.process_pid = pid;
	model->trace.process_comm = comm;
	model->trace.process = comm ? arena_printf(arena, "process %u (%s)", pid, comm)
				    : arena_printf(arena, "process %u", pid);
}

static const char *const *copy_words(struct arena *arena, const char *const *words, size_t count)
{
	const char **copy = arena_array(arena, count + 1, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = arena_strdup(arena, words[i]);
	return copy;
}

static const char *trace_name(const struct trace *trace)
{
	return trace->name ? trace->name : trace->path ? trace->path : "";
}

static void describe_trace(struct model *model, const struct trace *trace)
{
	const struct trace_meta *meta = &trace->meta;
	model->trace = (struct model_trace){
		.path = arena_strdup(&model->arena, trace_name(trace)),
		.file = arena_strdup(&model->arena, trace->path ? trace->path : ""),
		.command = copy_words(&model->arena, meta->command, meta->command_count),
		.command_count = meta->command_count,
		.backend = arena_strdup(&model->arena, meta->backend ? meta->backend : "unknown"),
		.kernel = arena_strdup(&model->arena, meta->kernel ? meta->kernel : ""),
		.machine = arena_strdup(&model->arena, meta->machine ? meta->machine : ""),
		.page_size = meta->page_size,
		.complete = trace->complete,
		.has_stacks = meta->has_stacks,
		.has_reads = meta->has_reads,
		.run_id = trace_run_id(trace),
		.start_ns = meta->start_ns,
		.start_unix_ns = meta->start_unix_ns,
		.producer = arena_strdup(&model->arena, meta->producer),
		.host = arena_strdup(&model->arena, meta->host),
		.labels = copy_words(&model->arena, meta->labels, meta->label_count),
		.label_count = meta->label_count,
		.times_are_order = meta->times_are_order,
	};
	if (meta->attached)
		describe_process(model, trace);
	if (meta->times_are_order)
		return;
	if (trace->complete && trace->summary.end_ns >= meta->start_ns)
		model->trace.duration_ns = trace->summary.end_ns - meta->start_ns;
	else if (trace->faults.count)
		model->trace.duration_ns =
			trace->faults.items[trace->faults.count - 1].time_ns - meta->start_ns;
}

static void keep_programs(struct model *model, const struct processes *processes,
			  const struct objects *objects)
{
	size_t object_count;
	const struct object *files = objects_all(objects, &object_count);
	const struct process_program *programs =
		processes_programs(processes, &model->program_count);
	struct model_program *rows =
		arena_array(&model->arena, model->program_count, sizeof(*rows));

	for (size_t i = 0; i < model->program_count; i++) {
		rows[i] = programs[i].row;
		if (programs[i].executable != UINT32_MAX)
			rows[i].executable =
				arena_strdup(&model->arena, files[programs[i].executable].path);
	}
	model->programs = rows;
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
	counts->kinds_unknown = trace->meta.kinds_unknown;
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
	processes_count(processes, &counts->processes, &counts->threads, &counts->programs);
}

/** How many faults have no stack, and what that leaves unknown. */
static void count_stacks(struct model *model, const struct model_stack *stacks,
			 const struct all_faults *faults)
{
	struct model_counts *counts = &model->counts;
	uint64_t cut = 0;

	if (!model->trace.has_stacks)
		return;
	vec_foreach (fault, &faults->list) {
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

/** The notes of @trace, but for what older recorders said of each stack, and count_stacks() does
 * of faults. */
static void take_notes(struct model *model, const struct trace *trace)
{
	static const char said[] = "a distinct call stack has no callers: the innermost frame is "
				   "larger than the copy";

	vec_foreach (note, &trace->notes.list)
		if (strncmp(note->text, said, sizeof(said) - 1) != 0)
			notes_add_text(&model->notes, note->text, note->count);
}

static void add_notes(const struct analysis *run)
{
	struct model *model = run->model;

	notes_add_counted(&model->notes, run->inferred_mechanisms,
			  "a fault came without the processor's error code: its access is read "
			  "from the instruction, its mechanism inferred from earlier faults on "
			  "the page");
	notes_add_counted(&model->notes, model->counts.lost_other,
			  "a mapping or task record was lost: some addresses may be attributed to "
			  "what was mapped there before");
	if (disassembler_missing())
		notes_add(
			&model->notes,
			"libcapstone could not be loaded, so accesses, initiators and initializers "
			"that only instructions show are unknown: %s",
			disassembler_missing());
}

/** The word of the first condition that only faults have a value for; NULL: none. */
static const char *only_of_faults(const struct filter *filter)
{
	const struct field *field;

	for (size_t i = 0; filter && (field = filter_field(filter, i)); i++)
		if (!field->is_of_code)
			return field->name;
	return NULL;
}

/** Fill the spots of time outside faults, of what is shown as far as that can be said. */
static void fill_spots(struct analysis *run, struct all_moments *moments, const struct lives *lives)
{
	const struct filter *filter = run->options.filter;
	const unsigned needs = run->options.needs;
	struct rows *rows = &run->rows;
	CLEANUP(freep)
	bool *chosen = filter ? xcalloc(moments->list.count + 1, sizeof(*chosen)) : NULL;

	if (!rows->account)
		return;
	CLEANUP(blame_destroyp) struct blame *blame = blame_learn(rows);

	rows->account->only_of_faults = only_of_faults(filter);
	if (filter && !only_of_faults(filter)) {
		const struct model fields = rows_fields(rows);

		blame_faults(blame, moments->list.items, moments->list.count);
		filter_choose(filter, &fields, moments->list.items, moments->list.count, chosen,
			      NULL);
	}
	if (needs & NEED_TABLES)
		spots_fill(rows, run->trace, moments, lives, blame, chosen,
			   needs & NEED_TIME_SOURCES);
	if (needs & NEED_MOMENTS)
		momentrows_fill(rows, run->trace, moments, lives, blame, chosen);
}

/** All that needs every fault: why a fault happened may show in others that are not shown. */
static void answer_all(struct analysis *run)
{
	struct gaps gaps = { 0 };
	CLEANUP(all_faults_deinit) struct all_faults all;
	CLEANUP(all_moments_deinit) struct all_moments moments = { 0 };
	CLEANUP(init_runs_deinit) struct init_runs runs;
	CLEANUP(lives_deinit) struct lives lives = { 0 };
	CLEANUP(calls_deinit) struct calls calls = { 0 };
	struct rows *rows = &run->rows;
	uint64_t page_size = run->trace->meta.page_size;

	replay_trace(run, &all, &moments);
	if (run->trace->meta.stacks_have_gaps)
		gaps_hide(&gaps, rows, &all, &moments);
	initiators_decide(rows, run->processes, &all, &moments, &runs);
	steps_decide(rows->threads.items, &all, page_size);
	count_stacks(run->model, rows->stacks.items, &all);
	CLEANUP(blame_destroyp) struct blame *blame = blame_learn(rows);
	blame_faults(blame, all.list.items, all.list.count);
	initcounts_fill(rows, &all, &runs, page_size);
	gaps_show(&gaps, rows, &all, &moments);
	account_fill(rows, run->trace, &all, &moments, &lives);
	inittimes_fill(rows->initializers.items, &moments, &lives);
	if (run->options.needs & NEED_TABLES) {
		calls_init(&calls, run->trace, &lives);
		storage_fill(rows, run->trace, &all, &moments, page_size, &calls);
		calls_fill(&calls, run->model, run->trace);
	}
	if (run->options.needs & (NEED_TABLES | NEED_MOMENTS))
		fill_spots(run, &moments, &lives);
	if (run->options.needs & NEED_FILE_USES)
		fileuses_fill(run->model, run->objects, rows->threads.items, run->trace, &all,
			      &run->uses);
	keep_filtered(run, &all);
	if (run->options.needs & NEED_TABLES) {
		dependencies_fill(rows);
		archives_fill(rows);
	}
	if (run->options.order)
		packing_fill(rows, run->options.order, run->options.order_count);
}

/** Count and describe what the faults that are left show. */
static void tabulate(struct analysis *run)
{
	uint64_t page_size = run->trace->meta.page_size;

	// These facts hold only if all faults of the object are shown.
	if (run->options.needs & NEED_TABLES && !run->options.filter && !run->has_costs)
		costs_fill(&run->rows, &run->faults, page_size);
	run->has_costs = true;
	rows_tabulate(&run->rows, &run->faults, page_size);
	run->is_lent = true;
}

uint64_t correlate_memory(const struct trace_size *size)
{
	// The smaller of the two that others may be.
	const size_t other = sizeof(struct trace_remap) < sizeof(struct trace_task)
				     ? sizeof(struct trace_remap)
				     : sizeof(struct trace_task);

	return size->faults * sizeof(struct model_fault) +
	       size->stacks * sizeof(struct trace_stack) +
	       size->mappings * sizeof(struct trace_mapping) + size->others * other;
}

struct model *analysis_whole(struct analysis *run)
{
	tabulate(run);
	model_show(run->model, &run->options.shown);
	run->names_are_shown = true;
	return run->model;
}

struct model *analysis_take(struct analysis *run)
{
	struct model *model = run->model;
	const struct correlate_options *options = &run->options;

	keep_narrowed(run);
	tabulate(run);
	if (options->needs & NEED_CODES)
		codes_fill(&run->rows, &run->faults, run->instructions,
			   options->needs & NEED_FRAME_SOURCES);
	rows_finish(&run->rows, &run->faults);
	run->is_lent = false;
	if (options->pack)
		packlist_fill(run->objects, model, options->pack);
	objects_note_missing(run->objects);
	add_notes(run);
	if (run->names_are_shown)
		model_show_names(model, &options->shown);
	else
		model_show(model, &options->shown);
	return TAKE(run->model);
}

bool analysis_create(struct trace *trace, const struct correlate_options *options,
		     struct analysis **ret_analysis, struct err *err)
{
	CLEANUP(analysis_destroyp) struct analysis *run = xcalloc(1, sizeof(*run));
	struct model *model = run->model = xcalloc(1, sizeof(*model));
	uint32_t page_size = trace->meta.page_size;

	run->trace = trace;
	run->options = *options;
	if (page_size < 1024 || (page_size & (page_size - 1)))
		return err_set(err, ERR_INPUT,
			       "%s: page size %u in its meta chunk is not a power "
			       "of two of at least 1024",
			       trace->path, page_size);

	take_notes(model, trace);
	describe_trace(model, trace);
	run->objects = objects_create(trace, options->debug_dir, options->depot, &model->notes);
	run->processes = processes_create(&run->arena, run->objects, page_size);
	run->instructions = instructions_create();
	if (!narrow_open(&run->narrowing, options, trace, run->objects, err))
		return false;
	answer_all(run);
	if (!narrow_choose(&run->narrowing, options, run->objects, err))
		return false;
	keep_programs(model, run->processes, run->objects);
	describe_counts(model, trace, run->processes);
	*ret_analysis = TAKE(run);
	return true;
}

bool correlate(struct trace *trace, const struct correlate_options *options,
	       struct model **ret_model, struct err *err)
{
	CLEANUP(analysis_destroyp) struct analysis *run = NULL;

	if (!analysis_create(trace, options, &run, err))
		return false;
	*ret_model = analysis_take(run);
	return true;
}
