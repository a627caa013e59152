// SPDX-License-Identifier: Apache-2.0
#include "correlate/time/timeline.h"

#include "base/order.h"
#include "base/search.h"
#include "base/u64map.h"

#include <stdlib.h>
#include <string.h>

ORDER_OF_INDEXES(compare_lives, life_span, ORDER(x->tid, y->tid) ?: ORDER(x->start_ns, y->start_ns) ?:
		 ORDER(x, y))

static void sort_by_tid(struct timeline *timeline)
{
	size_t count = timeline->lives.count;

	timeline->by_tid = xcalloc(count + 1, sizeof(*timeline->by_tid));
	for (size_t i = 0; i < count; i++)
		timeline->by_tid[i] = (uint32_t)i;
	qsort_r(timeline->by_tid, count, sizeof(*timeline->by_tid), compare_lives,
		timeline->lives.items);
}

/** How many of by_tid are of lower threads, or of @tid and began at @time_ns or before. */
static size_t begun_before(const struct timeline *timeline, uint32_t tid, uint64_t time_ns)
{
	const struct life_span *lives = timeline->lives.items;

	return search_first(timeline->lives.count, i,
			    lives[timeline->by_tid[i]].tid > tid ||
				    (lives[timeline->by_tid[i]].tid == tid &&
				     lives[timeline->by_tid[i]].start_ns > time_ns));
}

uint32_t timeline_life_at(const struct timeline *timeline, uint32_t tid, uint64_t time_ns)
{
	size_t begun = begun_before(timeline, tid, time_ns);

	if (begun == 0)
		return MODEL_NONE;

	uint32_t life = timeline->by_tid[begun - 1];
	const struct life_span *span = &timeline->lives.items[life];

	return span->tid == tid && time_ns <= span->end_ns ? life : MODEL_NONE;
}

// ---- Whose what is --------------------------------------------------------------------------

/** Order the indexes below @count by @keys: lives, or MODEL_NONE for what is nobody's. Stable. */
static void group(struct by_life *by, size_t lives, const uint32_t *keys, size_t count)
{
	size_t kept = 0;

	by->first = xcalloc(lives + 2, sizeof(*by->first));
	for (size_t i = 0; i < count; i++)
		if (keys[i] != MODEL_NONE) {
			by->first[keys[i] + 2]++;
			kept++;
		}
	for (size_t i = 2; i < lives + 2; i++)
		by->first[i] += by->first[i - 1];
	by->items = xcalloc(kept + 1, sizeof(*by->items));
	// Each place moves on as it is filled: afterwards it is where the next life begins.
	for (size_t i = 0; i < count; i++)
		if (keys[i] != MODEL_NONE)
			by->items[by->first[keys[i] + 1]++] = (uint32_t)i;
}

static void group_stays(struct timeline *timeline)
{
	size_t count = timeline->stays.count;
	CLEANUP(freep) uint32_t *keys = xcalloc(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = timeline->stays.items[i].life;
	group(&timeline->life_stays, timeline->lives.count, keys, count);
}

static uint64_t fault_ns(const struct timeline *timeline, const struct model_fault *fault)
{
	return fault->time_ns + timeline->trace->meta.start_ns;
}

static void group_faults(struct timeline *timeline, const struct model_thread *threads)
{
	size_t count = timeline->faults->list.count;
	CLEANUP(freep) uint32_t *keys = xcalloc(count + 1, sizeof(*keys));
	uint32_t last = MODEL_NONE;

	for (size_t i = 0; i < count; i++) {
		const struct model_fault *fault = &timeline->faults->list.items[i];
		const struct life_span *span =
			last == MODEL_NONE ? NULL : &timeline->lives.items[last];
		uint32_t tid = threads[fault->thread].tid;
		uint64_t time_ns = fault_ns(timeline, fault);

		// As a rule it is whose the last one was.
		if (!span || span->tid != tid || time_ns < span->start_ns ||
		    time_ns >= span->end_ns)
			last = timeline_life_at(timeline, tid, time_ns);
		keys[i] = fault->has_duration ? last : MODEL_NONE;
	}
	group(&timeline->life_faults, timeline->lives.count, keys, count);
}

// ---- Origins and names ----------------------------------------------------------------------

/** A life that no fork began goes on with the one before it of the same thread. */
static void find_former(struct timeline *timeline)
{
	for (size_t i = 1; i < timeline->lives.count; i++) {
		const uint32_t former = timeline->by_tid[i - 1];
		struct life_span *span = &timeline->lives.items[timeline->by_tid[i]];

		if (timeline->lives.items[former].tid == span->tid &&
		    timeline->lives.items[former].end_ns >= span->start_ns)
			span->parent = former;
	}
}

static uint32_t name_row(struct timeline *timeline, const char *name)
{
	for (size_t i = TIMELINE_NO_NAME; i < timeline->names.count; i++)
		if (strcmp(timeline->names.items[i], name) == 0)
			return (uint32_t)i;
	vec_push(&timeline->names, name);
	return (uint32_t)timeline->names.count - 1;
}

static void take_tasks(struct timeline *timeline)
{
	enum { NAMES_MAX = 1000 }; // a program may make any number of them
	const struct trace *trace = timeline->trace;

	vec_foreach (task, &trace->tasks) {
		uint32_t life = timeline_life_at(timeline, task->tid, task->time_ns);

		if (life == MODEL_NONE)
			continue;
		struct life_span *span = &timeline->lives.items[life];

		if (task->kind == TRACE_TASK_FORK && span->start_ns == task->time_ns)
			span->parent = timeline_life_at(timeline, task->parent_tid, task->time_ns);
		else if (task->kind == TRACE_TASK_COMM && task->tid != span->pid &&
			 timeline->names.count < NAMES_MAX)
			span->name = name_row(timeline, task->comm);
	}
}

void timeline_finish(struct timeline *timeline, const struct trace *trace,
		     const struct model_thread *threads, const struct all_faults *faults)
{
	timeline->trace = trace;
	waitkinds_init(&timeline->waitkinds, trace);
	timeline->faults = faults;
	vec_push(&timeline->names, NULL);
	vec_push(&timeline->names, "");
	vec_foreach (span, &timeline->lives) {
		span->parent = MODEL_NONE;
		span->name = span->tid == span->pid ? TIMELINE_FIRST_THREAD : TIMELINE_NO_NAME;
	}
	sort_by_tid(timeline);
	find_former(timeline);
	take_tasks(timeline);
	group_stays(timeline);
	group_faults(timeline, threads);
}

void timeline_cut(struct timeline *timeline, struct range window)
{
	vec_foreach (span, &timeline->lives)
		if (span->end_ns > window.end)
			span->end_ns = window.end;
	// Order is kept: those outside are nothing at the nearer edge.
	vec_foreach (stay, &timeline->stays) {
		const struct range wait = { stay->start_ns, stay->woken_ns };
		const struct range runnable = { stay->woken_ns, stay->back_ns };

		stay->is_open |= stay->woken_ns > window.end;
		stay->recording_ns = range_part_within(stay->recording_ns, wait, window);
		stay->held_ns = range_part_within(stay->held_ns, runnable, window);
		stay->start_ns = range_clamp(window, stay->start_ns);
		stay->woken_ns = range_clamp(window, stay->woken_ns);
		stay->back_ns = range_clamp(window, stay->back_ns);
	}
}

void timeline_deinit(struct timeline *timeline)
{
	vec_deinit(&timeline->lives);
	vec_deinit(&timeline->stays);
	vec_deinit(&timeline->names);
	free(timeline->life_stays.items);
	free(timeline->life_stays.first);
	free(timeline->life_faults.items);
	free(timeline->life_faults.first);
	free(timeline->by_tid);
}

// ---- What was done --------------------------------------------------------------------------

size_t timeline_stays_before(const struct timeline *timeline, uint32_t life, uint64_t time_ns)
{
	const struct by_life *by = &timeline->life_stays;
	const uint32_t first = by->first[life], end = by->first[life + 1];

	return first +
	       search_first(end - first, i,
			    timeline->stays.items[by->items[first + i]].start_ns >= time_ns);
}

/** Faults of one life, which are passed over in order of time. */
struct faults_of {
	uint32_t at, end;
	uint64_t covered_ns; // what was before is in a fault already, or not asked for
};

static struct faults_of faults_from(const struct timeline *timeline, uint32_t life,
				    uint64_t from_ns)
{
	const struct by_life *by = &timeline->life_faults;
	const struct model_fault *faults = timeline->faults->list.items;
	const uint32_t first = by->first[life], end = by->first[life + 1];
	uint32_t at = first + (uint32_t)search_first(
				      end - first, i,
				      fault_ns(timeline, &faults[by->items[first + i]]) >= from_ns);

	// One may be under way.
	return (struct faults_of){ at > first ? at - 1 : at, end, from_ns };
}

/** It ran, from @from_ns to @to_ns. */
static void run(const struct timeline *timeline, struct faults_of *of, uint64_t from_ns,
		uint64_t to_ns, struct model_times *times)
{
	uint64_t in_faults = 0;

	for (; of->at < of->end; of->at++) {
		const struct model_fault *fault =
			&timeline->faults->list.items[timeline->life_faults.items[of->at]];
		uint64_t start = fault_ns(timeline, fault), end;

		if (__builtin_add_overflow(start, fault->duration_ns, &end))
			continue;
		if (start >= to_ns)
			break;
		start = start > from_ns ? start : from_ns;
		start = start > of->covered_ns ? start : of->covered_ns;

		const uint64_t last = end < to_ns ? end : to_ns;

		if (last > start) {
			in_faults += last - start;
			of->covered_ns = last;
		}
		if (end > to_ns)
			break; // it goes on
	}
	times->ns[MODEL_STATE_FAULT] += in_faults;
	times->ns[MODEL_STATE_CPU] += to_ns - from_ns - in_faults;
}

/** Return the part of @from to @to before @limit. */
static uint64_t before(uint64_t from, uint64_t to, uint64_t limit)
{
	const uint64_t end = to < limit ? to : limit;

	return end > from ? end - from : 0;
}

static void wait_for(const struct timeline *timeline, const struct stay *stay, uint64_t ns,
		     struct spent *spent)
{
	const enum model_wait wait = timeline_wait(timeline, stay);

	spent->times.ns[stay->state] += ns;
	if (ns == 0)
		return;
	if (stay->state == MODEL_STATE_WAIT)
		spent->waits.wait_ns[wait] += ns;
	else if (stay->state == MODEL_STATE_FILE_IO)
		spent->waits.file_io_ns[wait] += ns;
	else
		return;
	spent->waits.count[wait]++;
}

/** It was runnable from @from_ns to @to_ns, as far as the recorder did not have its processor. */
static void want_processor(const struct stay *stay, uint64_t from_ns, uint64_t to_ns,
			   struct model_times *times)
{
	const struct range runnable = { stay->woken_ns, stay->back_ns };
	const uint64_t held_ns =
		range_part_within(stay->held_ns, runnable, (struct range){ from_ns, to_ns });

	times->ns[MODEL_STATE_RECORDING] += held_ns;
	times->ns[MODEL_STATE_RUNNABLE] += to_ns - from_ns - held_ns;
}

void timeline_spend(const struct timeline *timeline, uint32_t life, uint64_t from_ns,
		    uint64_t to_ns, struct spent *spent)
{
	const struct by_life *by = &timeline->life_stays;
	struct faults_of faults = faults_from(timeline, life, from_ns);
	size_t at = timeline_stays_before(timeline, life, from_ns);
	uint64_t now = from_ns;

	// One may be under way.
	if (at > by->first[life] && timeline->stays.items[by->items[at - 1]].back_ns > from_ns)
		at--;
	for (; at < by->first[life + 1]; at++) {
		const struct stay *stay = &timeline->stays.items[by->items[at]];
		const uint64_t back = stay->back_ns < to_ns ? stay->back_ns : to_ns;

		if (stay->start_ns >= to_ns)
			break;
		if (stay->start_ns > now) {
			run(timeline, &faults, now, stay->start_ns, &spent->times);
			now = stay->start_ns;
		}
		const uint64_t waited = before(now, back, stay->woken_ns);

		wait_for(timeline, stay, waited, spent);
		want_processor(stay, now + waited, back, &spent->times);
		now = back;
	}
	if (now < to_ns)
		run(timeline, &faults, now, to_ns, &spent->times);
}

void timeline_spend_thread(const struct timeline *timeline, uint32_t tid, uint64_t from_ns,
			   uint64_t to_ns, struct spent *spent)
{
	for (size_t i = begun_before(timeline, tid, to_ns); i > 0; i--) {
		const uint32_t life = timeline->by_tid[i - 1];
		const struct life_span *span = &timeline->lives.items[life];

		if (span->tid != tid || span->end_ns <= from_ns)
			break;
		const uint64_t from = span->start_ns > from_ns ? span->start_ns : from_ns;
		const uint64_t to = span->end_ns < to_ns ? span->end_ns : to_ns;

		if (from < to)
			timeline_spend(timeline, life, from, to, spent);
	}
}

// ---- Waits ----------------------------------------------------------------------------------

enum model_wait timeline_wait(const struct timeline *timeline, const struct stay *stay)
{
	return waitkind_of(&timeline->waitkinds, &timeline->trace->pauses.items[stay->pause]);
}

enum model_waker timeline_waker(const struct timeline *timeline, const struct stay *stay,
				uint32_t *ret_life)
{
	const struct trace_pause *pause = &timeline->trace->pauses.items[stay->pause];
	uint32_t life;

	*ret_life = MODEL_NONE;
	if (stay->is_open)
		return MODEL_WAKER_UNKNOWN;
	// What runs where a device or a timer interrupts did nothing for this thread.
	if (stay->state != MODEL_STATE_WAIT || (pause->flags & TRACE_PAUSE_INTERRUPT) ||
	    timeline_wait(timeline, stay) == MODEL_WAIT_SLEEP)
		return MODEL_WAKER_INTERRUPT;
	if (pause->waker_tid == 0 || pause->waker_tid == pause->tid)
		return MODEL_WAKER_UNKNOWN;
	life = timeline_life_at(timeline, pause->waker_tid, stay->woken_ns);
	if (life == MODEL_NONE || timeline->lives.items[life].pid != pause->waker_pid)
		return MODEL_WAKER_OUTSIDE;
	*ret_life = life;
	return MODEL_WAKER_THREAD;
}
