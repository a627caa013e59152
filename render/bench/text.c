// SPDX-License-Identifier: Apache-2.0
// What `bench` measured, for a person.
#include "render/bench/bench.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/table/fold.h"
#include "render/table/table.h"

#include <math.h>

struct benchtext {
	const struct bench *bench;
	const struct terminal *terminal;
	FILE *out;
	struct arena arena;
};

static char name_of(size_t command)
{
	return (char)('A' + command);
}

/** In milliseconds with three digits that count: starts are compared by a hundredth. */
static const char *time_of(struct benchtext *text, double ns)
{
	double ms = ns / 1e6;

	return arena_printf(&text->arena, "%.*f ms", ms < 10 ? 2 : ms < 100 ? 1 : 0, ms);
}

static void print_command(struct benchtext *text, size_t index)
{
	const struct bench_command *command = &text->bench->commands[index];
	CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

	strbuf_put_words(&line, command->words, command->word_count);
	fprintf(text->out, "%c  %s\n", name_of(index),
		table_fit(&text->arena, text->terminal, strbuf_text(&line), SIZE_MAX));
}

static void add_row(struct benchtext *text, struct table *table, size_t index)
{
	const struct bench_command *command = &text->bench->commands[index];
	const struct bench_summary *of = command->summaries;

	table_begin_row(table);
	table_cellf(table, "", TABLE_LEFT, "%c", name_of(index));
	table_cell(table, "starts", TABLE_RIGHT, figure_number(&text->arena, command->count));
	table_cell(table, "median", TABLE_RIGHT, time_of(text, of[BENCH_WALL].median));
	table_cellf(table, "middle half", TABLE_RIGHT, "%s to %s",
		    time_of(text, of[BENCH_WALL].low_quartile),
		    time_of(text, of[BENCH_WALL].high_quartile));
	table_cell(table, "least", TABLE_RIGHT, time_of(text, (double)of[BENCH_WALL].least));
	table_cell(table, "user", TABLE_RIGHT, time_of(text, of[BENCH_USER].median));
	table_cell(table, "system", TABLE_RIGHT, time_of(text, of[BENCH_SYSTEM].median));
	table_cell(table, "minor", TABLE_RIGHT,
		   figure_median(&text->arena, of[BENCH_MINOR].median));
	table_cell(table, "major", TABLE_RIGHT,
		   figure_median(&text->arena, of[BENCH_MAJOR].median));
}

/** "3.1%", of a share without its sign. */
static const char *percent(struct benchtext *text, double share)
{
	return arena_printf(&text->arena, "%.1f%%", fabs(share) * 100);
}

/** The sentence of the verdict. */
static const char *answer(struct benchtext *text)
{
	const struct bench_difference *difference = &text->bench->difference;
	struct arena *arena = &text->arena;
	bool is_faster = difference->verdict == BENCH_FASTER;
	double near = is_faster ? difference->high : difference->low;
	double far = is_faster ? difference->low : difference->high;

	switch (difference->verdict) {
	case BENCH_FASTER:
	case BENCH_SLOWER:
		return arena_printf(arena, "B is %s %s than A (95 %% interval: %s to %s)",
				    percent(text, difference->change),
				    bench_verdict_name(difference->verdict), percent(text, near),
				    percent(text, far));
	case BENCH_NO_DIFFERENCE:
		return arena_printf(arena,
				    "No difference shown: B takes %+.1f%% of A's time more (95 %% "
				    "interval: %+.1f%% to %+.1f%%)",
				    difference->change * 100, difference->low * 100,
				    difference->high * 100);
	case BENCH_TOO_FEW:
		break;
	}
	return "Too few starts for a verdict: at least 6 of each are needed";
}

bool render_bench_text(const struct bench *bench, const struct terminal *terminal, FILE *out)
{
	struct benchtext text = { .bench = bench,
				  .terminal = terminal,
				  .out = fold_open(out, terminal) };
	CLEANUP(table_destroyp) struct table *table = table_create(terminal);

	for (size_t i = 0; i < bench->command_count; i++)
		print_command(&text, i);
	fputc('\n', text.out);
	for (size_t i = 0; i < bench->command_count; i++)
		add_row(&text, table, i);
	table_print(table, text.out);
	if (bench->command_count == BENCH_COMMANDS) {
		fputc('\n', text.out);
		terminal_line(text.out, terminal, TERMINAL_BOLD, "%s", answer(&text));
	}
	for (size_t i = 0; i < bench->command_count; i++)
		if (bench->commands[i].failures > 0)
			fprintf(text.out, "%c: %s of %s starts failed\n", name_of(i),
				figure_number(&text.arena, bench->commands[i].failures),
				figure_number(&text.arena, bench->commands[i].count));
	table_notes(text.out, terminal, &bench->notes, "");
	arena_deinit(&text.arena);
	return fold_close(text.out, out);
}
