// SPDX-License-Identifier: Apache-2.0
#include "correlate/account.h"

#include "base/u64map.h"
#include "model/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The life of one thread within one program: an exec ends it, and begins another. */
struct life {
	uint32_t pid, tid;
	uint32_t process; // into account.processes
	uint32_t task;	  // into account.tasks
	uint64_t start_ns, end_ns;
	uint64_t until_ns; // what was before is in a state
	// The fault that it was in last.
	uint64_t fault_end_ns;
	enum model_initiator fault_initiator;
	uint32_t before; // of the same process: a life, plus one; 0: none
	bool is_open;
	bool is_born;	// by a fork, and not by an exec
	bool is_ending; // exit was told of; where its last pause is missing that was its end
	struct model_times times;
	struct model_times by_initiator[MODEL_INITIATORS];
	// Samples of it outside faults: how many, and the time that they stand for.
	uint64_t samples[MODEL_INITIATORS], sampled_ns[MODEL_INITIATORS];
	double cpu_variance[MODEL_INITIATORS]; // in ns^2
};

/** A thread through all programs that it executes, as the kernel counts it. */
struct task {
	bool is_whole; // its count at its beginning is known
	bool has_end;
	bool has_delay;
	uint64_t from_cpu_ns, from_delay_ns;
	uint64_t cpu_ns, delay_ns; // the kernel's at its end
	uint64_t account_cpu_ns, account_delay_ns;
};

struct account {
	const struct trace *trace;
	struct rows *rows;
	uint8_t *of_pause, *of_sample; // initiators of the trace's pauses and samples
	VEC(struct life) lives;
	VEC(struct task) tasks;
	VEC(struct model_process_times) processes;
	VEC(uint32_t) last;    // of each process: a life, plus one
	struct u64map threads; // tid -> its last life, plus one
	struct u64map by_pid;  // pid -> its last process, plus one
	struct u64map comms;   // hash of a name -> rows.comms
	uint64_t untimed;      // faults without a duration, but for those of exec
	uint64_t unfinished;   // lives that ended, nobody knows when

	// Of the command's first thread before its exec.
	bool has_before;
	struct trace_pause before;
};

static void account_deinit(struct account *account)
{
	free(account->of_pause);
	free(account->of_sample);
	vec_deinit(&account->lives);
	vec_deinit(&account->tasks);
	vec_deinit(&account->processes);
	vec_deinit(&account->last);
	u64map_deinit(&account->comms);
	u64map_deinit(&account->threads);
	u64map_deinit(&account->by_pid);
}

static struct life *life_of(struct account *account, uint32_t tid)
{
	const uint32_t *index = u64map_get(&account->threads, tid);
	struct life *life = index && *index ? &account->lives.items[*index - 1] : NULL;

	return life && life->is_open ? life : NULL;
}

static struct model_process_times *process_of(struct account *account, uint32_t pid)
{
	const uint32_t *index = u64map_get(&account->by_pid, pid);

	if (!index || *index == 0 || *index > account->processes.count)
		return NULL;
	return &account->processes.items[*index - 1];
}

static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325; // FNV-1a

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash;
}

static uint32_t comm_row(struct account *account, const char *name)
{
	struct rows *rows = account->rows;
	bool is_new;
	uint32_t *row = u64map_put(&account->comms, hash_name(name), &is_new);

	if (is_new || strcmp(rows->comms.items[*row], name) != 0) {
		*row = (uint32_t)rows->comms.count;
		vec_push(&rows->comms, rows_keep(rows, name));
	}
	return *row;
}

/** Names of threads that faulted have a row. */
static void learn_comms(struct account *account)
{
	for (size_t i = 0; i < account->rows->comms.count; i++)
		*u64map_put(&account->comms, hash_name(account->rows->comms.items[i]), NULL) =
			(uint32_t)i;
}

static struct model_process_times *begin_process(struct account *account, uint32_t pid,
						 uint32_t parent, uint64_t time_ns, uint32_t comm)
{
	// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): none is null after a push
	vec_push(&account->processes, (struct model_process_times){
					      .pid = pid,
					      .parent_pid = parent,
					      .comm = comm,
					      .start_ns = time_ns,
					      .end_ns = time_ns,
				      });
	vec_push(&account->last, 0);
	*u64map_put(&account->by_pid, pid, NULL) = (uint32_t)account->processes.count;
	return &account->processes.items[account->processes.count - 1];
}

/** @task: MODEL_NONE: one that begins now. */
static struct life *begin_life(struct account *account, uint32_t pid, uint32_t tid,
			       uint64_t time_ns, uint32_t task)
{
	if (!process_of(account, pid))
		begin_process(account, pid, 0, time_ns, MODEL_NONE);
	if (task == MODEL_NONE) {
		task = (uint32_t)account->tasks.count;
		vec_push(&account->tasks, (struct task){ 0 });
	}

	uint32_t process = *u64map_get(&account->by_pid, pid) - 1;

	account->processes.items[process].thread_count++;
	vec_push(&account->lives, (struct life){
					  .pid = pid,
					  .tid = tid,
					  .process = process,
					  .task = task,
					  .start_ns = time_ns,
					  .end_ns = time_ns,
					  .until_ns = time_ns,
					  .fault_end_ns = time_ns,
					  .before = account->last.items[process],
					  .is_open = true,
				  });
	account->last.items[process] = (uint32_t)account->lives.count;
	*u64map_put(&account->threads, tid, NULL) = (uint32_t)account->lives.count;
	return &account->lives.items[account->lives.count - 1];
}

static void add(struct life *life, enum model_state state, enum model_initiator initiator,
		uint64_t ns)
{
	life->times.ns[state] += ns;
	life->by_initiator[initiator].ns[state] += ns;
}

static void take(struct life *life, enum model_state state, enum model_initiator initiator,
		 uint64_t ns)
{
	life->times.ns[state] -= ns;
	life->by_initiator[initiator].ns[state] -= ns;
}

/**
 * Divide the time that it computed as its samples divide. Each thread by itself: the clock may go
 * slower for some.
 */
static void divide_cpu(struct life *life, uint64_t cpu_ns)
{
	uint64_t count = 0, sampled = 0, left = cpu_ns;

	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		count += life->samples[i];
		if (__builtin_add_overflow(sampled, life->sampled_ns[i], &sampled))
			count = sampled = 0;
	}
	for (enum model_initiator i = 0; i < MODEL_INITIATORS && sampled > 0; i++) {
		double share = (double)life->sampled_ns[i] / (double)sampled;
		// As if each had one more sample: one that was never met may still be there.
		double likely = ((double)life->samples[i] + 1) / ((double)count + 2);
		uint64_t part = (uint64_t)(share * (double)cpu_ns);

		if (life->samples[i] == 0)
			continue;
		part = part < left ? part : left;
		left -= part;
		add(life, MODEL_STATE_CPU, i, part);
		life->cpu_variance[i] = (double)cpu_ns * (double)cpu_ns * likely * (1 - likely) /
					((double)count + 2);
	}
	// What rounding leaves, or all of it.
	enum model_initiator rest = MODEL_INITIATOR_UNKNOWN;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS && sampled > 0; i++)
		if (life->sampled_ns[i] > life->sampled_ns[rest])
			rest = i;
	add(life, MODEL_STATE_CPU, rest, left);
}

/** Nothing more is known of it: what is left of its life it ran. */
static void end_life(struct account *account, struct life *life, uint64_t time_ns)
{
	struct task *task = &account->tasks.items[life->task];
	uint64_t known = 0;

	if (time_ns < life->until_ns)
		time_ns = life->until_ns;
	// A fault that did not complete in time.
	if (life->fault_end_ns > time_ns)
		take(life, MODEL_STATE_FAULT, life->fault_initiator, life->fault_end_ns - time_ns);
	life->end_ns = time_ns;
	life->is_open = false;
	for (size_t i = 0; i < MODEL_STATES; i++)
		known += life->times.ns[i];
	divide_cpu(life, time_ns - life->start_ns - known);
	task->account_cpu_ns += life->times.ns[MODEL_STATE_CPU] + life->times.ns[MODEL_STATE_FAULT];
	task->account_delay_ns += life->times.ns[MODEL_STATE_RUNNABLE];
}

/** The life that an event of thread @tid belongs to; NULL: none that is looked at. */
static struct life *life_at(struct account *account, uint32_t pid, uint32_t tid)
{
	struct life *life = life_of(account, tid);

	if (life && life->pid == pid)
		return life;
	// It has just ended, or is the recorder's child before its exec.
	if (u64map_get(&account->threads, tid) || !account->trace->meta.attached)
		return NULL;
	return begin_life(account, pid, tid, account->trace->meta.start_ns, MODEL_NONE);
}

// ---- Events ---------------------------------------------------------------------------------

/** The kernel's count of the command's first thread when it executed its program. */
static void count_before(struct account *account, struct task *task, uint64_t exec_ns)
{
	const struct trace_pause *before = &account->before;

	if (!account->has_before || before->back_ns > exec_ns)
		return;
	task->is_whole = true;
	task->from_cpu_ns = before->runtime_ns + (exec_ns - before->back_ns);
	task->from_delay_ns = before->delay_ns + (before->back_ns - before->woken_ns);
}

static void end_lives(struct account *account, size_t process, uint64_t time_ns)
{
	for (uint32_t at = account->last.items[process]; at > 0;
	     at = account->lives.items[at - 1].before)
		if (account->lives.items[at - 1].is_open)
			end_life(account, &account->lives.items[at - 1], time_ns);
}

/** All threads of the process end but the one that executes, which has the process's number now. */
static void take_exec(struct account *account, const struct trace_task *event)
{
	struct life *own = life_of(account, event->pid);
	const struct model_process_times *process = process_of(account, event->pid);
	uint32_t task = own ? own->task : MODEL_NONE, parent = process ? process->parent_pid : 0;

	if (process)
		end_lives(account, (size_t)(process - account->processes.items), event->time_ns);
	begin_process(account, event->pid, parent, event->time_ns, comm_row(account, event->comm));
	begin_life(account, event->pid, event->pid, event->time_ns, task);
	if (!process && event->pid == account->trace->meta.root_pid)
		count_before(account, &account->tasks.items[account->tasks.count - 1],
			     event->time_ns);
}

static void take_fork(struct account *account, const struct trace_task *event)
{
	struct life *old = life_of(account, event->tid);
	const struct model_process_times *parent = process_of(account, event->parent_pid);

	if (old)
		end_life(account, old, old->until_ns);
	if (event->pid != event->parent_pid)
		begin_process(account, event->pid, event->parent_pid, event->time_ns,
			      parent ? parent->comm : MODEL_NONE);

	struct life *life = begin_life(account, event->pid, event->tid, event->time_ns, MODEL_NONE);

	life->is_born = true;
	account->tasks.items[life->task].is_whole = true;
}

static void take_task(struct account *account, const struct trace_task *event)
{
	struct model_process_times *process;
	struct life *life;

	switch (event->kind) {
	case TRACE_TASK_FORK:
		take_fork(account, event);
		break;
	case TRACE_TASK_EXEC:
		take_exec(account, event);
		break;
	case TRACE_TASK_COMM:
		// One that is off all along has ended here already.
		life_at(account, event->pid, event->tid);
		process = process_of(account, event->pid);
		if (process && event->tid == event->pid)
			process->comm = comm_row(account, event->comm);
		break;
	case TRACE_TASK_EXIT:
		life = life_of(account, event->tid);
		if (!life)
			break;
		life->is_ending = true;
		life->end_ns = event->time_ns;
		break;
	}
}

static void take_fault(struct account *account, const struct model_fault *fault)
{
	uint64_t start = fault->time_ns + account->trace->meta.start_ns, end;
	const struct model_thread *thread = rows_thread(account->rows, fault);
	struct life *life = life_at(account, thread->pid, thread->tid);

	if (!life)
		return;
	account->processes.items[life->process].faults++;
	if (!fault->has_duration) {
		account->untimed += fault->has_ip;
		return;
	}
	if (__builtin_add_overflow(start, fault->duration_ns, &end))
		return;
	if (start < life->until_ns)
		start = life->until_ns;
	if (start < life->fault_end_ns)
		start = life->fault_end_ns;
	if (end <= start)
		return;
	life->fault_end_ns = end;
	life->fault_initiator = (enum model_initiator)fault->initiator;
	add(life, MODEL_STATE_FAULT, life->fault_initiator, end - start);
}

/** What @pause is, before it was woken. */
static enum model_state state_of(const struct trace_pause *pause, bool in_fault)
{
	if (!(pause->flags & TRACE_PAUSE_STORAGE))
		return MODEL_STATE_WAIT;
	return in_fault ? MODEL_STATE_FAULT_IO : MODEL_STATE_FILE_IO;
}

/** @life is off the processor from @start to @end; what of it is in a fault is not run there. */
static void spend(struct life *life, const struct trace_pause *pause, enum model_initiator of_stack,
		  uint64_t start, uint64_t end)
{
	bool in_fault = start < life->fault_end_ns;
	enum model_initiator initiator = in_fault ? life->fault_initiator : of_stack;
	bool can_go_on = pause->flags & TRACE_PAUSE_PREEMPTED;
	uint64_t woken = can_go_on || pause->woken_ns < start ? start
			 : pause->woken_ns > end	      ? end
							      : pause->woken_ns;

	if (in_fault)
		take(life, MODEL_STATE_FAULT, initiator,
		     (end < life->fault_end_ns ? end : life->fault_end_ns) - start);
	add(life, state_of(pause, in_fault || pause->flags & TRACE_PAUSE_IN_FAULT), initiator,
	    woken - start);
	add(life, MODEL_STATE_RUNNABLE, initiator, end - woken);
	// What of the fault was before it came back is taken away, once.
	if (in_fault && life->fault_end_ns < end)
		life->fault_end_ns = end;
	life->until_ns = end;
}

/** By its stack, or by the call where that says it. */
static enum model_initiator initiator_of(const struct account *account,
					 const struct trace_pause *pause)
{
	enum { EXECVE = 59, EXECVEAT = 322 }; // x86-64's, of which the recorder is

	if ((pause->flags & TRACE_PAUSE_HAS_CALL) &&
	    (pause->call == EXECVE || pause->call == EXECVEAT))
		return MODEL_EXEC;
	return (enum model_initiator)account->of_pause[pause - account->trace->pauses.items];
}

static void take_sample(struct account *account, const struct trace_sample *sample)
{
	struct life *life = life_at(account, sample->pid, sample->tid);
	size_t index = (size_t)(sample - account->trace->samples.items);

	if (!life || sample->time_ns < life->fault_end_ns ||
	    (sample->flags & TRACE_SAMPLE_IN_FAULT))
		return;
	life->samples[account->of_sample[index]]++;
	life->sampled_ns[account->of_sample[index]] += sample->period_ns;
}

static void take_last(struct account *account, struct life *life, const struct trace_pause *pause)
{
	struct task *task = &account->tasks.items[life->task];

	task->has_end = true;
	task->has_delay = pause->flags & TRACE_PAUSE_HAS_DELAY;
	task->cpu_ns = pause->runtime_ns;
	task->delay_ns = pause->delay_ns;
	end_life(account, life, pause->time_ns);
}

static void take_pause(struct account *account, const struct trace_pause *pause)
{
	bool is_root = pause->tid == account->trace->meta.root_pid;
	struct life *life = life_at(account, pause->pid, pause->tid);

	if (!life) {
		if (is_root && !account->has_before) {
			account->before = *pause;
			account->has_before = true;
		} else if (is_root && pause->back_ns > account->before.back_ns) {
			account->before = *pause;
		}
		return;
	}
	if (pause->flags & TRACE_PAUSE_LAST) {
		take_last(account, life, pause);
		return;
	}
	// What a thread does that has told its exit is not known.
	if (life->is_ending && (pause->flags & TRACE_PAUSE_OPEN))
		return;

	uint64_t start = pause->time_ns;
	// Its first: it has not run yet since it was made.
	bool is_new = life->is_born && pause->runtime_ns == 0 && life->until_ns == life->start_ns &&
		      (pause->flags & TRACE_PAUSE_PREEMPTED);

	if (is_new || start < life->until_ns)
		start = life->until_ns;
	if (pause->back_ns > start)
		spend(life, pause, initiator_of(account, pause), start, pause->back_ns);
	if (pause->flags & TRACE_PAUSE_OPEN)
		end_life(account, life, pause->back_ns);
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
static void replay(struct account *account, const struct all_faults *faults)
{
	enum { TASK, FAULT, PAUSE, SAMPLE, STREAMS };
	const struct trace *trace = account->trace;
	size_t at[STREAMS] = { 0 };

	for (;;) {
		uint64_t fault_ns = NEXT_NS(faults->list, at[FAULT]);
		const uint64_t times[STREAMS] = {
			[TASK] = NEXT_NS(trace->tasks, at[TASK]),
			[FAULT] =
				fault_ns < UINT64_MAX ? fault_ns + trace->meta.start_ns : fault_ns,
			[PAUSE] = NEXT_NS(trace->pauses, at[PAUSE]),
			[SAMPLE] = NEXT_NS(trace->samples, at[SAMPLE]),
		};

		switch (earliest(times, STREAMS)) {
		case TASK:
			take_task(account, &trace->tasks.items[at[TASK]++]);
			break;
		case FAULT:
			take_fault(account, &faults->list.items[at[FAULT]++]);
			break;
		case PAUSE:
			take_pause(account, &trace->pauses.items[at[PAUSE]++]);
			break;
		case SAMPLE:
			take_sample(account, &trace->samples.items[at[SAMPLE]++]);
			break;
		default:
			return;
		}
	}
}

/** Those whose end was not told of: the trace is cut, or the recorder was faster. */
static void end_all(struct account *account)
{
	uint64_t end_ns = account->trace->summary.end_ns;

	vec_foreach (life, &account->lives) {
		if (!life->is_open)
			continue;
		account->unfinished += !life->is_ending;
		end_life(account, life, life->is_ending ? life->end_ns : end_ns);
	}
}

static void add_times(struct model_times *to, const struct model_times *from)
{
	for (size_t i = 0; i < MODEL_STATES; i++)
		to->ns[i] += from->ns[i];
}

static uint64_t since_start(const struct account *account, uint64_t time_ns)
{
	uint64_t start_ns = account->trace->meta.start_ns;

	return time_ns > start_ns ? time_ns - start_ns : 0;
}

/** Of a normal distribution, 19 of 20 are within so many deviations. */
static uint64_t error_of(double variance)
{
	return (uint64_t)(1.96 * sqrt(variance));
}

static void add_up(struct account *account, struct model_account *model)
{
	double all[MODEL_INITIATORS] = { 0 }, main[MODEL_INITIATORS] = { 0 };
	uint32_t root = account->trace->meta.root_pid;

	vec_foreach (life, &account->lives) {
		struct model_process_times *process = &account->processes.items[life->process];
		bool is_main = life->pid == root && life->tid == root;

		add_times(&process->all, &life->times);
		add_times(&model->all, &life->times);
		if (life->tid == life->pid)
			add_times(&process->main, &life->times);
		if (is_main) {
			model->wall_ns += life->end_ns - life->start_ns;
			add_times(&model->main, &life->times);
		}
		if (life->end_ns > process->end_ns)
			process->end_ns = life->end_ns;
		for (size_t i = 0; i < MODEL_INITIATORS; i++) {
			add_times(&model->by_initiator[i], &life->by_initiator[i]);
			all[i] += life->cpu_variance[i];
			if (!is_main)
				continue;
			add_times(&model->main_by_initiator[i], &life->by_initiator[i]);
			main[i] += life->cpu_variance[i];
		}
	}
	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		model->cpu_error_ns[i] = error_of(all[i]);
		model->main_cpu_error_ns[i] = error_of(main[i]);
	}
	vec_foreach (process, &account->processes) {
		process->start_ns = since_start(account, process->start_ns);
		process->end_ns = since_start(account, process->end_ns);
		if (process->comm == MODEL_NONE)
			process->comm = comm_row(account, "");
	}
}

static void check(const struct account *account, struct model_time_check *check)
{
	vec_foreach (task, &account->tasks) {
		if (!task->is_whole || !task->has_end || task->cpu_ns < task->from_cpu_ns)
			continue;
		check->is_known = true;
		check->kernel_cpu_ns += task->cpu_ns - task->from_cpu_ns;
		check->account_cpu_ns += task->account_cpu_ns;
		if (!task->has_delay || task->delay_ns < task->from_delay_ns)
			continue;
		check->kernel_runnable_ns += task->delay_ns - task->from_delay_ns;
		check->account_runnable_ns += task->account_delay_ns;
	}
}

/**
 * Whether the kernel counts as much: else a pause is missing, or a hypervisor took the time. At a
 * switch its clock is of when the scheduler began, before it looked for work elsewhere.
 */
static bool agrees(const struct model_time_check *check, uint64_t pauses)
{
	enum { PERCENT = 3, LEAST_NS = 2000000, SWITCH_NS = 50000 };
	uint64_t more = check->account_cpu_ns > check->kernel_cpu_ns
				? check->account_cpu_ns - check->kernel_cpu_ns
				: 0;

	return more <= LEAST_NS + pauses * SWITCH_NS ||
	       more <= check->kernel_cpu_ns / 100 * PERCENT;
}

static void note(const struct account *account, struct notes *notes)
{
	notes_add_counted(notes, account->trace->summary.pauses_lost,
			  "a pause of a thread was lost: the time counts as cpu");
	notes_add_counted(notes, account->trace->summary.samples_lost,
			  "a sample of the processor was lost: cpu is divided by the others");
	notes_add_counted(notes, account->untimed,
			  "a fault has no known duration: its time counts as cpu");
	notes_add_counted(notes, account->unfinished,
			  "the end of a thread is missing: it counts as running until the end");
}

static void take_initiators(struct account *account, const struct all_moments *moments)
{
	const struct trace *trace = account->trace;

	account->of_pause = xcalloc(trace->pauses.count + 1, 1);
	account->of_sample = xcalloc(trace->samples.count + 1, 1);
	memset(account->of_pause, MODEL_INITIATOR_UNKNOWN, trace->pauses.count);
	memset(account->of_sample, MODEL_INITIATOR_UNKNOWN, trace->samples.count);
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];

		(source->is_pause ? account->of_pause : account->of_sample)[source->index] =
			moments->list.items[i].initiator;
	}
}

void account_fill(struct rows *rows, const struct trace *trace, const struct all_faults *faults,
		  const struct all_moments *moments)
{
	struct account account = { .trace = trace, .rows = rows };
	struct arena *arena = &rows->model->arena;
	const struct trace_summary *summary = &trace->summary;

	if (!trace->meta.has_pauses)
		return;
	take_initiators(&account, moments);
	learn_comms(&account);
	replay(&account, faults);
	end_all(&account);

	struct model_account *model = arena_array(arena, 1, sizeof(*model));
	size_t count = account.processes.count;

	add_up(&account, model);
	check(&account, &model->check);

	const bool is_confirmed = agrees(&model->check, trace->pauses.count);

	model->complete = trace->complete && summary->lost == 0 && summary->lost_other == 0 &&
			  summary->pauses_lost == 0 && account.untimed == 0 &&
			  account.unfinished == 0 && is_confirmed;
	model->pauses_lost = summary->pauses_lost;
	model->samples = trace->samples.count;
	model->samples_lost = summary->samples_lost;
	model->process_count = count;
	if (count > 0) {
		struct model_process_times *processes =
			arena_array(arena, count, sizeof(*processes));

		memcpy(processes, account.processes.items, count * sizeof(*processes));
		model->processes = processes;
	}
	note(&account, &rows->model->notes);
	if (!is_confirmed)
		notes_add(
			&rows->model->notes,
			"the kernel counts less time on the processor than the account: pauses are"
			" missing, or a hypervisor took the time; it counts as cpu");
	rows->model->account = model;
	account_deinit(&account);
}
