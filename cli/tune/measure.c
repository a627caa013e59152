// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/measure.h"

#include "cli/bench/starts.h"

static void summarize(struct bench *bench, struct tunedstart_measure *ret_measure)
{
	bench_summarize(bench);
	*ret_measure = (struct tunedstart_measure){
		.is_known = true,
		.own = bench->difference,
		.processor = bench->processor_difference,
	};
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		const struct bench_summary *of = bench->commands[i].summaries;

		ret_measure->own_ns[i] = of[BENCH_OWN].median;
		ret_measure->processor_ns[i] = of[BENCH_USER].median + of[BENCH_SYSTEM].median;
		ret_measure->faults[i] = of[BENCH_MINOR].median + of[BENCH_MAJOR].median;
	}
}

bool tunemeasure(const struct record_options sides[BENCH_COMMANDS], size_t runs,
		 struct tunedstart_measure *ret_measure)
{
	const struct starts_plan plan = {
		.commands = { sides[0], sides[1] },
		.command_count = BENCH_COMMANDS,
		.warmups = sides[0].cold ? 0 : 1,
		.runs = runs,
		.ignore_failure = true,
	};
	CLEANUP(bench_deinit) struct bench bench = { .command_count = BENCH_COMMANDS };
	const struct bench_start *starts[BENCH_COMMANDS];
	size_t count;

	if (starts_run(&plan, &bench.arena, &bench.notes, starts, &count) != 0)
		return false;
	for (size_t i = 0; i < BENCH_COMMANDS; i++) {
		bench.commands[i].starts = starts[i];
		bench.commands[i].count = count;
	}
	summarize(&bench, ret_measure);
	return true;
}
