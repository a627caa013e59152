// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/measure.h"

#include "cli/bench/starts.h"

static void summarize(struct bench *bench, struct tunemeasure *ret_measure)
{
	bench_summarize(bench);
	ret_measure->difference = bench->difference;
	ret_measure->pairs = bench->commands[0].count;
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		const struct bench_summary *summaries = bench->commands[i].summaries;

		ret_measure->wall_ns[i] = summaries[BENCH_WALL].median;
		ret_measure->faults[i] =
			summaries[BENCH_MINOR].median + summaries[BENCH_MAJOR].median;
	}
}

static int measure(const struct record_options *plain, const struct record_options *tuned,
		   size_t runs, struct tunemeasure *ret_measure)
{
	const struct starts_plan plan = {
		.commands = { *plain, *tuned },
		.command_count = BENCH_COMMANDS,
		.warmups = plain->cold ? 0 : 1,
		.runs = runs,
		.ignore_failure = true,
	};
	CLEANUP(bench_deinit) struct bench bench = { .command_count = BENCH_COMMANDS };
	const struct bench_start *starts[BENCH_COMMANDS];
	size_t count;
	int status = starts_run(&plan, &bench.arena, &bench.notes, starts, &count);

	if (status != 0)
		return status;
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		bench.commands[i].starts = starts[i];
		bench.commands[i].count = count;
	}
	summarize(&bench, ret_measure);
	return 0;
}

int tunemeasure_warm(const struct record_options *plain, const struct record_options *tuned,
		     size_t runs, struct tunemeasure *ret_measure)
{
	return measure(plain, tuned, runs, ret_measure);
}

int tunemeasure_cold(const struct record_options *plain, const struct record_options *tuned,
		     const struct record_files *files, size_t pairs,
		     struct tunemeasure *ret_measure)
{
	struct record_options sides[BENCH_COMMANDS] = { *plain, *tuned };

	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		sides[i].cold = RECORD_COLD_FILES;
		sides[i].files = files;
	}
	return measure(&sides[0], &sides[1], pairs, ret_measure);
}
