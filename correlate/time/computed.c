// SPDX-License-Identifier: Apache-2.0
// Division of what a thread computed by causes: by what it was seen at before and after, and by
// samples of the processor. The one estimate of both, with its error.
#include "correlate/time/lives.h"

#include "base/cleanup.h"

// ---- Where it was computed ------------------------------------------------------------------

/** Return what @life had computed by @cut. Of what is not replayed yet it may be too much. */
static uint64_t computed_by(const struct life *life, const struct life_cut *cut)
{
	uint64_t ns = cut->time_ns > life->start_ns ? cut->time_ns - life->start_ns : 0;

	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		ns -= model_times_sum(&cut->by_initiator[i]);
	return ns;
}

/** Return how much of @computed_ns, since the thread was last seen, @cut has. */
static uint64_t cut_part(const struct life *life, const struct life_cut *cut, uint64_t computed_ns)
{
	const uint64_t by_ns = computed_by(life, cut), from_ns = life->computed.from_ns;
	const uint64_t until_ns = by_ns < computed_ns ? by_ns : computed_ns;

	return until_ns > from_ns ? until_ns - from_ns : 0;
}

/** Return the index of the place, which is added if it is new. */
static uint32_t place_at(struct computed *computed, uint8_t first, uint8_t last, bool is_apart)
{
	const struct computed_place place = { first, last, is_apart, 0, { 0 } };
	uint32_t i = 0;

	for (; i < computed->places.count; i++) {
		const struct computed_place *known = &computed->places.items[i];

		if (known->first == first && known->last == last && known->is_apart == is_apart)
			return i;
	}
	vec_push(&computed->places, place);
	return i;
}

/** Put what was computed until now, since the thread was last seen, into @place. */
static void end_place(struct life *life, uint32_t index, uint64_t computed_ns)
{
	struct computed *computed = &life->computed;
	struct computed_place *place = &computed->places.items[index];

	for (size_t i = 0; i < life_cut_count(life); i++)
		place->cut_ns[i] += cut_part(life, &life->cuts[i], computed_ns);
	place->ns += computed_ns - computed->from_ns;
	for (; computed->first < computed->samples.count; computed->first++)
		if (!computed->samples.items[computed->first].in_fault)
			computed->samples.items[computed->first].place = index;
	computed->from_ns = computed_ns;
}

// Between two faults of one cause hardly anything else is done in less than 16 us, beside the
// samples that were taken there: docs/measured/recording.md.
static const uint64_t LONG_NS = 16000;

static uint32_t rest_of(struct computed *computed)
{
	return place_at(computed, MODEL_INITIATOR_UNKNOWN, MODEL_INITIATOR_UNKNOWN,
			computed->is_ending);
}

/** Return the place between a moment of @initiator and the beginning or the exit of @life. */
static uint32_t one_sided(struct life *life, uint8_t initiator)
{
	return life->is_user_only
		       ? rest_of(&life->computed)
		       : place_at(&life->computed, initiator, MODEL_INITIATOR_UNKNOWN, false);
}

/** Return the place between what @life was seen at and @seen, @ns apart. */
static uint32_t place_between(struct life *life, const struct model_fault *seen, uint64_t ns)
{
	struct computed *computed = &life->computed;
	const uint8_t first = computed->initiator, last = seen->initiator;
	const uint64_t samples_ns =
		(computed->samples.count - computed->first) * (uint64_t)life->sample_ns;

	if (!computed->is_seen || computed->is_ending || last == MODEL_INITIATOR_UNKNOWN)
		return rest_of(computed);
	if (first == MODEL_INITIATOR_UNKNOWN)
		return one_sided(life, last);
	if (first == last)
		return computed->dlopen == seen->dlopen
			       ? place_at(computed, first, first, ns > LONG_NS + samples_ns)
			       : rest_of(computed);
	// A sample of one that sees not the kernel stands for its period, not for a share.
	if (life->is_user_only)
		return rest_of(computed);
	return first < last ? place_at(computed, first, last, false)
			    : place_at(computed, last, first, false);
}

void computed_see(struct life *life, const struct model_fault *seen, uint64_t computed_ns)
{
	struct computed *computed = &life->computed;

	end_place(life, place_between(life, seen, computed_ns - computed->from_ns), computed_ns);
	computed->initiator = seen->initiator;
	computed->dlopen = seen->dlopen;
	computed->is_seen = seen->initiator != MODEL_INITIATOR_UNKNOWN;
}

void computed_begin(struct life *life, enum model_initiator initiator)
{
	life->computed.initiator = (uint8_t)initiator;
	life->computed.dlopen = MODEL_DLOPEN_NO;
	life->computed.is_seen = true;
}

void computed_forget(struct life *life)
{
	life->computed.is_seen = false;
}

void computed_exit(struct life *life, uint64_t computed_ns)
{
	const struct computed *computed = &life->computed;
	const bool is_seen = computed->is_seen && computed->initiator != MODEL_INITIATOR_UNKNOWN;

	end_place(life, is_seen ? one_sided(life, computed->initiator) : rest_of(&life->computed),
		  computed_ns);
	life->computed.is_ending = true;
}

void computed_sample(struct life *life, enum model_initiator initiator, uint64_t period_ns,
		     bool in_fault)
{
	const struct computed_sample sample = {
		.period_ns = period_ns,
		.place = rest_of(&life->computed),
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

/** Samples in one place. */
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

static struct tally tally_of(const struct computed *computed, uint32_t place)
{
	struct tally tally = { 0 };

	vec_foreach (sample, &computed->samples) {
		if (sample->place != place)
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

static double square(double value)
{
	return value * value;
}

/** Return the variance of the share of @ns that @samples give to one that @likely has each. */
static double share_variance(uint64_t ns, double likely, double samples)
{
	return square((double)ns) * likely * (1 - likely) / samples;
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
 * Divide for @cut the @left ns of the place that it has: samples stand, in their order, for as much
 * before each as all of their initiator share, and for as much of the rest as all samples share.
 */
static void divide_cut(const struct life *life, struct life_cut *cut, uint32_t place, uint64_t left,
		       const struct tally *tally, const struct shares *shares)
{
	const enum model_state states[] = { MODEL_STATE_CPU, MODEL_STATE_FAULT };
	uint64_t passed[2][MODEL_INITIATORS] = { 0 }, given[2][MODEL_INITIATORS] = { 0 };
	uint64_t all_passed = 0, rest_given = 0;

	vec_foreach (sample, &life->computed.samples) {
		const uint8_t in_fault = sample->in_fault, i = sample->initiator;

		if (sample->place != place || left == 0)
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

/** Give @ns of what is left of @place, and as much of what the cuts have of it, to @initiator. */
static void give_part(struct life *life, struct computed_place *place,
		      enum model_initiator initiator, uint64_t ns)
{
	give(life, MODEL_STATE_CPU, initiator, ns);
	for (size_t i = 0; i < life_cut_count(life); i++) {
		const uint64_t part = part_of(place->cut_ns[i], ns, place->ns);

		life->cuts[i].by_initiator[initiator].ns[MODEL_STATE_CPU] += part;
		place->cut_ns[i] -= part;
	}
	place->ns -= ns;
}

static bool is_end_of(const struct computed_place *place, enum model_initiator initiator)
{
	return initiator == place->first ||
	       (initiator == place->last && initiator != MODEL_INITIATOR_UNKNOWN);
}

/**
 * Divide what is left of @place, @index, as the samples of @tally divide; of that, what was in
 * faults of unknown duration. Where the kernel is not sampled each sample stands for no more than
 * its period, and the rest is @rest's. @all_ns: of the place, before anything of it was given.
 */
static void divide(struct life *life, uint32_t index, const struct tally *tally, uint64_t all_ns,
		   enum model_initiator rest)
{
	const struct computed_place *place = &life->computed.places.items[index];
	const uint64_t ns = place->ns;
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
		if (found > 0 || (all_ns > ns && is_end_of(place, i)))
			life->cpu_variance[i] += share_variance(all_ns, likely, count + 2);
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
	for (size_t i = 0; i < life_cut_count(life); i++)
		divide_cut(life, &life->cuts[i], index, place->cut_ns[i], tally, &shares);
}

static void divide_rest(struct life *life, uint32_t index)
{
	struct computed_place *place = &life->computed.places.items[index];
	const struct tally tally = tally_of(&life->computed, index);

	// The first moment of the exit may be sampled, but nothing of the rest.
	if (tally.ns > 0 && !place->is_apart) {
		divide(life, index, &tally, place->ns, MODEL_INITIATOR_UNKNOWN);
		return;
	}
	life->unsampled_ns += place->ns;
	life->exit_ns += place->is_apart ? place->ns : 0;
	for (size_t i = 0; i < life_cut_count(life); i++) {
		life->cuts[i].unsampled_ns += place->cut_ns[i];
		life->cuts[i].exit_ns += place->is_apart ? place->cut_ns[i] : 0;
	}
	give_part(life, place, MODEL_INITIATOR_UNKNOWN, place->ns);
}

/**
 * Return the variance of @ns between moments of one cause, where none of @count samples showed
 * another: as if one more had, and no more than without samples.
 */
static double uncontradicted_variance(uint64_t ns, uint64_t count)
{
	const double samples = (double)count + 2;
	const double most = square((double)ns * UNCHECKED_ERROR / 1.96);
	const double variance = share_variance(ns, 1 / samples, samples);

	return variance < most ? variance : most;
}

/**
 * Divide what lies between moments of two causes, or of one that samples contradict: as if half a
 * sample more had been taken, which shows both alike. The beginning and the exit are of no cause.
 */
static void divide_between(struct life *life, uint32_t index, const struct tally *tally)
{
	struct computed_place *place = &life->computed.places.items[index];
	const uint64_t all_ns = place->ns;
	const uint64_t given_ns = life->is_user_only ? 0 : part_of(all_ns, 1, 2 * tally->count + 1);

	const enum model_initiator first = (enum model_initiator)place->first;
	const enum model_initiator last =
		place->last == MODEL_INITIATOR_UNKNOWN ? first : (enum model_initiator)place->last;

	give_part(life, place, last, given_ns / 2);
	give_part(life, place, first, given_ns - given_ns / 2);
	if (tally->ns > 0) {
		divide(life, index, tally, all_ns, first);
		return;
	}
	give_part(life, place, first, place->ns);
	life->cpu_variance[first] += share_variance(all_ns, 0.5, 2);
	life->cpu_variance[last] += last != first ? share_variance(all_ns, 0.5, 2) : 0;
}

static void divide_place(struct life *life, uint32_t index)
{
	struct computed_place *place = &life->computed.places.items[index];
	const enum model_initiator first = (enum model_initiator)place->first;
	const struct tally tally = tally_of(&life->computed, index);

	// Between two causes nothing is seen in a thread without samples.
	if (first == MODEL_INITIATOR_UNKNOWN ||
	    (first != place->last && life->computed.samples.count == 0)) {
		divide_rest(life, index);
		return;
	}
	if (first != place->last) {
		divide_between(life, index, &tally);
		return;
	}
	life->bracketed_ns += place->ns;
	for (size_t i = 0; i < life_cut_count(life); i++)
		life->cuts[i].bracketed_ns += place->cut_ns[i];
	if (tally.counts[first] < tally.count && tally.ns > 0) {
		divide_between(life, index, &tally);
		return;
	}
	life->cpu_variance[first] += uncontradicted_variance(place->ns, tally.count);
	give_part(life, place, first, place->ns);
}

void computed_divide(struct life *life, uint64_t computed_ns)
{
	end_place(life, rest_of(&life->computed), computed_ns);
	for (uint32_t i = 0; i < life->computed.places.count; i++)
		if (life->computed.places.items[i].ns > 0)
			divide_place(life, i);
}

void computed_deinit(struct computed *computed)
{
	vec_deinit(&computed->places);
	vec_deinit(&computed->samples);
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
