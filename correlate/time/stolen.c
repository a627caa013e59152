// SPDX-License-Identifier: Apache-2.0
// Time that a hypervisor (steal) or, where the kernel accounts them apart, interrupts took from
// threads that had a processor. No event tells of it, but the kernel leaves it out of the time that
// it counts a thread to run. It is looked for where nothing of the thread was seen for longest:
// samples and faults end what a thread really computes.
#include "correlate/time/account.h"

#include "base/checked.h"
#include "base/order.h"
#include "base/range.h"
#include "base/search.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <inttypes.h>

// The scheduler reads its clock up to 50 us before it tells of a switch, and that clock is not
// slewed as the trace's is.
enum { LEAST_NS = 100000, SLEW = 1000 };

/** Between two pauses of a thread, in which the kernel counts less than has passed. */
struct robbed {
	uint32_t tid;
	uint64_t start_ns, end_ns, stolen_ns;
	const struct trace_pause *before;
};

/** Something of the thread was seen: in which of the stays, and when. */
struct sight {
	size_t stay;
	uint64_t time_ns;
};

struct search {
	VEC(struct robbed) stays; // sorted by thread and time
	VEC(struct sight) sights;
	VEC(struct range) gaps; // times of one stay without an event
	VEC(struct trace_pause) found;
};

ORDER_OF(compare_stays, robbed, ORDER(x->tid, y->tid) ?: ORDER(x->start_ns, y->start_ns))

ORDER_OF(compare_sights, sight, ORDER(x->stay, y->stay) ?: ORDER(x->time_ns, y->time_ns))

/** The longest first. */
ORDER_OF(compare_gaps, range, ORDER(range_size(*y), range_size(*x)) ?: ORDER(x->start, y->start))

ORDER_OF(compare_pauses, trace_pause, ORDER(x->time_ns, y->time_ns))

/** Return what was stolen from a thread that ran from the end of @before to @after; 0: nothing. */
static uint64_t stolen_between(const struct trace_pause *before, const struct trace_pause *after)
{
	if (after->time_ns <= before->back_ns || after->runtime_ns <= before->runtime_ns)
		return 0;
	const uint64_t passed_ns = after->time_ns - before->back_ns;
	const uint64_t ran_ns = after->runtime_ns - before->runtime_ns;
	const uint64_t stolen_ns = checked_rest(passed_ns, ran_ns);

	return stolen_ns < LEAST_NS + passed_ns / SLEW ? 0 : stolen_ns;
}

static void find_stays(struct search *search, const struct trace *trace)
{
	CLEANUP(u64map_deinit) struct u64map last = { 0 }; // of each thread: a pause, plus one

	vec_foreach (pause, &trace->pauses) {
		uint32_t *at = u64map_put(&last, pause->tid, NULL);
		const struct trace_pause *before = *at > 0 ? &trace->pauses.items[*at - 1] : NULL;
		const uint64_t stolen_ns = before ? stolen_between(before, pause) : 0;

		if (stolen_ns > 0)
			vec_push(&search->stays,
				 (struct robbed){ pause->tid, before->back_ns, pause->time_ns,
						  stolen_ns, before });
		*at = pause->flags & (TRACE_PAUSE_LAST | TRACE_PAUSE_OPEN)
			      ? 0
			      : (uint32_t)(pause - trace->pauses.items) + 1;
	}
	vec_sort(&search->stays, compare_stays);
}

/** Thread @tid was seen at @time_ns. */
static void see(struct search *search, uint32_t tid, uint64_t time_ns)
{
	const struct robbed *stays = search->stays.items;
	const size_t behind = search_first(
		search->stays.count, i,
		stays[i].tid > tid || (stays[i].tid == tid && stays[i].start_ns > time_ns));
	const struct robbed *stay = behind > 0 ? &stays[behind - 1] : NULL;

	if (stay && stay->tid == tid && time_ns < stay->end_ns)
		vec_push(&search->sights, (struct sight){ behind - 1, time_ns });
}

static void see_all(struct search *search, const struct trace *trace)
{
	vec_foreach (fault, &trace->faults) {
		see(search, fault->tid, fault->time_ns);
		if (fault->flags & TRACE_FAULT_HAS_DURATION)
			see(search, fault->tid, fault->time_ns + fault->duration_ns);
	}
	vec_foreach (sample, &trace->samples)
		see(search, sample->tid, sample->time_ns);
	vec_foreach (mapping, &trace->mappings)
		see(search, mapping->tid, mapping->time_ns);
	vec_foreach (task, &trace->tasks)
		see(search, task->kind == TRACE_TASK_FORK ? task->parent_tid : task->tid,
		    task->time_ns);
	for (size_t i = 0; i < search->stays.count; i++)
		vec_push(&search->sights, (struct sight){ i, search->stays.items[i].end_ns });
	vec_sort(&search->sights, compare_sights);
}

/** Put what was stolen of @stay at the ends of its longest gaps, which a late sample may tell. */
static void place(struct search *search, const struct robbed *stay)
{
	uint64_t left_ns = stay->stolen_ns;

	vec_sort(&search->gaps, compare_gaps);
	vec_foreach (gap, &search->gaps) {
		const uint64_t length_ns = range_size(*gap);
		const uint64_t ns = left_ns < length_ns ? left_ns : length_ns;

		if (ns == 0)
			return;
		left_ns -= ns;
		vec_push(&search->found,
			 (struct trace_pause){
				 .time_ns = gap->end - ns,
				 .woken_ns = gap->end - ns,
				 .back_ns = gap->end,
				 .pid = stay->before->pid,
				 .tid = stay->tid,
				 .flags = TRACE_PAUSE_PREEMPTED | TRACE_PAUSE_STOLEN,
			 });
	}
}

static void place_all(struct search *search)
{
	size_t at = 0;

	for (size_t i = 0; i < search->stays.count; i++) {
		const struct robbed *stay = &search->stays.items[i];
		uint64_t from_ns = stay->start_ns;

		search->gaps.count = 0;
		for (; at < search->sights.count && search->sights.items[at].stay == i; at++) {
			const uint64_t time_ns = search->sights.items[at].time_ns;

			vec_push(&search->gaps, (struct range){ from_ns, time_ns });
			from_ns = time_ns;
		}
		place(search, stay);
	}
}

/** Let the pauses of @trace and those that were @found be in one order of time. */
static void merge(struct trace *trace, const struct trace_pause *found, size_t count)
{
	size_t old = trace->pauses.count, new = count;

	vec_reserve(&trace->pauses, old + count);
	trace->pauses.count = old + count;
	for (size_t at = old + count; new > 0; at--) {
		const bool is_old =
			old > 0 && trace->pauses.items[old - 1].time_ns > found[new - 1].time_ns;

		trace->pauses.items[at - 1] = is_old ? trace->pauses.items[--old] : found[--new];
	}
}

void stolen_find(struct trace *trace)
{
	struct search search = { 0 };

	// A pause that is missing would be taken for stolen.
	if (trace->summary.pauses_lost > 0)
		return;
	find_stays(&search, trace);
	if (search.stays.count > 0) {
		see_all(&search, trace);
		place_all(&search);
		vec_sort(&search.found, compare_pauses);
		merge(trace, search.found.items, search.found.count);
	}
	vec_deinit(&search.stays);
	vec_deinit(&search.sights);
	vec_deinit(&search.gaps);
	vec_deinit(&search.found);
}
