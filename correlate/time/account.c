// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/account.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/u64map.h"
#include "correlate/time/timeline.h"

#include <string.h>

static void add_up(const struct trace *trace, struct lives *lives, struct model_account *model)
{
	double all[MODEL_INITIATORS] = { 0 }, main[MODEL_INITIATORS] = { 0 };
	uint32_t root = trace->meta.root_pid;

	vec_foreach (life, &lives->list) {
		struct model_process_times *process = &lives->processes.items[life->process];
		bool is_main = life->pid == root && life->tid == root;

		model->bracketed_ns += life->bracketed_ns;
		model->exit_ns += life->exit_ns;
		model_times_add(&process->all, &life->times);
		model_times_add(&model->all, &life->times);
		if (life->tid == life->pid)
			model_times_add(&process->main, &life->times);
		if (is_main) {
			model->wall_ns += life->end_ns - life->start_ns;
			model_times_add(&model->main, &life->times);
		}
		if (life->end_ns > process->end_ns)
			process->end_ns = life->end_ns;
		for (size_t i = 0; i < MODEL_INITIATORS; i++) {
			model_times_add(&model->by_initiator[i], &life->by_initiator[i]);
			all[i] += life->cpu_variance[i];
			if (!is_main)
				continue;
			model_times_add(&model->main_by_initiator[i], &life->by_initiator[i]);
			main[i] += life->cpu_variance[i];
		}
	}
	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		model->cpu_error_ns[i] = model_error_ns(all[i]);
		model->main_cpu_error_ns[i] = model_error_ns(main[i]);
	}
	vec_foreach (process, &lives->processes) {
		process->start_ns = trace_since(process->start_ns, trace->meta.start_ns);
		process->end_ns = trace_since(process->end_ns, trace->meta.start_ns);
	}
}

/** Times by cause, before they are kept as cells. */
struct spread {
	struct model_times times[MODEL_INITIATORS];
	double variance[MODEL_INITIATORS];
};

static void spread_life(struct spread *to, const struct life *life)
{
	for (size_t i = 0; i < MODEL_INITIATORS; i++) {
		model_times_add(&to->times[i], &life->by_initiator[i]);
		to->variance[i] += life->cpu_variance[i];
	}
}

static struct model_cells keep_cells(struct arena *arena, const struct spread *from)
{
	struct model_cell cells[MODEL_STATES * MODEL_INITIATORS];
	size_t count = 0;

	for (enum model_state state = 0; state < MODEL_STATES; state++)
		for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
			const bool is_cpu = state == MODEL_STATE_CPU;

			if (from->times[i].ns[state] == 0)
				continue;
			cells[count++] = (struct model_cell){
				.state = state,
				.initiator = i,
				.ns = from->times[i].ns[state],
				.error_ns = is_cpu ? model_error_ns(from->variance[i]) : 0,
			};
		}
	struct model_cell *kept = arena_array(arena, count, sizeof(*kept));

	if (count > 0)
		memcpy(kept, cells, count * sizeof(*kept));
	return (struct model_cells){ kept, count };
}

/** Find what the times of each process consist of. */
static void fill_cells(struct arena *arena, const struct lives *lives,
		       struct model_process_times *processes, size_t count)
{
	// The lives of each process, one leading to the next.
	CLEANUP(freep) uint32_t *first = xcalloc(count + 1, sizeof(*first));
	CLEANUP(freep) uint32_t *next = xcalloc(lives->list.count + 1, sizeof(*next));

	for (size_t i = lives->list.count; i > 0; i--) {
		uint32_t *head = &first[lives->list.items[i - 1].process];

		next[i - 1] = *head;
		*head = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		struct spread main = { 0 }, all = { 0 };

		for (uint32_t at = first[i]; at > 0; at = next[at - 1]) {
			const struct life *life = &lives->list.items[at - 1];

			spread_life(&all, life);
			if (life->tid == life->pid)
				spread_life(&main, life);
		}
		processes[i].cells = keep_cells(arena, &all);
		processes[i].main_cells = keep_cells(arena, &main);
	}
}

static void check(const struct lives *lives, struct model_time_check *check)
{
	vec_foreach (task, &lives->tasks) {
		check->stolen_ns += task->stolen_ns;
		if (!task->is_whole || !task->has_end || task->cpu_ns < task->from_cpu_ns)
			continue;
		check->is_known = true;
		check->kernel_cpu_ns += task->cpu_ns - task->from_cpu_ns;
		check->account_cpu_ns += task->account_cpu_ns;
		if (!task->has_delay || task->delay_ns < task->from_delay_ns)
			continue;
		check->kernel_runnable_ns += task->delay_ns - task->from_delay_ns;
		// A file may have the flag at pauses that are something else.
		check->account_runnable_ns += checked_rest(task->account_delay_ns, task->stolen_ns);
	}
}

/**
 * True if the kernel counts as much: else a pause is missing, or a hypervisor took the time. At a
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

/** Faults without a duration beside those with one: the perf backend, which times none, misses
 * nothing. */
static bool has_untimed(const struct lives *lives)
{
	return lives->untimed > 0 && lives->timed > 0;
}

static void note(const struct trace_summary *summary, bool is_user_only, const struct lives *lives,
		 struct notes *notes)
{
	notes_add_counted(notes, summary->pauses_lost,
			  "a pause of a thread was lost: the time counts as cpu");
	notes_add_counted(
		notes, summary->samples_lost,
		is_user_only ? "a sample of the processor was lost: that time has no initiator"
			     : "a sample of the processor was lost: cpu is divided by the others");
	notes_add_counted(notes, has_untimed(lives) ? lives->untimed : 0,
			  lives->fault_samples > 0
				  ? "a fault has no known duration: samples estimate time in faults"
				  : "a fault has no known duration: its time counts as cpu");
	notes_add_counted(notes, lives->unfinished,
			  "the end of a thread is missing: it counts as running until the end");
}

static void fill_timeline(struct timeline *timeline, const struct trace *trace,
			  const struct model_thread *threads, const struct lives *lives,
			  const struct all_faults *faults)
{
	vec_foreach (life, &lives->list)
		vec_push(&timeline->lives, (struct life_span){
						   .start_ns = life->start_ns,
						   .end_ns = life->end_ns,
						   .pid = life->pid,
						   .tid = life->tid,
						   .process = life->process,
					   });
	for (size_t i = 0; i < trace->pauses.count; i++) {
		const struct lives_moment *pause = &lives->pauses[i];

		if (pause->life == 0)
			continue;
		vec_push(&timeline->stays,
			 (struct stay){
				 .start_ns = pause->start_ns,
				 .woken_ns = pause->start_ns + pause->part.ns,
				 .back_ns = pause->back_ns,
				 .life = pause->life - 1,
				 .pause = (uint32_t)i,
				 .state = pause->part.state,
				 .held_ns = pause->part.held_ns,
				 .is_open = trace->pauses.items[i].flags & TRACE_PAUSE_OPEN,
			 });
	}
	timeline_finish(timeline, trace, threads, faults);
}

/** Count the processes, threads and programs that have a part in a window. */
static void count_tasks(const struct lives *lives, struct model_counts *counts)
{
	CLEANUP(u64map_deinit) struct u64map pids = { 0 }, tids = { 0 };
	CLEANUP(freep) bool *is_counted = xcalloc(lives->processes.count + 1, sizeof(bool));

	counts->processes = counts->threads = counts->programs = 0;
	vec_foreach (life, &lives->list) {
		if (life->end_ns == life->start_ns)
			continue;
		counts->processes += u64map_add(&pids, life->pid);
		counts->threads += u64map_add(&tids, life->tid);
		if (life->tid == life->pid && !life->is_born && !is_counted[life->process]) {
			is_counted[life->process] = true;
			counts->programs++;
		}
	}
}

/** Samples that were taken in @window. */
static uint64_t count_samples(const struct trace *trace, const struct model_window *window)
{
	uint64_t count = 0;

	vec_foreach (sample, &trace->samples)
		count += model_window_has(window,
					  trace_since(sample->time_ns, trace->meta.start_ns));
	return count;
}

void account_fill(struct rows *rows, const struct trace *trace, struct all_faults *faults,
		  const struct all_moments *moments, const char *program, struct lives *ret_lives)
{
	struct arena *arena = &rows->model->arena;
	const struct trace_summary *summary = &trace->summary;
	const struct model_window *window = &rows->model->window;

	*ret_lives = (struct lives){ 0 };
	if (!trace->meta.has_pauses)
		return;
	lives_replay(rows, trace, faults, moments, ret_lives);
	commandlines_fill(arena, trace, ret_lives);

	CLEANUP(timeline_deinit) struct timeline timeline = { 0 };

	fill_timeline(&timeline, trace, rows->threads.items, ret_lives, faults);
	recording_take_out(&timeline, ret_lives, trace, arena, rows->threads.items, faults);
	if (window->is_set) {
		const struct range times = model_window_times(window, trace->meta.start_ns);

		lives_cut(ret_lives, trace, times);
		timeline_cut(&timeline, times);
		count_tasks(ret_lives, &rows->model->counts);
	}
	sampleparts_fill(ret_lives, trace);

	struct model_account *model = arena_array(arena, 1, sizeof(*model));
	size_t count = ret_lives->processes.count;

	add_up(trace, ret_lives, model);
	check(ret_lives, &model->check);
	if (count > 0) {
		struct model_process_times *processes =
			arena_array(arena, count, sizeof(*processes));

		memcpy(processes, ret_lives->processes.items, count * sizeof(*processes));
		fill_cells(arena, ret_lives, processes, count);
		model->processes = processes;
	}
	model->process_count = count;
	critical_fill(arena, &timeline, model);
	subject_fill(ret_lives, trace, (const char *const *)rows->comms.items, program, model);
	waits_fill(arena, &timeline, count, model);

	const bool is_confirmed = agrees(&model->check, trace->pauses.count);

	model->complete = trace->complete && summary->lost == 0 && summary->lost_other == 0 &&
			  summary->pauses_lost == 0 && !has_untimed(ret_lives) &&
			  ret_lives->unfinished == 0 && is_confirmed;
	// Where all faults are missing, only the way of recording tells.
	model->faults_in_cpu = (ret_lives->untimed > 0 || trace->meta.samples_user_only) &&
			       ret_lives->timed == 0 && ret_lives->fault_samples == 0;
	if (window->is_set)
		model->check.is_known = false; // the kernel's counts are of whole tasks
	model->knows_recording = trace->meta.has_costs;
	model->pauses_lost = summary->pauses_lost;
	model->samples = count_samples(trace, window);
	model->sample_hz = trace->meta.sample_hz;
	model->sample_cost_ns = trace->meta.costs_ns[TRACE_COST_SAMPLE];
	model->samples_lost = summary->samples_lost;
	note(summary, trace->meta.samples_user_only, ret_lives, &rows->model->notes);
	if (!is_confirmed)
		notes_add(
			&rows->model->notes,
			"the kernel counts less time on the processor than the account: pauses are"
			" missing, or a hypervisor took the time; it counts as cpu");
	rows->model->account = rows->account = model;
}
