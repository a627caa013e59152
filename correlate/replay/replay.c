// SPDX-License-Identifier: Apache-2.0
// Replays a trace in time order, so that every fault meets the mappings of its own moment.
#include "correlate/replay/replay.h"

#include "base/cleanup.h"
#include "correlate/replay/attribute.h"
#include "correlate/replay/builder.h"
#include "correlate/replay/events.h"
#include "correlate/replay/stacks.h"
#include "model/needs.h"
#include "trace/living.h"

/** The replay has the builder: when it has ended, nobody can add rows. */
struct replay {
	struct trace *trace;
	struct processes *processes;
	struct stacks *stacks;
	struct access_decoder *decoder;
	struct builder builder;
	struct attribution attribution;
	size_t task, mapping, remap, prefault, open, flush; // events that come next
	struct prefaults prefaults;
	struct opens opens;
	struct filepages pages;
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
	vec_deinit(&replay->opens.list);
	filepages_deinit(&replay->pages);
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
	vec_push(&replay->builder.faults.program_ns,
		 from->program_ns < UINT16_MAX ? (uint16_t)from->program_ns : UINT16_MAX);
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
	const uint64_t time_ns = trace_since(from->time_ns, replay->trace->meta.start_ns);

	if (!model_window_has(&replay->builder.rows.model->window, time_ns))
		return;
	prefaults_add(&replay->prefaults, replay->attribution.objects, process->aspace, from,
		      trace_call_name(replay->trace, from->call), replay->attribution.page_size);
}

/** Replay the next open: whether the linker made it follows from what is mapped now. */
static void replay_open(struct replay *replay)
{
	const struct trace_open *from = &replay->trace->opens.items[replay->open++];
	const struct process *process = processes_get(replay->processes, from->pid);
	size_t count;

	opens_add(&replay->opens, replay->attribution.objects, process,
		  &processes_programs(replay->processes, &count)[process->program], from);
}

/** Replay the next flush: what was given back is gone for whatever faults later. */
static void replay_flush(struct replay *replay)
{
	const struct trace_flush *from = &replay->trace->flushes.items[replay->flush++];

	filepages_flush(&replay->pages, from, processes_get(replay->processes, from->pid)->aspace);
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
		uint64_t open_ns = NEXT_TIME(trace->opens, replay->open);
		uint64_t flush_ns = NEXT_TIME(trace->flushes, replay->flush);

		if (remap_ns < first)
			first = remap_ns;
		if (prefault_ns < first)
			first = prefault_ns;
		if (open_ns < first)
			first = open_ns;
		if (flush_ns < first)
			first = flush_ns;
		if (first > time_ns || first == UINT64_MAX)
			return;
		if (task_ns == first)
			processes_task(replay->processes, &trace->tasks.items[replay->task++]);
		else if (mapping_ns == first)
			processes_map(replay->processes, &trace->mappings.items[replay->mapping++]);
		else if (remap_ns == first)
			processes_remap(replay->processes, &trace->remaps.items[replay->remap++]);
		else if (prefault_ns == first)
			replay_prefault(replay);
		else if (open_ns == first)
			replay_open(replay);
		else
			replay_flush(replay);
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
	if (trace->opens.count > 0)
		replay_changes(replay, trace->opens.items[trace->opens.count - 1].time_ns);
	while (replay->task < trace->tasks.count)
		processes_task(replay->processes, &trace->tasks.items[replay->task++]);
}

uint64_t replay_trace(const struct replay_request *request, struct rows *ret_rows,
		      struct all_faults *ret_faults, struct all_moments *ret_moments)
{
	struct trace *trace = request->trace;
	CLEANUP(replay_deinit)
	struct replay replay = {
		.trace = trace,
		.processes = request->processes,
		.stacks = stacks_create(trace),
		.decoder = access_decoder_create(request->instructions),
		.thread = MODEL_NONE,
		.moment = { .trace = trace },
		.moments = ret_moments,
		.uses = request->needs & NEED_FILE_USES ? request->uses : NULL,
	};

	filepages_init(&replay.pages, trace, &request->model->window);
	builder_init(&replay.builder, request->model, request->objects, request->demangle);
	replay.builder.rows.has_functions = request->needs & NEED_FUNCTIONS;
	replay.builder.rows.has_owners = request->needs & NEED_OWNERS;
	replay.builder.rows.has_owner_sources = request->needs & NEED_SOURCES;
	replay.builder.rows.faults_only = !(request->needs & NEED_TABLES);
	replay.attribution = (struct attribution){
		.builder = &replay.builder,
		.objects = request->objects,
		.decoder = replay.decoder,
		.pages = &replay.pages,
		.page_size = trace->meta.page_size,
		.start_ns = trace->meta.start_ns,
	};
	// The end of a task may be among what was lost. What the kernel counted of an attached
	// process was read while it ran.
	if (trace->summary.has_rusage && trace->summary.lost_other == 0 &&
	    trace->meta.command_count > 0)
		request->model->counts.living = living_faults(trace);
	request->uses->is_exact = fileuses_is_exact(trace);
	replay_events(&replay, request->keeps_trace);
	if (replay.uses)
		fileuses_headers(replay.uses, request->objects, trace);
	filepages_end(&replay.pages);
	request->model->counts.has_read_again = trace->meta.has_storage;
	request->model->counts.read_again_bytes = replay.pages.read_again * trace->meta.page_size;
	processes_end(request->processes);
	prefaults_fill(&replay.prefaults, request->model);
	opens_fill(&replay.opens, trace, request->model);
	builder_close(&replay.builder, request->needs & NEED_SOURCES, ret_rows, ret_faults);
	return replay.attribution.inferred_mechanisms;
}
