// SPDX-License-Identifier: Apache-2.0
#include "compare/bench.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/median.h"
#include "compare/signedrank.h"

#include <math.h>

enum {
	LEAST_PAIRS = 10,
	FIRST_LOOK = 20,
	BLOCK = 2, // pairs whose order one chance decides
};

/** Half of an interval's width: a difference of 3 % is then outside it in four of five cases. */
static const double half_width = 0.02;

const char *bench_verdict_name(enum bench_verdict verdict)
{
	static const char *const names[] = {
		[BENCH_FASTER] = "faster",
		[BENCH_SLOWER] = "slower",
		[BENCH_NO_DIFFERENCE] = "no-difference",
		[BENCH_TOO_FEW] = "too-few",
	};

	return names[verdict];
}

struct bench_difference bench_judge(const struct bench_start *const *starts, size_t pairs,
				    enum bench_metric time)
{
	CLEANUP(freep) double *ratios = xcalloc(pairs + 1, sizeof(*ratios));

	for (size_t i = 0; i < pairs; i++)
		// The kernel may have counted nothing of what computes for less than a microsecond.
		ratios[i] = log(fmax((double)starts[1][i].values[time], 1) /
				fmax((double)starts[0][i].values[time], 1));
	const struct signedrank ranks = signedrank(ratios, pairs, BLOCK);

	return (struct bench_difference){
		.pairs = pairs,
		.verdict = !ranks.has_limits ? BENCH_TOO_FEW
			   : ranks.high < 0  ? BENCH_FASTER
			   : ranks.low > 0   ? BENCH_SLOWER
					     : BENCH_NO_DIFFERENCE,
		.change = expm1(ranks.center),
		.has_limits = ranks.has_limits,
		.low = expm1(ranks.low),
		.high = expm1(ranks.high),
	};
}

size_t bench_next_look(size_t pairs)
{
	return pairs < FIRST_LOOK ? FIRST_LOOK : pairs + (pairs + 1) / 2;
}

bool bench_has_enough(const struct bench_start *const *starts, size_t pairs, uint64_t elapsed_ns,
		      uint64_t limit_ns, size_t *look)
{
	if (elapsed_ns >= limit_ns && pairs >= LEAST_PAIRS)
		return true;
	if (pairs < *look)
		return false;
	const struct bench_difference found = bench_judge(starts, pairs, BENCH_OWN);

	*look = bench_next_look(pairs);
	return (found.high - found.low) / 2 <= half_width;
}

bool bench_has_difference(const struct bench *bench)
{
	return bench->command_count == BENCH_COMMANDS &&
	       (bench->difference.verdict == BENCH_FASTER ||
		bench->difference.verdict == BENCH_SLOWER);
}

double bench_difference_ns(const struct bench *bench)
{
	return bench->commands[0].summaries[BENCH_OWN].median * bench->difference.change;
}

static struct bench_summary summarize(const struct bench_command *command, enum bench_metric metric)
{
	CLEANUP(freep) uint64_t *values = xcalloc(command->count + 1, sizeof(*values));

	for (size_t i = 0; i < command->count; i++)
		values[i] = command->starts[i].values[metric];
	return (struct bench_summary){
		.median = median_of(values, command->count),
		.low_quartile = median_quantile(values, command->count, 0.25),
		.high_quartile = median_quantile(values, command->count, 0.75),
		.least = figure_whole(median_quantile(values, command->count, 0)),
		.greatest = figure_whole(median_quantile(values, command->count, 1)),
	};
}

void bench_summarize(struct bench *bench)
{
	array_foreach (command, bench->commands, bench->command_count) {
		command->is_whole = !bench->until;
		for (int metric = 0; metric < BENCH_METRICS; metric++)
			command->summaries[metric] = summarize(command, (enum bench_metric)metric);
		for (size_t k = 0; k < command->count; k++)
			command->failures += command->starts[k].status != 0;
	}
	if (bench->command_count < BENCH_COMMANDS)
		return;
	const struct bench_command *first = &bench->commands[0], *second = &bench->commands[1];
	const struct bench_start *const starts[] = { first->starts, second->starts };

	const size_t pairs = first->count < second->count ? first->count : second->count;

	bench->difference = bench_judge(starts, pairs, BENCH_OWN);
	bench->processor_difference = bench_judge(starts, pairs, BENCH_PROCESSOR);
}

void bench_deinit(struct bench *bench)
{
	notes_deinit(&bench->notes);
	arena_deinit(&bench->arena);
}
