// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/lives.h"

#include "base/hash.h"
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/** Replaying under way. */
struct replay {
	const struct trace *trace;
	struct rows *rows;
	struct lives *lives;
	// The moments of the trace's pauses and samples; NULL: they have no stack.
	const struct model_fault **of_pause, **of_sample;
	uint8_t *of_fault;     // by sample: as faultsamples_find() says
	VEC(uint32_t) last;    // of each process: a life, plus one
	struct u64map threads; // tid -> its last life, plus one
	struct u64map by_pid;  // pid -> its last process, plus one
	struct u64map comms;   // hash of a name -> rows.comms

	// Of the command's first thread before its exec.
	bool has_before;
	struct trace_pause before;
};

static struct life *life_of(struct replay *replay, uint32_t tid)
{
	const uint32_t *index = u64map_get(&replay->threads, tid);
	struct life *life = index && *index ? &replay->lives->list.items[*index - 1] : NULL;

	return life && life->is_open ? life : NULL;
}

static struct model_process_times *process_of(struct replay *replay, uint32_t pid)
{
	const uint32_t *index = u64map_get(&replay->by_pid, pid);

	if (!index || *index == 0 || *index > replay->lives->processes.count)
		return NULL;
	return &replay->lives->processes.items[*index - 1];
}

static uint32_t comm_row(struct replay *replay, const char *name)
{
	struct rows *rows = replay->rows;
	bool is_new;
	uint32_t *row = u64map_put(&replay->comms, hash_text(0, name), &is_new);

	if (is_new || strcmp(rows->comms.items[*row], name) != 0) {
		*row = (uint32_t)rows->comms.count;
		vec_push(&rows->comms, arena_strdup(&rows->model->arena, name));
	}
	return *row;
}

/** Names of threads that faulted have a row. */
static void learn_comms(struct replay *replay)
{
	for (size_t i = 0; i < replay->rows->comms.count; i++)
		*u64map_put(&replay->comms, hash_text(0, replay->rows->comms.items[i]), NULL) =
			(uint32_t)i;
}

static struct model_process_times *begin_process(struct replay *replay, uint32_t pid,
						 uint32_t parent, uint64_t time_ns, uint32_t comm)
{
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): none is null after a push
	vec_push(&replay->lives->processes, (struct model_process_times){
						    .pid = pid,
						    .parent_pid = parent,
						    .comm = comm,
						    .start_ns = time_ns,
						    .end_ns = time_ns,
					    });
	vec_push(&replay->last, 0);
	*u64map_put(&replay->by_pid, pid, NULL) = (uint32_t)replay->lives->processes.count;
	return &replay->lives->processes.items[replay->lives->processes.count - 1];
}

/** A life that begins at @time_ns keeps what it does by the edges of the window, if that is asked
 * for, and may have a part in it. */
static struct life_cut *cuts_new(const struct replay *replay, uint64_t time_ns)
{
	const struct model_window *window = &replay->rows->model->window;
	const uint64_t start_ns = replay->trace->meta.start_ns;
	const struct range times = model_window_times(window, start_ns);

	if (!window->is_set || trace_since(time_ns, start_ns) >= model_window_end(window))
		return NULL;
	struct life_cut *cuts = arena_array(&replay->rows->model->arena, LIFE_EDGES, sizeof(*cuts));

	cuts[LIFE_FROM].time_ns = times.start;
	cuts[LIFE_UNTIL].time_ns = times.end;
	return cuts;
}

/** @task: MODEL_NONE: one that begins now. */
static struct life *begin_life(struct replay *replay, uint32_t pid, uint32_t tid, uint64_t time_ns,
			       uint32_t task)
{
	if (!process_of(replay, pid))
		begin_process(replay, pid, 0, time_ns, MODEL_NONE);
	if (task == MODEL_NONE) {
		task = (uint32_t)replay->lives->tasks.count;
		vec_push(&replay->lives->tasks, (struct task){ 0 });
	}

	uint32_t process = *u64map_get(&replay->by_pid, pid) - 1;

	replay->lives->processes.items[process].thread_count++;
	vec_push(&replay->lives->list,
		 (struct life){
			 .pid = pid,
			 .tid = tid,
			 .process = process,
			 .task = task,
			 .start_ns = time_ns,
			 .end_ns = time_ns,
			 .until_ns = time_ns,
			 .fault_end_ns = time_ns,
			 .before = replay->last.items[process],
			 .is_open = true,
			 .is_user_only = replay->trace->meta.samples_user_only,
			 .sample_ns = replay->trace->meta.costs_ns[TRACE_COST_SAMPLE],
			 .cuts = cuts_new(replay, time_ns),
		 });
	computed_begin(&replay->lives->list.items[replay->lives->list.count - 1],
		       MODEL_INITIATOR_UNKNOWN);
	replay->last.items[process] = (uint32_t)replay->lives->list.count;
	*u64map_put(&replay->threads, tid, NULL) = (uint32_t)replay->lives->list.count;
	return &replay->lives->list.items[replay->lives->list.count - 1];
}

/** Nothing more is known of it; its task has run as long as it has. */
static void end_life(struct replay *replay, struct life *life, uint64_t time_ns)
{
	struct task *task = &replay->lives->tasks.items[life->task];

	life_end(life, &replay->rows->model->arena, time_ns);
	task->account_cpu_ns += life->times.ns[MODEL_STATE_CPU] + life->times.ns[MODEL_STATE_FAULT];
	// So far all recording is the recorder's own running, for which the thread waited.
	task->account_delay_ns +=
		life->times.ns[MODEL_STATE_RUNNABLE] + life->times.ns[MODEL_STATE_RECORDING];
}

/** The life that an event of thread @tid belongs to; NULL: none that is looked at. */
static struct life *life_at(struct replay *replay, uint32_t pid, uint32_t tid)
{
	struct life *life = life_of(replay, tid);

	if (life && life->pid == pid)
		return life;
	// It has just ended, or is the recorder's child before its exec.
	if (u64map_get(&replay->threads, tid) || !replay->trace->meta.attached)
		return NULL;
	return begin_life(replay, pid, tid, replay->trace->meta.start_ns, MODEL_NONE);
}

// ---- Events ---------------------------------------------------------------------------------

/** The kernel's count of the command's first thread when it executed its program. */
static void count_before(struct replay *replay, struct task *task, uint64_t exec_ns)
{
	const struct trace_pause *before = &replay->before;

	if (!replay->has_before || before->back_ns > exec_ns)
		return;
	task->is_whole = true;
	task->from_cpu_ns = before->runtime_ns + (exec_ns - before->back_ns);
	task->from_delay_ns = before->delay_ns + (before->back_ns - before->woken_ns);
}

static void end_lives(struct replay *replay, size_t process, uint64_t time_ns)
{
	for (uint32_t at = replay->last.items[process]; at > 0;
	     at = replay->lives->list.items[at - 1].before)
		if (replay->lives->list.items[at - 1].is_open)
			end_life(replay, &replay->lives->list.items[at - 1], time_ns);
}

/** All threads of the process end but the one that executes, which has the process's number now. */
static void take_exec(struct replay *replay, const struct trace_task *event)
{
	struct life *own = life_of(replay, event->pid);
	const struct model_process_times *process = process_of(replay, event->pid);
	uint32_t task = own ? own->task : MODEL_NONE, parent = process ? process->parent_pid : 0;

	if (process)
		end_lives(replay, (size_t)(process - replay->lives->processes.items),
			  event->time_ns);
	begin_process(replay, event->pid, parent, event->time_ns, comm_row(replay, event->comm));
	computed_begin(begin_life(replay, event->pid, event->pid, event->time_ns, task),
		       MODEL_EXEC);
	if (!process && event->pid == replay->trace->meta.root_pid)
		count_before(replay, &replay->lives->tasks.items[replay->lives->tasks.count - 1],
			     event->time_ns);
}

static void take_fork(struct replay *replay, const struct trace_task *event)
{
	struct life *old = life_of(replay, event->tid);
	const struct model_process_times *parent = process_of(replay, event->parent_pid);

	if (old)
		end_life(replay, old, old->until_ns);
	if (event->pid != event->parent_pid)
		begin_process(replay, event->pid, event->parent_pid, event->time_ns,
			      parent ? parent->comm : MODEL_NONE);

	struct life *life = begin_life(replay, event->pid, event->tid, event->time_ns, MODEL_NONE);

	life->is_born = true;
	replay->lives->tasks.items[life->task].is_whole = true;
}

static void take_task(struct replay *replay, const struct trace_task *event)
{
	struct model_process_times *process;
	struct life *life;

	switch (event->kind) {
	case TRACE_TASK_FORK:
		take_fork(replay, event);
		break;
	case TRACE_TASK_EXEC:
		take_exec(replay, event);
		break;
	case TRACE_TASK_COMM:
		// One that is off all along has ended here already.
		life_at(replay, event->pid, event->tid);
		process = process_of(replay, event->pid);
		if (process && event->tid == event->pid)
			process->comm = comm_row(replay, event->comm);
		break;
	case TRACE_TASK_EXIT:
		life = life_of(replay, event->tid);
		if (life)
			life_exit(life, event->time_ns);
		break;
	}
}

static void take_fault(struct replay *replay, struct model_fault *fault)
{
	struct arena *arena = &replay->rows->model->arena;
	uint64_t start = fault->time_ns + replay->trace->meta.start_ns, end;
	const struct model_thread *thread = &replay->rows->threads.items[fault->thread];
	struct life *life = life_at(replay, thread->pid, thread->tid);

	if (life) {
		replay->lives->processes.items[life->process].faults +=
			model_window_has(&replay->rows->model->window, fault->time_ns);
		replay->lives->timed += fault->has_duration;
		replay->lives->untimed += !fault->has_duration && fault->has_ip;
	}
	if (!fault->has_duration) {
		if (life)
			computed_forget(life);
		return;
	}
	if (life && !__builtin_add_overflow(start, fault->duration_ns, &end))
		life_take_fault(life, arena, fault, start, end);
	else
		fault->time = arena_array(arena, 1, sizeof(*fault->time)); // in no account
}

/** A file was mapped to be run: by exec, by the loader, or by whoever asked that for more. */
static void take_mapping(struct replay *replay, const struct trace_mapping *mapping)
{
	struct life *life = life_of(replay, mapping->tid);

	if (life && life->pid == mapping->pid && mapping->inode != 0 &&
	    (mapping->protection & PROT_EXEC) && life->computed.initiator != MODEL_LOADER)
		computed_forget(life);
}

static enum model_initiator initiator_of(const struct model_fault *moment)
{
	return moment ? (enum model_initiator)moment->initiator : MODEL_INITIATOR_UNKNOWN;
}

static bool is_exec(const struct trace_pause *pause)
{
	enum { EXECVE = 59, EXECVEAT = 322 }; // x86-64's, of which the recorder is

	return (pause->flags & TRACE_PAUSE_HAS_CALL) &&
	       (pause->call == EXECVE || pause->call == EXECVEAT);
}

static void take_sample(struct replay *replay, const struct trace_sample *sample)
{
	struct life *life = life_at(replay, sample->pid, sample->tid);

	size_t index = (size_t)(sample - replay->trace->samples.items);
	enum model_initiator initiator = initiator_of(replay->of_sample[index]);

	if (life && replay->of_fault[index]) {
		computed_sample(life, replay->of_fault[index] - 1, sample->period_ns, true);
		replay->lives->fault_samples++;
		return;
	}
	if (life && life_take_sample(life, sample, initiator))
		replay->lives->samples[index] = (struct lives_moment){
			.life = (uint32_t)(life - replay->lives->list.items) + 1,
			.part = { .state = MODEL_STATE_CPU, .initiator = initiator },
		};
}

static void take_last(struct replay *replay, struct life *life, const struct trace_pause *pause)
{
	struct task *task = &replay->lives->tasks.items[life->task];

	task->has_end = true;
	task->has_delay = pause->flags & TRACE_PAUSE_HAS_DELAY;
	task->cpu_ns = pause->runtime_ns;
	task->delay_ns = pause->delay_ns;
	end_life(replay, life, pause->time_ns);
}

static void take_pause(struct replay *replay, const struct trace_pause *pause)
{
	bool is_root = pause->tid == replay->trace->meta.root_pid;
	struct life *life = life_at(replay, pause->pid, pause->tid);

	if (!life) {
		// The kernel's counts are in its own pauses, not in one that a hypervisor made.
		is_root &= !(pause->flags & TRACE_PAUSE_STOLEN);
		if (is_root && !replay->has_before) {
			replay->before = *pause;
			replay->has_before = true;
		} else if (is_root && pause->back_ns > replay->before.back_ns) {
			replay->before = *pause;
		}
		return;
	}
	if (pause->flags & TRACE_PAUSE_LAST) {
		take_last(replay, life, pause);
		return;
	}
	// What a thread does that has told its exit is not known.
	if (life->is_ending && (pause->flags & TRACE_PAUSE_OPEN))
		return;

	uint64_t start = pause->time_ns;
	// Its first: it has not run yet since it was made.
	bool is_new = life->is_born && pause->runtime_ns == 0 && life->until_ns == life->start_ns &&
		      (pause->flags & (TRACE_PAUSE_PREEMPTED | TRACE_PAUSE_STOLEN)) ==
			      TRACE_PAUSE_PREEMPTED;

	if (is_new || start < life->until_ns)
		start = life->until_ns;
	const size_t index = (size_t)(pause - replay->trace->pauses.items);
	const struct model_fault *moment = replay->of_pause[index];

	if (is_exec(pause))
		computed_forget(life);
	else if (moment)
		life_see(life, moment, start);
	if (pause->back_ns > start)
		replay->lives->pauses[index] = (struct lives_moment){
			.life = (uint32_t)(life - replay->lives->list.items) + 1,
			.start_ns = start,
			.back_ns = pause->back_ns,
			.part = life_take_pause(life, &replay->rows->model->arena, pause,
						is_exec(pause) ? MODEL_EXEC : initiator_of(moment),
						start, pause->back_ns),
		};
	if (pause->flags & TRACE_PAUSE_STOLEN && pause->back_ns > start)
		replay->lives->tasks.items[life->task].stolen_ns += pause->back_ns - start;
	if (pause->flags & TRACE_PAUSE_OPEN)
		end_life(replay, life, pause->back_ns);
}

// ---- The whole ------------------------------------------------------------------------------

/** The first of the streams at @times that is earliest; its count where all are at their end. */
static size_t earliest(const uint64_t *times, size_t count)
{
	size_t best = count;

	for (size_t i = 0; i < count; i++)
		if (times[i] < UINT64_MAX && (best == count || times[i] < times[best]))
			best = i;
	return best;
}

#define NEXT_NS(list, at) ((at) < (list).count ? (list).items[at].time_ns : UINT64_MAX)

/** In order of time; at equal times a thread begins before its faults, and they before pauses. */
static void take_events(struct replay *replay, struct all_faults *faults)
{
	enum { TASK, MAPPING, FAULT, PAUSE, SAMPLE, STREAMS };
	const struct trace *trace = replay->trace;
	size_t at[STREAMS] = { 0 };

	for (;;) {
		uint64_t fault_ns = NEXT_NS(faults->list, at[FAULT]);
		const uint64_t times[STREAMS] = {
			[TASK] = NEXT_NS(trace->tasks, at[TASK]),
			[MAPPING] = NEXT_NS(trace->mappings, at[MAPPING]),
			[FAULT] =
				fault_ns < UINT64_MAX ? fault_ns + trace->meta.start_ns : fault_ns,
			[PAUSE] = NEXT_NS(trace->pauses, at[PAUSE]),
			[SAMPLE] = NEXT_NS(trace->samples, at[SAMPLE]),
		};

		switch (earliest(times, STREAMS)) {
		case TASK:
			take_task(replay, &trace->tasks.items[at[TASK]++]);
			break;
		case MAPPING:
			take_mapping(replay, &trace->mappings.items[at[MAPPING]++]);
			break;
		case FAULT:
			take_fault(replay, &faults->list.items[at[FAULT]++]);
			break;
		case PAUSE:
			take_pause(replay, &trace->pauses.items[at[PAUSE]++]);
			break;
		case SAMPLE:
			take_sample(replay, &trace->samples.items[at[SAMPLE]++]);
			break;
		default:
			return;
		}
	}
}

/** Those whose end was not told of: the trace is cut, or the recorder was faster. */
static void end_all(struct replay *replay)
{
	uint64_t end_ns = replay->trace->summary.end_ns;

	vec_foreach (life, &replay->lives->list) {
		if (!life->is_open)
			continue;
		replay->lives->unfinished += !life->is_ending;
		end_life(replay, life, life->is_ending ? life->end_ns : end_ns);
	}
}

static void take_moments(struct replay *replay, const struct all_moments *moments)
{
	const struct trace *trace = replay->trace;

	replay->of_pause = xcalloc(trace->pauses.count + 1, sizeof(*replay->of_pause));
	replay->of_sample = xcalloc(trace->samples.count + 1, sizeof(*replay->of_sample));
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];

		(source->is_pause ? replay->of_pause : replay->of_sample)[source->index] =
			&moments->list.items[i];
	}
}

void lives_replay(struct rows *rows, const struct trace *trace, struct all_faults *faults,
		  const struct all_moments *moments, struct lives *ret_lives)
{
	struct replay replay = { .trace = trace, .rows = rows, .lives = ret_lives };

	*ret_lives = (struct lives){
		.samples = xcalloc(trace->samples.count + 1, sizeof(*ret_lives->samples)),
		.pauses = xcalloc(trace->pauses.count + 1, sizeof(*ret_lives->pauses)),
	};
	take_moments(&replay, moments);
	replay.of_fault = faultsamples_find(trace, rows->threads.items, faults);
	learn_comms(&replay);
	take_events(&replay, faults);
	end_all(&replay);
	vec_foreach (process, &ret_lives->processes)
		if (process->comm == MODEL_NONE)
			process->comm = comm_row(&replay, "");
	free(replay.of_pause);
	free(replay.of_sample);
	free(replay.of_fault);
	vec_deinit(&replay.last);
	u64map_deinit(&replay.comms);
	u64map_deinit(&replay.threads);
	u64map_deinit(&replay.by_pid);
}

void lives_deinit(struct lives *lives)
{
	vec_foreach (life, &lives->list)
		computed_deinit(&life->computed);
	vec_deinit(&lives->list);
	vec_deinit(&lives->tasks);
	vec_deinit(&lives->processes);
	free(lives->samples);
	free(lives->pauses);
}
