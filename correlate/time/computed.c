// SPDX-License-Identifier: Apache-2.0
// Division of what a thread computed by causes: by what it was seen at before and after, and by
// samples of the processor. The one estimate of both, with its error.
#include "correlate/time/lives.h"

#include "base/cleanup.h"

#include <stdlib.h>

// ---- Where it was computed ------------------------------------------------------------------

/** Return what @life had computed by @cut. Of what is not replayed yet it may be too much. */
static uint64_t computed_by(const struct life *life, const struct life_cut *cut)
{
	uint64_t ns = cut->time_ns > life->start_ns ? cut->time_ns - life->start_ns : 0;

	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		ns -= model_times_sum(&cut->by_initiator[i]);
	return ns;
}

/** Count as much of the same for @cut as was computed by then. */
static void cut_place(const struct life *life, struct life_cut *cut, uint8_t stratum,
		      uint64_t computed_ns)
{
	const uint64_t by_ns = computed_by(life, cut), from_ns = life->computed.from_ns;
	const uint64_t until_ns = by_ns < computed_ns ? by_ns : computed_ns;

	cut->computed_ns[stratum] += until_ns > from_ns ? until_ns - from_ns : 0;
}

/** Put what was computed until now, since the thread was last seen, into @stratum. */
static void end_place(struct life *life, uint8_t stratum, uint64_t computed_ns)
{
	struct computed *computed = &life->computed;

	array_foreach (cut, life->cuts, life_cut_count(life))
		cut_place(life, cut, stratum, computed_ns);
	computed->ns[stratum] += computed_ns - computed->from_ns;
	for (; computed->first < computed->samples.count; computed->first++)
		if (!computed->samples.items[computed->first].in_fault)
			computed->samples.items[computed->first].stratum = stratum;
	computed->from_ns = computed_ns;
}

void computed_see(struct life *life, const struct model_fault *seen, uint64_t computed_ns)
{
	struct computed *computed = &life->computed;
	const bool is_between = computed->is_seen && computed->initiator == seen->initiator &&
				computed->dlopen == seen->dlopen;

	end_place(life, is_between ? computed->initiator : COMPUTED_REST, computed_ns);
	computed->initiator = seen->initiator;
	computed->dlopen = seen->dlopen;
	computed->is_seen = seen->initiator != MODEL_INITIATOR_UNKNOWN;
}

void computed_forget(struct life *life)
{
	life->computed.is_seen = false;
}

void computed_sample(struct life *life, enum model_initiator initiator, uint64_t period_ns,
		     bool in_fault)
{
	const struct computed_sample sample = {
		.period_ns = period_ns,
		.stratum = COMPUTED_REST,
		.initiator = (uint8_t)initiator,
		.in_fault = in_fault,
	};

	vec_push(&life->computed.samples, sample);
}

// Of what lies between two moments of one cause samples give up to a fifth to others: look-ups
// that find what they need in memory lie between two faults of relocation, and programs bind
// functions lazily. docs/measured/recording.md has the figures. Without samples nobody sees it.
static const double UNCHECKED_ERROR = 0.2;

// ---- Division -------------------------------------------------------------------------------

/** Samples in one stratum. */
struct tally {
	uint64_t count, ns;
	// By initiator, and whether in faults of unknown duration.
	uint64_t counts[MODEL_INITIATORS], sampled_ns[2][MODEL_INITIATORS];
};

/** Sums of a trace that is made up end at the largest number. */
static void add(uint64_t *sum, uint64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = UINT64_MAX;
}

static struct tally tally_of(const struct computed *computed, uint8_t stratum)
{
	struct tally tally = { 0 };

	vec_foreach (sample, &computed->samples) {
		if (sample->stratum != stratum)
			continue;
		tally.count++;
		tally.counts[sample->initiator]++;
		add(&tally.ns, sample->period_ns);
		add(&tally.sampled_ns[sample->in_fault][sample->initiator], sample->period_ns);
	}
	return tally;
}

static void give(struct life *life, enum model_state state, enum model_initiator initiator,
		 uint64_t ns)
{
	life->times.ns[state] += ns;
	life->by_initiator[initiator].ns[state] += ns;
}

/** One place's computing as it was divided. */
struct shares {
	uint64_t ns[2][MODEL_INITIATORS]; // as tally.sampled_ns
	uint64_t rest_ns;		  // which samples of no initiator stand for
	enum model_initiator rest;
	bool is_unsampled; // rest_ns: the kernel's, where that is not sampled
};

/** Return as much of @ns as @part is of @whole. */
static uint64_t part_of(uint64_t ns, uint64_t part, uint64_t whole)
{
	return whole > 0 ? (uint64_t)((unsigned __int128)ns * part / whole) : 0;
}

/**
 * Divide for @cut what it has of @stratum: samples stand, in their order, for as much before each
 * as all of their initiator share, and for as much of the rest as all samples share.
 */
static void divide_cut(const struct life *life, struct life_cut *cut, uint8_t stratum,
		       const struct tally *tally, const struct shares *shares)
{
	const enum model_state states[] = { MODEL_STATE_CPU, MODEL_STATE_FAULT };
	uint64_t passed[2][MODEL_INITIATORS] = { 0 }, given[2][MODEL_INITIATORS] = { 0 };
	uint64_t all_passed = 0, rest_given = 0, left = cut->computed_ns[stratum];

	vec_foreach (sample, &life->computed.samples) {
		const uint8_t in_fault = sample->in_fault, i = sample->initiator;

		if (sample->stratum != stratum || left == 0)
			continue;
		add(&passed[in_fault][i], sample->period_ns);
		add(&all_passed, sample->period_ns);

		uint64_t until = part_of(shares->ns[in_fault][i], passed[in_fault][i],
					 tally->sampled_ns[in_fault][i]);
		const uint64_t own = until - given[in_fault][i];
		const uint64_t part = own < left ? own : left;

		given[in_fault][i] = until;
		cut->by_initiator[i].ns[states[in_fault]] += part;
		left -= part;
		until = part_of(shares->rest_ns, all_passed, tally->ns);

		const uint64_t rest = until - rest_given < left ? until - rest_given : left;

		rest_given = until;
		cut->by_initiator[shares->rest].ns[MODEL_STATE_CPU] += rest;
		cut->unsampled_ns += shares->is_unsampled ? rest : 0;
		left -= rest;
	}
}

/** Give for each cut what it has of @stratum to @initiator. */
static void give_cuts(struct life *life, uint8_t stratum, enum model_initiator initiator)
{
	array_foreach (cut, life->cuts, life_cut_count(life))
		cut->by_initiator[initiator].ns[MODEL_STATE_CPU] += cut->computed_ns[stratum];
}

/**
 * Divide @ns as the samples of @tally divide; of that, what was in faults of unknown duration.
 * Where the kernel is not sampled each sample stands for no more than its period, and the rest is
 * @rest's.
 */
static void divide(struct life *life, uint8_t stratum, const struct tally *tally, uint64_t ns,
		   enum model_initiator rest)
{
	struct shares shares = { 0 };
	const uint64_t whole = life->is_user_only && tally->ns < ns ? ns : tally->ns;
	// With those that would have come upon the kernel, if it were sampled.
	const double count = (double)tally->count * ((double)whole / (double)tally->ns);
	uint64_t left = ns, most_ns = 0;

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++) {
		const enum model_state states[] = { MODEL_STATE_CPU, MODEL_STATE_FAULT };
		double found =
			(double)tally->counts[i] + (i == rest ? count - (double)tally->count : 0);
		// As if each had one more sample: one that was never met may still be there.
		double likely = (found + 1) / (count + 2);

		for (size_t in_fault = 0; in_fault < 2; in_fault++) {
			double share = (double)tally->sampled_ns[in_fault][i] / (double)whole;
			uint64_t part = (uint64_t)(share * (double)ns);

			part = part < left ? part : left;
			left -= part;
			shares.ns[in_fault][i] = part;
			give(life, states[in_fault], i, part);
		}
		if (found > 0)
			life->cpu_variance[i] +=
				(double)ns * (double)ns * likely * (1 - likely) / (count + 2);
	}
	// Rounding leaves a rest: to the largest.
	for (enum model_initiator i = 0; i < MODEL_INITIATORS && whole == tally->ns; i++)
		if (tally->sampled_ns[0][i] > most_ns) {
			most_ns = tally->sampled_ns[0][i];
			rest = i;
		}
	give(life, MODEL_STATE_CPU, rest, left);
	shares.rest_ns = left;
	shares.rest = rest;
	shares.is_unsampled = whole > tally->ns;
	if (shares.is_unsampled)
		life->unsampled_ns += left;
	array_foreach (cut, life->cuts, life_cut_count(life))
		divide_cut(life, cut, stratum, tally, &shares);
}

static void divide_rest(struct life *life, uint64_t ns)
{
	const struct tally tally = tally_of(&life->computed, COMPUTED_REST);

	if (tally.ns > 0) {
		divide(life, COMPUTED_REST, &tally, ns, MODEL_INITIATOR_UNKNOWN);
		return;
	}
	give(life, MODEL_STATE_CPU, MODEL_INITIATOR_UNKNOWN, ns);
	give_cuts(life, COMPUTED_REST, MODEL_INITIATOR_UNKNOWN);
	life->unsampled_ns += ns;
	array_foreach (cut, life->cuts, life_cut_count(life))
		cut->unsampled_ns += cut->computed_ns[COMPUTED_REST];
}

static double square(double value)
{
	return value * value;
}

/**
 * Return the variance of @ns between moments of one cause, where none of @count samples showed
 * another: as if one more had, and no more than without samples.
 */
static double uncontradicted_variance(uint64_t ns, uint64_t count)
{
	const double samples = (double)count + 2, likely = (samples - 1) / samples;
	const double most = square(UNCHECKED_ERROR / 1.96);
	const double variance = likely * (1 - likely) / samples;

	return square((double)ns) * (variance < most ? variance : most);
}

void computed_divide(struct life *life, uint64_t computed_ns)
{
	end_place(life, COMPUTED_REST, computed_ns);
	for (uint8_t i = 0; i < MODEL_INITIATORS; i++) {
		const uint64_t ns = life->computed.ns[i];
		const struct tally tally = tally_of(&life->computed, i);

		if (ns == 0)
			continue;
		life->bracketed_ns += ns;
		array_foreach (cut, life->cuts, life_cut_count(life))
			cut->bracketed_ns += cut->computed_ns[i];
		if (tally.counts[i] < tally.count && tally.ns > 0) {
			divide(life, i, &tally, ns, i);
			continue;
		}
		give(life, MODEL_STATE_CPU, i, ns);
		give_cuts(life, i, i);
		life->cpu_variance[i] += uncontradicted_variance(ns, tally.count);
	}
	divide_rest(life, life->computed.ns[COMPUTED_REST]);
}

// ---- The share of each sample ---------------------------------------------------------------

/** The part divided so far of what a life computed for one initiator. */
struct division {
	uint64_t sampled_ns;		// by all its samples
	uint64_t passed_ns, divided_ns; // those that were told what they stand for
};

/** Return the part of @whole_ns that a sample for @period_ns stands for: all make up the whole. */
static uint64_t next_part(struct division *division, uint64_t whole_ns, uint64_t period_ns)
{
	if (division->sampled_ns == 0)
		return 0;
	add(&division->passed_ns, period_ns);
	double share = (double)division->passed_ns / (double)division->sampled_ns;
	uint64_t until = (uint64_t)(share * (double)whole_ns);
	uint64_t part = until - division->divided_ns;

	division->divided_ns = until;
	return part;
}

void sampleparts_fill(struct lives *lives, const struct trace *trace)
{
	CLEANUP(freep)
	struct division *divisions =
		xcalloc(lives->list.count * MODEL_INITIATORS + 1, sizeof(*divisions));

	for (size_t i = 0; i < trace->samples.count; i++) {
		const struct lives_moment *moment = &lives->samples[i];

		if (moment->life > 0)
			add(&divisions[(size_t)(moment->life - 1) * MODEL_INITIATORS +
				       moment->part.initiator]
				     .sampled_ns,
			    trace->samples.items[i].period_ns);
	}
	for (size_t i = 0; i < trace->samples.count; i++) {
		struct lives_moment *moment = &lives->samples[i];

		if (moment->life == 0)
			continue;
		const struct life *life = &lives->list.items[moment->life - 1];
		const enum model_initiator initiator = moment->part.initiator;
		uint64_t ns = life->by_initiator[initiator].ns[MODEL_STATE_CPU];

		if (initiator == MODEL_INITIATOR_UNKNOWN)
			ns -= life->unsampled_ns;
		moment->part.ns = next_part(
			&divisions[(size_t)(moment->life - 1) * MODEL_INITIATORS + initiator], ns,
			trace->samples.items[i].period_ns);
	}
}
