// SPDX-License-Identifier: Apache-2.0
// The measurements of `bench`, for a person.
#include "render/bench/bench.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "render/table/fold.h"
#include "render/table/table.h"
#include "render/table/wrap.h"

#include <math.h>

enum { PARTS_SHOWN = 4 };

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

/** Did the starts of a command wait for a processor for more than a twentieth of their time? */
static bool is_busy(const struct bench *bench)
{
	enum { PART = 20 };

	for (size_t i = 0; i < bench->command_count; i++)
		if (bench->commands[i].summaries[BENCH_LATE].median * PART >
		    bench->commands[i].summaries[BENCH_WALL].median)
			return true;
	return false;
}

static void add_row(struct benchtext *text, struct table *table, size_t index)
{
	const struct bench_command *command = &text->bench->commands[index];
	const struct bench_summary *of = command->summaries;

	table_begin_row(table);
	table_cellf(table, "", TABLE_LEFT, "%c", name_of(index));
	table_cell(table, "starts", TABLE_RIGHT, figure_number(&text->arena, command->count));
	table_cell(table, "median", TABLE_RIGHT, time_of(text, of[BENCH_OWN].median));
	table_cellf(table, "middle half", TABLE_RIGHT, "%s to %s",
		    time_of(text, of[BENCH_OWN].low_quartile),
		    time_of(text, of[BENCH_OWN].high_quartile));
	table_cell(table, "least", TABLE_RIGHT, time_of(text, (double)of[BENCH_OWN].least));
	if (is_busy(text->bench))
		table_cell(table, "late", TABLE_RIGHT, time_of(text, of[BENCH_LATE].median));
	if (command->is_whole) {
		table_cell(table, "user", TABLE_RIGHT, time_of(text, of[BENCH_USER].median));
		table_cell(table, "system", TABLE_RIGHT, time_of(text, of[BENCH_SYSTEM].median));
	} else {
		table_cell(table, "processor", TABLE_RIGHT,
			   time_of(text, of[BENCH_PROCESSOR].median));
	}
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
				    "No difference between A and B is shown: %+.1f%% (95 %% "
				    "interval: %+.1f%% to %+.1f%%)",
				    difference->change * 100, difference->low * 100,
				    difference->high * 100);
	case BENCH_TOO_FEW:
		break;
	}
	return "Too few starts for a verdict: at least 6 of each are needed";
}

/** The sentence on processor time, which other programs hardly change. */
static const char *processor_answer(struct benchtext *text)
{
	const struct bench_difference *difference = &text->bench->processor_difference;
	const bool is_less = difference->verdict == BENCH_FASTER;

	if (difference->verdict == BENCH_NO_DIFFERENCE)
		return arena_printf(&text->arena,
				    "Processor time: no difference is shown: %+.1f%% (95 %% "
				    "interval: %+.1f%% to %+.1f%%)",
				    difference->change * 100, difference->low * 100,
				    difference->high * 100);
	return arena_printf(&text->arena,
			    "Processor time: B takes %s %s than A (95 %% interval: %s to %s)",
			    percent(text, difference->change), is_less ? "less" : "more",
			    percent(text, is_less ? difference->high : difference->low),
			    percent(text, is_less ? difference->low : difference->high));
}

/** "cpu in program", "wait". */
static const char *part_name(struct arena *arena, uint32_t state, uint32_t initiator)
{
	const char *name = model_state_name((enum model_state)state);

	if (initiator == MODEL_NONE)
		return name;
	return arena_printf(arena, "%s in %s", name,
			    initiator == MODEL_INITIATOR_UNKNOWN
				    ? "unknown code"
				    : model_initiator_name((enum model_initiator)initiator));
}

/** The reason for the difference, in a line. */
static const char *reason_line(struct benchtext *text)
{
	const struct bench *bench = text->bench;
	const struct bench_reason *reason = &bench->reason;
	struct arena *arena = &text->arena;
	const char *line = "";

	if (bench->no_reason)
		return arena_printf(arena, "not looked for: %s", bench->no_reason);
	if (!reason->is_found)
		return arena_printf(arena, "none found in %zu recorded starts of each",
				    bench->recorded);
	if (reason->has_time) {
		double part_ns = reason->after_ns - reason->before_ns;

		line = arena_printf(
			arena, "%s%s takes %s %s (%s -> %s) of %s in all%s",
			part_name(arena, reason->state, reason->initiator),
			reason->is_main ? "" : " of all threads", time_of(text, fabs(part_ns)),
			part_ns < 0 ? "less" : "more", time_of(text, reason->before_ns),
			time_of(text, reason->after_ns),
			time_of(text, fabs(bench_difference_ns(bench))), reason->title ? "; " : "");
	}
	return reason->title ? arena_printf(arena, "%s%s", line, reason->title) : line;
}

/** "program 5.10 ms, relocation 2.04 ms, 3 others 0.40 ms": what a start consists of. */
static const char *parts_line(struct benchtext *text)
{
	const struct bench *bench = text->bench;
	struct arena *arena = &text->arena;
	const char *line = "";
	uint64_t rest_ns = 0;

	if (!bench->parts)
		return bench->no_reason ? arena_printf(arena, "none: %s", bench->no_reason)
					: "not known: the recordings have no account of time";
	for (size_t i = 0; i < bench->part_count; i++) {
		const struct bench_part *part = &bench->parts[i];

		if (i >= PARTS_SHOWN) {
			rest_ns += part->ns;
			continue;
		}
		line = arena_printf(
			arena, "%s%s%s %s", line, i > 0 ? ", " : "",
			part->initiator == MODEL_NONE
				? "waiting"
				: model_initiator_name((enum model_initiator)part->initiator),
			time_of(text, (double)part->ns));
	}
	if (bench->part_count <= PARTS_SHOWN)
		return line;
	return arena_printf(arena, "%s, %zu more %s", line, bench->part_count - PARTS_SHOWN,
			    time_of(text, (double)rest_ns));
}

static void print_line(struct benchtext *text, const char *line)
{
	wrap_print(text->out, text->terminal, 0,
		   table_fit(&text->arena, text->terminal, line, SIZE_MAX));
	fputc('\n', text->out);
}

bool render_bench_text(const struct bench *bench, const struct terminal *terminal, FILE *out)
{
	struct benchtext text = { .bench = bench,
				  .terminal = terminal,
				  .out = fold_open(out, terminal) };
	CLEANUP(table_destroyp) struct table *table = table_create(terminal);

	for (size_t i = 0; i < bench->command_count; i++)
		print_command(&text, i);
	if (bench->until)
		fprintf(text.out,
			"until %s, each start recorded without stacks, samples and storage\n",
			bench->until);
	fputc('\n', text.out);
	for (size_t i = 0; i < bench->command_count; i++)
		add_row(&text, table, i);
	table_print(table, text.out);
	if (bench->command_count == BENCH_COMMANDS) {
		fputc('\n', text.out);
		terminal_line(text.out, terminal, TERMINAL_BOLD, "%s", answer(&text));
		if (is_busy(bench))
			print_line(&text,
				   "All times leave out `late`: the machine was busy, and for "
				   "so long a start waited for a processor");
		if (bench->processor_difference.has_limits)
			print_line(&text, processor_answer(&text));
		if (bench_has_difference(bench))
			print_line(&text,
				   arena_printf(&text.arena, "Reason: %s", reason_line(&text)));
	} else if (bench->command_count == 1) {
		fputc('\n', text.out);
		print_line(&text,
			   arena_printf(&text.arena, "A recorded start: %s", parts_line(&text)));
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
