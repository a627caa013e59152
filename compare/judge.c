// SPDX-License-Identifier: Apache-2.0
#include "compare/judge.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/order.h"
#include "base/vec.h"
#include "machine/page.h"

#include <math.h>
#include <string.h>

bool judge_can_tell(const size_t run_count[COMPARE_SIDES])
{
	size_t before = run_count[COMPARE_BEFORE], count = before + run_count[COMPARE_AFTER];
	double ways = 1;

	// Two of all the ways to share the runs out lie farthest apart.
	for (size_t i = 0; i < before && ways < 1e9; i++)
		ways = ways * (double)(count - i) / (double)(i + 1);
	return before > 0 && before < count && 2 / ways <= JUDGE_ALPHA;
}

static bool is_constant(const uint64_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/** Everything but the verdict between noise and real, which depends on other rows. */
static void fill(struct compare_figure *figure, const uint64_t *values, const size_t *run_count,
		 bool can_tell, double *ret_least)
{
	const uint64_t *sides[] = { values, values + run_count[COMPARE_BEFORE] };

	*ret_least = 1;
	for (int side = 0; side < COMPARE_SIDES; side++) {
		figure->median[side] = median_of(sides[side], run_count[side]);
		figure->spread[side] = median_spread(sides[side], run_count[side]);
	}
	figure->difference = figure->median[COMPARE_AFTER] - figure->median[COMPARE_BEFORE];
	figure->p = 1;
	if (is_constant(values, run_count[COMPARE_BEFORE] + run_count[COMPARE_AFTER])) {
		figure->verdict = COMPARE_SAME;
		return;
	}
	figure->verdict = can_tell ? COMPARE_NOISE : COMPARE_UNKNOWN;
	if (!can_tell)
		return;
	const struct ranktest test = ranktest(sides[COMPARE_BEFORE], run_count[COMPARE_BEFORE],
					      sides[COMPARE_AFTER], run_count[COMPARE_AFTER]);
	figure->p = test.p;
	*ret_least = test.least;
}

/** The least and the greatest of a side's numbers. */
struct limits {
	double low, high;
};

/** The largest of the sorted @ps that is still believed; 0: none. */
static double threshold(const double *ps, size_t count, double alpha)
{
	double found = 0;

	for (size_t i = 0; i < count; i++)
		if (ps[i] <= alpha * (double)(i + 1) / (double)count)
			found = ps[i];
	return found;
}

static double as_it_is(double value, double unit)
{
	return value;
}

/** On a scale where equal distances are equal ratios, as far as steps of @unit tell them. */
static double as_ratio(double value, double unit)
{
	return log(value + unit);
}

typedef double scale(double value, double unit);

static struct limits limits_of(const uint64_t *values, size_t count, scale *scale, double unit)
{
	struct limits limits = { INFINITY, -INFINITY };

	for (size_t i = 0; i < count; i++) {
		limits.low = fmin(limits.low, scale((double)values[i], unit));
		limits.high = fmax(limits.high, scale((double)values[i], unit));
	}
	return limits;
}

/** How far the sides lie from each other, nearest runs taken, and what is small beside that. */
struct distance {
	double gap;    // negative: they overlap
	double spread; // the larger of both sides' whole ranges
};

static struct distance distance_of(const uint64_t *values, const size_t *run_count, scale *scale,
				   double unit)
{
	const size_t *count = run_count;
	const struct limits before = limits_of(values, count[COMPARE_BEFORE], scale, unit),
			    after = limits_of(values + count[COMPARE_BEFORE], count[COMPARE_AFTER],
					      scale, unit);

	return (struct distance){ fmax(before.low - after.high, after.low - before.high),
				  fmax(before.high - before.low, after.high - after.low) };
}

/**
 * Does more than so many times the spread lie between the sides? Few runs
 * that are all alike may be so by chance: a page that one start in two touches is on five runs and
 * not on five others once in 500 comparisons, and a program has many such pages.
 */
static bool stands_apart(struct distance distance, double times)
{
	return distance.gap > times * distance.spread;
}

/** The numbers of @item, one behind the other. */
static void gather(const struct judged *item, size_t runs, uint64_t *values)
{
	for (size_t run = 0; run < runs; run++)
		values[run] = item->values[run * item->stride];
}

struct judged judge_of_time(struct compare_figure *figure, const uint64_t *runs)
{
	enum { STEP_NS = 50000 };

	return (struct judged){ figure, runs, .stride = 1, .unit = STEP_NS, .scales = true };
}

void judge(const struct judged *items, size_t count, const size_t run_count[COMPARE_SIDES])
{
	size_t runs = run_count[COMPARE_BEFORE] + run_count[COMPARE_AFTER];
	CLEANUP(freep) uint64_t *values = xcalloc(runs + 1, sizeof(*values));
	CLEANUP(freep) double *ps = xcalloc(count + 1, sizeof(*ps));
	bool can_tell = judge_can_tell(run_count);
	size_t tested = 0;

	for (size_t i = 0; i < count; i++) {
		double least;

		gather(&items[i], runs, values);
		fill(items[i].figure, values, run_count, can_tell, &least);
		items[i].figure->runs = items[i].values;
		items[i].figure->stride = items[i].stride;
		if (least <= JUDGE_ALPHA)
			ps[tested++] = items[i].figure->p;
	}
	if (tested == 0)
		return;
	qsort(ps, tested, sizeof(*ps), order_double);
	double limit = threshold(ps, tested, JUDGE_ALPHA);
	double limit_of_rank = threshold(ps, tested, JUDGE_ALPHA_RANK);
	for (size_t i = 0; i < count; i++) {
		struct compare_figure *figure = items[i].figure;

		figure->doubt = COMPARE_DOUBT_RANK;
		if (figure->verdict != COMPARE_NOISE || figure->p > JUDGE_ALPHA)
			continue;
		// A shift of rank that is smaller than the runs' own spread changes nothing that a
		// reader would notice.
		figure->doubt = COMPARE_DOUBT_SPREAD;
		if (fabs(figure->difference) <= figure->spread[COMPARE_BEFORE] ||
		    fabs(figure->difference) <= figure->spread[COMPARE_AFTER])
			continue;
		gather(&items[i], runs, values);
		double unit = items[i].unit;
		const struct distance distance = distance_of(values, run_count, as_it_is, unit);
		// A slow side scatters by more than a fast one takes: 18 to 43 ms against 4 to 7.
		const struct distance ratio =
			items[i].scales ? distance_of(values, run_count, as_ratio, unit) : distance;
		bool is_near = distance.gap <= 2 * unit;
		// So far apart that p, which cannot be small of few runs, need not be clearer for
		// the rows beside it. Of counts alone: among a thousand times some lie so by
		// chance.
		bool is_far = unit > 0 && (stands_apart(distance, 2) || stands_apart(ratio, 2));
		bool is_apart = stands_apart(distance, 1) || stands_apart(ratio, 1);

		if (figure->p <= limit_of_rank ||
		    (!is_near && (is_far || (is_apart && figure->p <= limit))))
			figure->verdict = COMPARE_REAL;
		else
			figure->doubt = is_near	    ? COMPARE_DOUBT_NEAR
					: !is_apart ? COMPARE_DOUBT_SCATTER
						    : COMPARE_DOUBT_ROWS;
	}
}

void judge_alone(const struct judged *item, const size_t run_count[COMPARE_SIDES])
{
	size_t runs = run_count[COMPARE_BEFORE] + run_count[COMPARE_AFTER];
	CLEANUP(freep) uint64_t *values = xcalloc(runs + 1, sizeof(*values));

	judge(item, 1, run_count);
	gather(item, runs, values);
	if (item->figure->verdict == COMPARE_NOISE &&
	    distance_of(values, run_count, as_it_is, item->unit).gap > 2 * item->unit)
		item->figure->verdict = COMPARE_REAL;
}

void judge_rows(struct compare_row *rows, size_t count, const size_t run_count[COMPARE_SIDES])
{
	CLEANUP(freep) struct judged *items = xcalloc(count + 1, sizeof(*items));

	for (int metric = 0; metric < COMPARE_METRICS; metric++) {
		// Bytes are read in pages.
		double unit = metric == COMPARE_DURATION || metric == COMPARE_OWN ? 0
			      : metric == COMPARE_READ				  ? MACHINE_PAGE
										  : 1;

		for (size_t i = 0; i < count; i++)
			items[i] = (struct judged){ .figure = &rows[i].figures[metric],
						    .values = rows[i].runs + metric,
						    .stride = COMPARE_METRICS,
						    .unit = unit };
		judge(items, count, run_count);
		for (size_t i = 0; i < count; i++)
			rows[i].figures[metric].metric = metric;
	}
}
