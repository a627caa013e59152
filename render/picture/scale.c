// SPDX-License-Identifier: Apache-2.0
#include "render/picture/scale.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>

double scale_place(const struct scale *scale, uint64_t value)
{
	double span = (double)(scale->last - scale->first), before = 0, breaks = 0;

	if (value <= scale->first || scale->last <= scale->first)
		return scale->start;
	if (value >= scale->last)
		return scale->start + scale->length;
	before = (double)(value - scale->first);
	array_foreach (gap, scale->gaps, scale->gap_count) {
		double length = (double)(gap->last - gap->first);

		span -= length;
		if (value <= gap->first)
			continue;
		double part = value < gap->last ? (double)(value - gap->first) : length;

		before -= part;
		breaks += scale->gap_length * (part / length);
	}
	double room = scale->length - scale->gap_length * (double)scale->gap_count;

	return scale->start + breaks + (span > 0 ? room * (before / span) : 0);
}

ORDER_OF(compare_longest, scale_gap,
	 ORDER(y->last - y->first, x->last - x->first) ?: ORDER(x->first, y->first))

ORDER_OF(compare_gaps, scale_gap, ORDER(x->first, y->first))

const struct scale_gap *scale_find_gaps(struct arena *arena, const struct range *spans,
					size_t count, size_t limit, size_t *ret_count)
{
	enum {
		WORTH = 10, // a gap is worth a break from this part of the rest on,
		FAR = 8,    // and if it is so many times as long as the mean
	};
	struct scale_gap *gaps = arena_array(arena, limit + 1, sizeof(*gaps));
	size_t found = 0, used = 0;

	*ret_count = 0;
	if (count < 2)
		return gaps;
	uint64_t reached = spans[0].end;

	// Kept sorted by length, the longest first; one more than wanted has room.
	for (size_t i = 1; i < count; i++) {
		struct scale_gap gap = { reached, spans[i].start };
		size_t at = found;

		if (spans[i].end > reached)
			reached = spans[i].end;
		if (gap.last <= gap.first)
			continue;
		while (at > 0 && compare_longest(&gap, &gaps[at - 1]) < 0) {
			gaps[at] = gaps[at - 1];
			at--;
		}
		if (at < limit)
			gaps[at] = gap;
		if (found < limit)
			found++;
	}
	uint64_t left = reached - spans[0].start;

	while (used < found) {
		uint64_t length = gaps[used].last - gaps[used].first;

		if (length <= left / WORTH || length / FAR < left / count)
			break;
		left -= length;
		used++;
	}
	qsort(gaps, used, sizeof(*gaps), compare_gaps);
	*ret_count = used;
	return gaps;
}

// ---- Ticks ----------------------------------------------------------------------------------

/** A unit that labels are written in. */
struct unit {
	uint64_t size;
	const char *name;
};

/** The smallest round step that makes at most @limit ticks of @span; 0: there is none. */
static uint64_t decimal_step(uint64_t span, size_t limit)
{
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
		static const unsigned factors[] = { 1, 2, 5 };

		for (size_t i = 0; i < 3; i++)
			if (span / (power * factors[i]) < limit)
				return power * factors[i];
	}
	return 0;
}

static uint64_t binary_step(uint64_t span, size_t limit)
{
	for (unsigned shift = 0; shift < 64; shift++)
		if (span >> shift < limit)
			return 1ULL << shift;
	return 0;
}

/** The largest unit that @last has at least one of. */
static struct unit unit_of(const struct unit *units, size_t count, uint64_t last)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (last >= units[i].size)
			found = i;
	return units[found];
}

/** How many decimals tell multiples of @step in a @unit apart: few steps are that small. */
static int decimals_of(uint64_t step, uint64_t unit)
{
	enum { DECIMALS_MAX = 9 };
	uint64_t rest = step % unit;
	int decimals = 0;

	while (rest != 0 && decimals < DECIMALS_MAX) {
		rest = (uint64_t)((unsigned __int128)rest * 10 % unit);
		decimals++;
	}
	return decimals;
}

/** The gap that holds @value within, or NULL. */
static const struct scale_gap *gap_at(const struct scale *scale, uint64_t value)
{
	for (size_t i = 0; i < scale->gap_count; i++)
		if (value > scale->gaps[i].first && value < scale->gaps[i].last)
			return &scale->gaps[i];
	return NULL;
}

/** The first multiple of @step from @value on; false: there is none. */
static bool next_multiple(uint64_t value, uint64_t step, uint64_t *ret_multiple)
{
	uint64_t below = value / step * step;

	*ret_multiple = below;
	return below == value || !__builtin_add_overflow(below, step, ret_multiple);
}

/** Return the drawn length of an axis: all but its gaps. */
static uint64_t span_of(const struct scale *scale)
{
	uint64_t span = scale->last > scale->first ? scale->last - scale->first : 0;

	for (size_t i = 0; i < scale->gap_count; i++)
		span -= scale->gaps[i].last - scale->gaps[i].first;
	return span;
}

static const struct scale_tick *make_ticks(struct arena *arena, const struct scale *scale,
					   uint64_t step, const struct unit *unit, size_t limit,
					   size_t *ret_count)
{
	struct scale_tick *ticks = arena_array(arena, limit, sizeof(*ticks));
	int decimals = decimals_of(step, unit->size);
	size_t count = 0;

	*ret_count = 0;
	if (step == 0 || scale->last < scale->first)
		return ticks;
	// Beside breaks there is not always room for a label.
	double apart = scale->length / (double)limit / 2;
	uint64_t value;
	bool goes_on = next_multiple(scale->first, step, &value);

	while (goes_on && value <= scale->last && count < limit) {
		const struct scale_gap *gap = gap_at(scale, value);
		double place = scale_place(scale, value);

		if (gap) {
			goes_on = next_multiple(gap->last, step, &value);
			continue;
		}
		if (count == 0 || place - ticks[count - 1].place >= apart)
			ticks[count++] = (struct scale_tick){
				.value = value,
				.place = place,
				.label = value == 0
						 ? "0"
						 : arena_printf(arena, "%.*f %s", decimals,
								(double)value / (double)unit->size,
								unit->name),
			};
		goes_on = !__builtin_add_overflow(value, step, &value);
	}
	*ret_count = count;
	return ticks;
}

const struct scale_tick *scale_time_ticks(struct arena *arena, const struct scale *scale,
					  const char *micro, size_t limit, size_t *ret_count)
{
	enum { FINER = 8 };
	const struct unit units[] = {
		{ 1, "ns" }, { 1000, micro }, { 1000000, "ms" }, { 1000000000, "s" }
	};
	struct unit unit = unit_of(units, sizeof(units) / sizeof(units[0]), scale->last);
	const struct scale_tick *ticks = NULL;

	// What is in gaps falls out: then a finer step has more to show.
	for (size_t finer = 1; finer <= FINER; finer *= 2) {
		uint64_t step = decimal_step(span_of(scale), limit * finer);

		ticks = make_ticks(arena, scale, step, &unit, limit, ret_count);
		if (2 * *ret_count >= limit || scale->gap_count == 0)
			break;
	}
	return ticks;
}

const struct scale_tick *scale_size_ticks(struct arena *arena, const struct scale *scale,
					  size_t limit, size_t *ret_count)
{
	static const struct unit units[] = { { 1, "B" },
					     { 1ULL << 10, "KiB" },
					     { 1ULL << 20, "MiB" },
					     { 1ULL << 30, "GiB" },
					     { 1ULL << 40, "TiB" } };
	struct unit unit = unit_of(units, sizeof(units) / sizeof(units[0]), scale->last);

	return make_ticks(arena, scale, binary_step(span_of(scale), limit), &unit, limit,
			  ret_count);
}

// ---- Shares ---------------------------------------------------------------------------------

/** A part's claim on what whole units leave over. */
struct claim {
	size_t part;
	double rest;
};

ORDER_OF(compare_claims, claim, ORDER(y->rest, x->rest) ?: ORDER(x->part, y->part))

/** Give @total units by @weights, on top of what is in @shares; largest remainders first. */
static void share_by_weight(const double *weights, size_t count, unsigned total, unsigned *shares)
{
	CLEANUP(freep) struct claim *claims = xcalloc(count, sizeof(*claims));
	double sum = 0;
	unsigned given = 0;

	for (size_t i = 0; i < count; i++)
		sum += weights[i];
	for (size_t i = 0; i < count && sum > 0; i++) {
		double exact = total * (weights[i] / sum);
		unsigned whole = (unsigned)exact; // of at most total

		shares[i] += whole;
		given += whole;
		claims[i] = (struct claim){ i, exact - whole };
	}
	if (sum > 0)
		qsort(claims, count, sizeof(*claims), compare_claims);
	for (size_t i = 0; i < count && sum > 0 && given < total; i++, given++)
		shares[claims[i].part]++;
}

void scale_share(const double *weights, const unsigned *minima, size_t count, unsigned total,
		 unsigned *ret_shares)
{
	CLEANUP(freep) double *wanted = xcalloc(count, sizeof(*wanted));
	uint64_t least = 0;
	unsigned given = 0;

	for (size_t i = 0; i < count; i++) {
		wanted[i] = minima[i];
		least += minima[i];
		ret_shares[i] = 0;
	}
	// Two thirds, so that where there is little room what weighs most still stands out.
	if (3 * least > 2 * (uint64_t)total)
		share_by_weight(wanted, count, total / 3 * 2, ret_shares);
	else
		for (size_t i = 0; i < count; i++)
			ret_shares[i] = minima[i];
	for (size_t i = 0; i < count; i++)
		given += ret_shares[i];
	share_by_weight(weights, count, total - given, ret_shares);
}
