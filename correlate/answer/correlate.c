// SPDX-License-Identifier: Apache-2.0
// The phases of an answer, in their order.
#include "correlate/correlate.h"

#include "base/cleanup.h"
#include "correlate/time/account.h"
#include "correlate/linking/costs.h"
#include "correlate/why/blame.h"
#include "correlate/time/calls.h"
#include "correlate/answer/phases.h"
#include "model/filter.h"
#include "model/io.h"
#include "correlate/storage/storage.h"
#include "correlate/why/initiator.h"
#include "correlate/answer/narrow.h"
#include "correlate/time/spots.h"
#include "correlate/replay/replay.h"

#include <stdlib.h>
#include <string.h>

/** Functions whose code is listed, at most. */
enum { LISTINGS = 64 };

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
	vec_deinit(&run->uses.list);
	narrowing_deinit(&run->narrowing);
	instructions_destroy(run->instructions);
	processes_destroy(run->processes);
	objects_destroy(run->objects);
	arena_deinit(&run->arena);
	free(run);
}

/** Drop the faults that are not counted, and those that the conditions exclude. Empties @all. */
static void keep_filtered(struct analysis *run, struct all_faults *all,
			  const struct counted_faults *counted)
{
	const struct filter *filter = run->options.filter;

	if (counted->count > 0)
		memmove(all->list.items, counted->items, counted->count * sizeof(*counted->items));
	run->faults = (struct shown_faults){ .items = TAKE(all->list.items), counted->count };
	all_faults_deinit(all);
	if (!filter)
		return;
	struct model fields = rows_fields(&run->rows);

	fields.marks = run->model->marks;
	fields.mark_count = run->model->mark_count;
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

/** The process that the recorder attached to, and the name that it had then; or the cgroup. */
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
	model->trace.cgroup = arena_strdup(arena, trace->meta.cgroup);
	if (trace->meta.cgroup)
		model->trace.process = arena_printf(arena, "cgroup %s", trace->meta.cgroup);
	else
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

static const struct model_plain *copy_plain(struct arena *arena, const struct trace_meta *meta)
{
	struct model_plain *plain = arena_alloc(arena, sizeof(*plain));

	*plain =
		(struct model_plain){ meta->plain_wall_ns, meta->plain_user_ns,
				      meta->plain_system_ns, meta->plain_minor, meta->plain_major };
	return meta->plain_wall_ns > 0 ? plain : NULL;
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
		.plain = copy_plain(&model->arena, meta),
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

/** The notes of @trace, but for what older recorders said of each stack, and count_stacks() does
 * of faults. */
static void take_notes(struct model *model, const struct trace *trace)
{
	static const char said[] = NOTES_NO_CALLERS ": the innermost frame is larger than the copy";

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

/** The word of the first condition that only operations have a value for; NULL: none. */
static const char *only_of_ios(const struct filter *filter)
{
	const struct field *field;

	for (size_t i = 0; filter && (field = filter_field(filter, i)); i++)
		if (field->is_only_of_io)
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

/** The program whose time is asked for, by conditions that leave one as well; NULL: none is. */
static const char *program_of(const struct correlate_options *options)
{
	const struct filter *filter = options->filter;

	if (options->program || !filter)
		return options->program;
	return filter_pinned(filter, "pid") ?: filter_pinned(filter, "comm");
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

	run->inferred_mechanisms = replay_trace(
		&(struct replay_request){
			.trace = run->trace,
			.model = run->model,
			.objects = run->objects,
			.processes = run->processes,
			.instructions = run->instructions,
			.needs = run->options.needs,
			.demangle = !run->options.no_demangle,
			.keeps_trace = run->options.keep_trace,
			.uses = &run->uses,
		},
		rows, &all, &moments);
	if (run->trace->meta.stacks_have_gaps)
		gaps_hide(&gaps, rows, &all, &moments);
	initiators_decide(rows, run->processes, &all, &moments, &runs);
	steps_decide(rows->threads.items, &all, page_size);
	const struct counted_faults counted = window_faults(&run->model->window, &all);

	counts_fill(rows, &counted, page_size);
	CLEANUP(blame_destroyp) struct blame *blame = blame_learn(rows);
	const bool has_ios = run->options.needs & NEED_IO;

	// Before gaps_show(): what it shows again is beyond the stacks that blame was learned of.
	blame_faults(blame, all.list.items, all.list.count);
	if (has_ios)
		blame_faults(blame, moments.list.items, moments.list.count);
	account_fill(rows, run->trace, &all, &moments, program_of(&run->options), &lives);
	initcounts_fill(rows, &all, &runs, page_size);
	gaps_show(&gaps, rows, &all, &moments);
	inittimes_fill(rows->initializers.items, &moments, &lives);
	if (run->options.needs & (NEED_TABLES | NEED_IO)) {
		calls_init(&calls, run->trace, &lives, run->model->window.is_set);
		storage_fill(rows, run->trace, &all, &counted, &moments, page_size, &calls,
			     has_ios);
		calls_fill(&calls, run->model, run->trace);
	}
	if (run->options.needs & (NEED_TABLES | NEED_MOMENTS))
		fill_spots(run, &moments, &lives);
	if (run->options.needs & NEED_FILE_USES)
		fileuses_fill(run->model, run->objects, rows->threads.items, run->trace, &all,
			      &run->uses);
	keep_programs(run->model, run->processes, run->objects);
	// These facts hold only if all faults of the object are shown.
	if (run->options.needs & NEED_TABLES && !run->options.filter)
		costs_fill(rows, &all, page_size);
	keep_filtered(run, &all, &counted);
	if (run->options.needs & NEED_TABLES) {
		dependencies_fill(rows);
		size_t count;
		searches_fill(rows, processes_programs(run->processes, &count));
		if (run->options.needs & NEED_BINDINGS)
			bindings_fill(rows, run->processes, run->options.needs & NEED_BOUND_NAMES);
		archives_fill(rows);
	}
	if (run->options.order)
		packing_fill(rows, run->options.order, run->options.order_count);
}

/** Count and describe what the faults that are left show. */
static void tabulate(struct analysis *run)
{
	uint64_t page_size = run->trace->meta.page_size;

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

/** Leave out the operations that the conditions and OBJECT arguments exclude. */
static void keep_ios(const struct analysis *run, struct model_io *ios)
{
	const size_t count = run->model->ios ? run->model->ios->count : 0;
	const struct narrowing *narrowing = &run->narrowing;
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (count == 0)
		return;
	if (run->options.filter) {
		const struct model view = model_io_view(run->model, &arena);

		filter_leave_out_ios(run->options.filter, &view, ios, count);
	}
	array_foreach (io, ios, count) {
		uint32_t object = io->what.at.object;

		if (narrowing->is_shown)
			io->is_left_out |=
				object >= narrowing->count || !narrowing->is_shown[object];
	}
}

struct model *analysis_take(struct analysis *run)
{
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): analysis_create() has set it
	struct model *model = run->model;
	const struct correlate_options *options = &run->options;

	keep_narrowed(run);
	tabulate(run);
	if (options->needs & NEED_CODES)
		codes_fill(&run->rows, &run->faults, run->instructions,
			   options->needs & NEED_FRAME_SOURCES);
	if (options->needs & NEED_LISTINGS)
		// With a pack each function may be asked about.
		listings_fill(&run->rows, &run->faults, run->instructions,
			      options->pack ? SIZE_MAX : LISTINGS,
			      options->needs & NEED_WHOLE_LISTINGS);
	struct model_io *ios = run->rows.ios;
	rows_finish(&run->rows, &run->faults);
	keep_ios(run, ios);
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

static bool no_such_program(const char *name, const struct rows *rows, struct err *err)
{
	enum { NAMES_IN_MESSAGE = 12 };
	const struct model_account *account = rows->account;
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	if (!account || !account->critical)
		return err_set(err, ERR_INPUT,
			       "%s: the trace has no account of time, which would be of a program",
			       name);
	for (size_t i = 0; i < account->process_count; i++) {
		if (i == NAMES_IN_MESSAGE) {
			strbuf_printf(&names, " and %zu more", account->process_count - i);
			break;
		}
		strbuf_printf(&names, "%s%s %u", i > 0 ? ", " : "",
			      rows->comms.items[account->processes[i].comm],
			      account->processes[i].pid);
	}
	return err_set(err, ERR_INPUT,
		       "%s: no program of that name or process id in the trace; it "
		       "has %s",
		       name, strbuf_text(&names));
}

bool analysis_create(struct trace *trace, const struct correlate_options *options,
		     struct analysis **ret_analysis, struct err *err)
{
	CLEANUP(analysis_destroyp) struct analysis *run = xcalloc(1, sizeof(*run));
	struct model *model = run->model = xcalloc(1, sizeof(*model));
	uint32_t page_size = trace->meta.page_size;

	run->trace = trace;
	run->options = *options;
	if (!(options->needs & NEED_IO) && only_of_ios(options->filter))
		return err_set(err, ERR_INPUT,
			       "%s: only operations of storage have it (analyze --io)",
			       only_of_ios(options->filter));
	if (page_size < 1024 || (page_size & (page_size - 1)))
		return err_set(err, ERR_INPUT,
			       "%s: page size %u in its meta chunk is not a power "
			       "of two of at least 1024",
			       trace->path, page_size);

	stolen_find(trace);
	take_notes(model, trace);
	describe_trace(model, trace);
	marks_fill(model, trace);
	if (!window_choose(options, trace, model, err))
		return false;
	run->objects = objects_create(trace, options->debug_dir, options->depot, &model->notes);
	run->processes =
		processes_create(&run->arena, run->objects, page_size, run->trace->meta.start_ns);
	run->instructions = instructions_create();
	if (!narrow_open(&run->narrowing, options, trace, run->objects, err))
		return false;
	answer_all(run);
	if (options->program && !(model->account && model->account->subject.is_chosen))
		return no_such_program(options->program, &run->rows, err);
	if (!narrow_choose(&run->narrowing, options, run->objects, err))
		return false;
	counts_describe(model, trace, run->processes);
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
