// SPDX-License-Identifier: Apache-2.0
// Time that recording added to threads while others waited for them: these waited that much longer.
#include "correlate/time/timeline.h"

#include "base/order.h"
#include "base/u64map.h"

#include <stdlib.h>

/** Kinds of moments; those of one time are replayed in this order. */
enum what { CHARGED, WOKEN, BEGINS };

struct moment {
	uint64_t time_ns;
	enum what what;
	uint32_t index; // of a charge, or of a stay
};

struct replay {
	struct timeline *timeline;
	struct lives *lives;
	const struct recording_charge *charges;
	VEC(struct moment) moments;
	struct u64map by_tid;
	VEC(uint64_t) sums; // recording so far, of each thread that others wait for
	uint64_t *before;   // of each stay: the sum of the thread that ends it, as it began
};

ORDER_OF(compare, moment, ORDER(x->time_ns, y->time_ns) ?: ORDER(x->what, y->what) ?: ORDER(x->index, y->index))

/** The sum of the thread that ends @stay, having done what was waited for; NULL: none did. */
static const uint64_t *sum_of_ender(struct replay *replay, const struct stay *stay)
{
	const struct trace *trace = replay->timeline->trace;
	const uint32_t *row =
		u64map_get(&replay->by_tid, trace->pauses.items[stay->pause].waker_tid);
	uint32_t life;

	return row && timeline_waker(replay->timeline, stay, &life) == MODEL_WAKER_THREAD
		       ? &replay->sums.items[*row]
		       : NULL;
}

/** Add @ns to the sum of thread @tid, if another waits for it at any time. */
static void count(struct replay *replay, uint32_t tid, uint64_t ns)
{
	const uint32_t *row = u64map_get(&replay->by_tid, tid);

	if (row)
		replay->sums.items[*row] += ns;
}

/** Take up to @ns of what @of_cause waited, as recording, which is of no cause; return it. */
static uint64_t take(struct model_times *of_cause, struct model_times *of_none, uint64_t ns)
{
	uint64_t *waited = &of_cause->ns[MODEL_STATE_WAIT];

	ns = ns < *waited ? ns : *waited;
	*waited -= ns;
	of_none->ns[MODEL_STATE_RECORDING] += ns;
	return ns;
}

static void shorten(struct replay *replay, struct stay *stay, uint64_t ns)
{
	struct life *life = &replay->lives->list.items[stay->life];
	struct lives_moment *pause = &replay->lives->pauses[stay->pause];
	const enum model_initiator initiator = pause->part.initiator;
	const struct range wait = { stay->start_ns, stay->woken_ns };

	ns = ns < pause->part.ns ? ns : pause->part.ns;
	ns = take(&life->by_initiator[initiator], &life->times, ns);
	life->times.ns[MODEL_STATE_WAIT] -= ns;
	stay->recording_ns = pause->recording_ns = ns;
	pause->part.ns -= ns;
	array_foreach (cut, life->cuts, life_cut_count(life))
		take(&cut->by_initiator[initiator], &cut->by_initiator[MODEL_INITIATOR_UNKNOWN],
		     range_part(ns, wait, cut->time_ns));
	count(replay, life->tid, ns);
}

static void wake(struct replay *replay, uint32_t index)
{
	struct stay *stay = &replay->timeline->stays.items[index];
	const uint64_t *sum = sum_of_ender(replay, stay);

	if (sum)
		shorten(replay, stay, *sum - replay->before[index]);
}

static void begin(struct replay *replay, uint32_t index)
{
	const uint64_t *sum = sum_of_ender(replay, &replay->timeline->stays.items[index]);

	replay->before[index] = sum ? *sum : 0;
}

static void add_stays(struct replay *replay)
{
	const struct timeline *timeline = replay->timeline;

	vec_foreach (stay, &timeline->stays) {
		const uint32_t index = (uint32_t)(stay - timeline->stays.items);
		uint32_t life;

		if (stay->state != MODEL_STATE_WAIT || stay->woken_ns <= stay->start_ns)
			continue;
		vec_push(&replay->moments, (struct moment){ stay->start_ns, BEGINS, index });
		vec_push(&replay->moments, (struct moment){ stay->woken_ns, WOKEN, index });
		if (timeline_waker(timeline, stay, &life) == MODEL_WAKER_THREAD)
			u64map_row(&replay->by_tid,
				   timeline->trace->pauses.items[stay->pause].waker_tid,
				   &replay->sums, 0);
	}
}

static void add_charges(struct replay *replay, size_t charge_count)
{
	for (size_t i = 0; i < charge_count; i++)
		if (u64map_get(&replay->by_tid, replay->charges[i].tid))
			vec_push(&replay->moments, (struct moment){ replay->charges[i].time_ns,
								    CHARGED, (uint32_t)i });
}

void awaited_take_out(struct timeline *timeline, struct lives *lives,
		      const struct recording_charge *charges, size_t charge_count)
{
	struct replay replay = { .timeline = timeline, .lives = lives, .charges = charges };

	add_stays(&replay);
	add_charges(&replay, charge_count);
	vec_sort(&replay.moments, compare);
	replay.before = xcalloc(timeline->stays.count + 1, sizeof(*replay.before));
	vec_foreach (moment, &replay.moments) {
		if (moment->what == CHARGED)
			count(&replay, charges[moment->index].tid, charges[moment->index].ns);
		else if (moment->what == WOKEN)
			wake(&replay, moment->index);
		else
			begin(&replay, moment->index);
	}
	free(replay.before);
	vec_deinit(&replay.moments);
	vec_deinit(&replay.sums);
	u64map_deinit(&replay.by_tid);
}
