// SPDX-License-Identifier: Apache-2.0
// Takes the time that recording added out of the states and causes in which it fell: for each event
// what it costs on the machine that recorded, by the trace's own figures. That of an event within a
// fault is taken from the fault's own time, the rest from what its thread computed.
#include "correlate/time/timeline.h"

#include "base/cleanup.h"

/** Events of which nothing tells the initiator. */
enum { OF_ANY = MODEL_INITIATORS };

/** Time that recording added to one life. */
struct debt {
	uint64_t of[MODEL_INITIATORS + 1];    // outside faults, the last of OF_ANY
	uint64_t in_faults[MODEL_INITIATORS]; // what was taken from them
};

/** All of it, and what there was of it by each cut of the life. */
struct account_of_debts {
	struct debt all, by[LIFE_EDGES];
};

/** Lives of all threads, with what they were in last. */
struct ledger {
	struct timeline *timeline;
	struct lives *lives;
	struct arena *arena;
	const uint32_t *costs_ns;	// by trace_cost
	struct account_of_debts *debts; // of each life
	struct model_fault **faults;	// of each life: its last; NULL: none yet
	VEC(struct recording_charge) charges;
};

/** Life @index owes @ns, outside faults, for an event at @time_ns. */
static void charge(struct ledger *ledger, uint32_t index, unsigned initiator, uint64_t ns,
		   uint64_t time_ns)
{
	const struct life *life = &ledger->lives->list.items[index];
	struct account_of_debts *debts = &ledger->debts[index];

	vec_push(&ledger->charges, (struct recording_charge){ time_ns, ns, life->tid });
	debts->all.of[initiator] += ns;
	for (size_t i = 0; i < life_cut_count(life); i++)
		if (time_ns < life->cuts[i].time_ns)
			debts->by[i].of[initiator] += ns;
}

/** Take up to @ns from the time that @fault ran; what it waited for storage stays. */
static void take_from_fault(struct ledger *ledger, uint32_t index, struct model_fault *fault,
			    uint64_t ns, uint64_t time_ns)
{
	struct life *life = &ledger->lives->list.items[index];
	struct account_of_debts *debts = &ledger->debts[index];
	struct model_times *times = &life->by_initiator[fault->initiator];
	const uint64_t own = fault->time ? fault->time->own_ns : fault->duration_ns;

	ns = ns < own ? ns : own;
	ns = ns < times->ns[MODEL_STATE_FAULT] ? ns : times->ns[MODEL_STATE_FAULT];
	if (ns == 0)
		return;

	struct model_fault_time *time = arena_array(ledger->arena, 1, sizeof(*time));

	time->own_ns = own - ns;
	time->late_ns = fault->time ? fault->time->late_ns : 0;
	fault->time = time;
	times->ns[MODEL_STATE_FAULT] -= ns;
	life->times.ns[MODEL_STATE_FAULT] -= ns;
	life->times.ns[MODEL_STATE_RECORDING] += ns;
	vec_push(&ledger->charges, (struct recording_charge){ time_ns, ns, life->tid });
	debts->all.in_faults[fault->initiator] += ns;
	for (size_t i = 0; i < life_cut_count(life); i++)
		if (time_ns < life->cuts[i].time_ns)
			debts->by[i].in_faults[fault->initiator] += ns;
}

// The recorder's program takes longer than where the cost was measured, in a loop with the recorder
// in the processor's caches, where a program does much between its events.

/** Return the cost of a fault for which it took @program_ns, outside the fault's duration. */
static uint64_t cost_of_fault(const struct ledger *ledger, uint32_t program_ns)
{
	const uint64_t ns = ledger->costs_ns[TRACE_COST_FAULT];
	const uint64_t usual_ns = ledger->costs_ns[TRACE_COST_PROGRAM];

	// The way into it and out of it takes the same.
	if (!usual_ns || !program_ns)
		return ns;
	return ns + program_ns > usual_ns ? ns + program_ns - usual_ns : 0;
}

/** Return the cost of a sample: all that belongs to it takes longer in step. */
static uint64_t cost_of_sample(const struct ledger *ledger, uint32_t program_ns)
{
	const uint64_t ns = ledger->costs_ns[TRACE_COST_SAMPLE];
	const uint64_t usual_ns = ledger->costs_ns[TRACE_COST_SAMPLE_PROGRAM];

	return usual_ns && program_ns ? ns * program_ns / usual_ns : ns;
}

static void charge_fault(struct ledger *ledger, struct model_fault *fault,
			 const struct model_thread *thread, uint64_t time_ns, uint32_t program_ns)
{
	const uint32_t index = timeline_life_at(ledger->timeline, thread->tid, time_ns);

	if (index == MODEL_NONE)
		return;

	const uint64_t outside_ns = cost_of_fault(ledger, program_ns);
	const uint64_t within_ns = ledger->costs_ns[TRACE_COST_FAULT_WITHIN];

	ledger->faults[index] = fault;
	charge(ledger, index, fault->initiator, outside_ns, time_ns);
	if (fault->has_duration)
		take_from_fault(ledger, index, fault, within_ns, time_ns);
	else
		charge(ledger, index, fault->initiator, within_ns, time_ns);
}

/** Samples in faults are the fault's own time, as far as that goes. */
static void charge_sample(struct ledger *ledger, const struct trace_sample *sample,
			  const struct lives_moment *counted, uint64_t start_ns)
{
	const uint64_t ns = cost_of_sample(ledger, sample->program_ns);
	const uint32_t index = timeline_life_at(ledger->timeline, sample->tid, sample->time_ns);

	if (index == MODEL_NONE)
		return;

	struct model_fault *fault = ledger->faults[index];

	if (counted->life > 0)
		charge(ledger, index, counted->part.initiator, ns, sample->time_ns);
	else if (fault && fault->has_duration &&
		 sample->time_ns < start_ns + fault->time_ns + fault->duration_ns)
		take_from_fault(ledger, index, fault, ns, sample->time_ns);
	else
		charge(ledger, index, OF_ANY, ns, sample->time_ns);
}

/** In order of time, as a sample in a fault follows that. */
static void charge_faults(struct ledger *ledger, const struct trace *trace,
			  const struct model_thread *threads, struct all_faults *faults)
{
	const uint64_t start_ns = trace->meta.start_ns;
	size_t sample = 0;

	vec_foreach (fault, &faults->list) {
		const uint64_t time_ns = start_ns + fault->time_ns;

		for (; sample < trace->samples.count &&
		       trace->samples.items[sample].time_ns < time_ns;
		     sample++)
			charge_sample(ledger, &trace->samples.items[sample],
				      &ledger->lives->samples[sample], start_ns);
		charge_fault(ledger, fault, &threads[fault->thread], time_ns,
			     faults->program_ns.items[fault - faults->list.items]);
	}
	for (; sample < trace->samples.count; sample++)
		charge_sample(ledger, &trace->samples.items[sample],
			      &ledger->lives->samples[sample], start_ns);
}

static void charge_others(struct ledger *ledger, const struct trace *trace)
{
	const uint32_t *costs_ns = ledger->costs_ns;

	for (size_t i = 0; i < trace->pauses.count; i++) {
		const struct lives_moment *pause = &ledger->lives->pauses[i];

		// The life has that already: it is for those who wait for this thread.
		if (pause->part.held_ns > 0)
			vec_push(&ledger->charges,
				 (struct recording_charge){ pause->back_ns, pause->part.held_ns,
							    trace->pauses.items[i].tid });
		if (pause->life > 0 && !(trace->pauses.items[i].flags & TRACE_PAUSE_STOLEN))
			charge(ledger, pause->life - 1, OF_ANY, costs_ns[TRACE_COST_PAUSE],
			       pause->start_ns);
	}
	vec_foreach (call, &trace->calls) {
		const uint32_t index = timeline_life_at(ledger->timeline, call->tid, call->time_ns);

		if (index != MODEL_NONE)
			charge(ledger, index, OF_ANY,
			       (uint64_t)call->count * costs_ns[TRACE_COST_CALL], call->time_ns);
	}
	vec_foreach (mapping, &trace->mappings) {
		const uint32_t index =
			timeline_life_at(ledger->timeline, mapping->tid, mapping->time_ns);

		if (index != MODEL_NONE)
			charge(ledger, index, OF_ANY, costs_ns[TRACE_COST_MAPPING],
			       mapping->time_ns);
	}
}

/** Take up to @ns from what @life computed for @initiator; return what is left to be taken. */
static uint64_t take_cpu(struct life *life, enum model_initiator initiator, uint64_t ns)
{
	struct model_times *times = &life->by_initiator[initiator];
	const uint64_t part = ns < times->ns[MODEL_STATE_CPU] ? ns : times->ns[MODEL_STATE_CPU];

	times->ns[MODEL_STATE_CPU] -= part;
	life->times.ns[MODEL_STATE_CPU] -= part;
	life->times.ns[MODEL_STATE_RECORDING] += part;
	return ns - part;
}

/** Return @part of @whole_ns as it is when only @left_ns of that is left. */
static uint64_t in_step(uint64_t part, uint64_t whole_ns, uint64_t left_ns)
{
	const uint64_t ns =
		whole_ns > 0 ? (uint64_t)((double)part * ((double)left_ns / (double)whole_ns)) : 0;

	return ns < left_ns ? ns : left_ns;
}

/** Time taken from the computing of each cause: for its own events, and for any. */
struct taken {
	uint64_t own[MODEL_INITIATORS], any[MODEL_INITIATORS];
};

static uint64_t debt_sum(const struct debt *debt)
{
	uint64_t sum = 0;

	for (size_t i = 0; i <= OF_ANY; i++)
		sum += debt->of[i];
	return sum;
}

/**
 * Take @ns of what @cut has of a state and cause, but neither more than it has, nor so little that
 * what follows the cut, @after_ns, has less than the rest of @all_ns, which all gave.
 */
static void take_of_cut(struct life_cut *cut, enum model_state state,
			enum model_initiator initiator, uint64_t ns, uint64_t after_ns,
			uint64_t all_ns)
{
	uint64_t *has = &cut->by_initiator[initiator].ns[state];
	const uint64_t least = all_ns > after_ns ? all_ns - after_ns : 0;

	ns = ns > least ? ns : least;
	ns = ns < all_ns ? ns : all_ns;
	ns = ns < *has ? ns : *has;
	*has -= ns;
	cut->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_RECORDING] += ns;
}

/**
 * Take from @cut what of the debts fell before it. @life: settled; @taken: from its computing;
 * @debts: of the life, @by: by the cut.
 */
static void settle_cut(const struct life *life, struct life_cut *cut, const struct taken *taken,
		       const struct debt *debts, const struct debt *by)
{
	const struct model_times *cut_unknown = &cut->by_initiator[MODEL_INITIATOR_UNKNOWN];
	const uint64_t nobodys = cut_unknown->ns[MODEL_STATE_CPU];
	const uint64_t sum = debt_sum(debts), by_sum = debt_sum(by);
	uint64_t computed = 0, left = 0;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const struct model_times *all = &life->by_initiator[i],
					 *has = &cut->by_initiator[i];
		const uint64_t from_cpu = taken->own[i] + taken->any[i];
		const uint64_t from_faults = debts->in_faults[i];

		computed += has->ns[MODEL_STATE_CPU];
		take_of_cut(cut, MODEL_STATE_CPU, i,
			    in_step(taken->own[i], debts->of[i], by->of[i]) +
				    in_step(taken->any[i], sum, by_sum),
			    all->ns[MODEL_STATE_CPU] + from_cpu - has->ns[MODEL_STATE_CPU],
			    from_cpu);
		take_of_cut(cut, MODEL_STATE_FAULT, i, by->in_faults[i],
			    all->ns[MODEL_STATE_FAULT] + from_faults - has->ns[MODEL_STATE_FAULT],
			    from_faults);
		left += has->ns[MODEL_STATE_CPU];
	}
	cut->bracketed_ns = in_step(cut->bracketed_ns, computed, left);
	cut->unsampled_ns = in_step(cut->unsampled_ns, nobodys, cut_unknown->ns[MODEL_STATE_CPU]);
	cut->exit_ns = in_step(cut->exit_ns, nobodys, cut_unknown->ns[MODEL_STATE_CPU]);
}

/** First from the causes that the events were of, then from all as they have any left. */
static void settle(struct life *life, const struct account_of_debts *debts)
{
	const struct debt *debt = &debts->all;
	const uint64_t computed = life->times.ns[MODEL_STATE_CPU];
	uint64_t *of_unknown = &life->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_CPU];
	const uint64_t nobodys = *of_unknown;
	uint64_t rest = debt->of[OF_ANY];
	struct taken taken;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const uint64_t unpaid = take_cpu(life, i, debt->of[i]);

		taken.own[i] = debt->of[i] - unpaid;
		rest += unpaid;
	}

	const uint64_t left = life->times.ns[MODEL_STATE_CPU];
	uint64_t passed = 0, done = 0;

	// Rounded as they add up, so that all is taken.
	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		passed += life->by_initiator[i].ns[MODEL_STATE_CPU];

		const uint64_t until =
			rest < left ? (uint64_t)((unsigned __int128)rest * passed / left) : passed;

		taken.any[i] = until - done - take_cpu(life, i, until - done);
		done = until;
	}
	// It belongs to no cause.
	life->by_initiator[MODEL_INITIATOR_UNKNOWN].ns[MODEL_STATE_RECORDING] =
		life->times.ns[MODEL_STATE_RECORDING];
	life->bracketed_ns = in_step(life->bracketed_ns, computed, life->times.ns[MODEL_STATE_CPU]);
	life->unsampled_ns = in_step(life->unsampled_ns, nobodys, *of_unknown);
	life->exit_ns = in_step(life->exit_ns, nobodys, *of_unknown);
	for (size_t i = 0; i < life_cut_count(life); i++)
		settle_cut(life, &life->cuts[i], &taken, debt, &debts->by[i]);
}

void recording_take_out(struct timeline *timeline, struct lives *lives, const struct trace *trace,
			struct arena *arena, const struct model_thread *threads,
			struct all_faults *faults)
{
	const size_t count = lives->list.count;
	CLEANUP(freep)
	struct account_of_debts *debts = xcalloc(count + 1, sizeof(*debts));
	CLEANUP(freep)
	struct model_fault **last = xcalloc(count + 1, sizeof(struct model_fault *));
	struct ledger ledger = {
		.timeline = timeline,
		.lives = lives,
		.arena = arena,
		.costs_ns = trace->meta.costs_ns,
		.debts = debts,
		.faults = last,
	};

	if (!trace->meta.has_costs)
		return;
	charge_faults(&ledger, trace, threads, faults);
	charge_others(&ledger, trace);
	awaited_take_out(timeline, lives, ledger.charges.items, ledger.charges.count);
	vec_deinit(&ledger.charges);
	for (size_t i = 0; i < count; i++)
		settle(&lives->list.items[i], &debts[i]);
}
