// SPDX-License-Identifier: Apache-2.0
// `elfault bench`: starts commands in turn and judges which of them is faster.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/strbuf.h"
#include "cli/answer/answer.h"
#include "cli/bench/folder.h"
#include "cli/bench/reason.h"
#include "cli/bench/starts.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "model/shown.h"

#include <string.h>
#include <unistd.h>

enum { RUNS_MOST = 1000, RECORDINGS_MOST = 100, FAILED = 125, INTERRUPTED = 130 };

struct bench_arguments {
	char **words; // of all commands
	char **commands[BENCH_COMMANDS];
	struct starts_plan plan;
	size_t recordings; // of each command
	bool as_root, shows_output, is_cold;
	struct until until;
	struct strbuf until_text; // of the conditions
	struct option_values shared;
};

static struct bench_arguments given = { .plan.warmups = 1, .recordings = 7 };

static bool add_preparation(char *text, struct err *err)
{
	if (given.plan.prepare_count == BENCH_COMMANDS)
		return err_set(err, ERR_INPUT, "more than two --prepare");
	given.plan.prepare[given.plan.prepare_count++] = text;
	return true;
}

static bool add_condition(char *text, struct err *err)
{
	strbuf_printf(&given.until_text, "%s%s", given.until_text.length > 0 ? " or " : "", text);
	return until_add(&given.until, NULL, text, true, err);
}

static const struct option_row options[] = {
	{ "warmup", .letter = 'w', .argument = "N", .number = &given.plan.warmups,
	  .most = RUNS_MOST,
	  .help = "Start each command N times before what is measured (default 1)" },
	{ "runs", .letter = 'r', .argument = "N", .number = &given.plan.runs, .least = 1,
	  .most = RUNS_MOST,
	  .help = "Start each command exactly N times (default: until the interval of the "
		  "difference is 4 % wide, or 30 seconds are over; of one command at least 10 "
		  "times "
		  "and for 3 seconds)" },
	{ "prepare", .letter = 'p', .argument = "COMMAND", .parse = add_preparation,
	  .expected = "a command",
	  .help = "Run COMMAND in a shell before each start, which is not measured; given twice: "
		  "before those of the first, and of the second command" },
	{ "until", .argument = "CONDITION", .parse = add_condition, .expected = "a condition",
	  .help = "Measure until CONDITION holds, or the first of several, and end the command "
		  "then: "
		  "listen, output~REGEX and others, as elfault record has them" },
	{ "cold", .flag = &given.is_cold,
	  .help = "Drop the files that a command maps from the page cache before each of its "
		  "starts; each command is recorded once to find them" },
	{ "recordings", .argument = "N", .number = &given.recordings, .most = RECORDINGS_MOST,
	  .help = "Then record N starts of each command to find the reason for the difference, or "
		  "what the time of a single one is spent on (default 7; 0: none)" },
	{ "ignore-failure", .letter = 'i', .flag = &given.plan.ignore_failure,
	  .help = "Go on when a command exits with another status than 0; otherwise that status "
		  "ends it" },
	{ "show-output", .flag = &given.shows_output,
	  .help = "Leave the commands their standard streams; otherwise these are /dev/null" },
	{ "root", .flag = &given.as_root,
	  .help = "Under sudo: run the commands as root and not as the user who called sudo" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_BENCH) },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ 0 },
};

/** Divide the words into commands, where "--" stands between them. */
static void split_words(void)
{
	char **word = given.words;

	if (!word)
		option_misuse("missing COMMAND; for example: elfault bench -- ./old -- ./new");
	given.plan.command_count = 1;
	given.commands[0] = word;
	for (; *word; word++) {
		if (strcmp(*word, "--") != 0)
			continue;
		if (given.plan.command_count == BENCH_COMMANDS)
			option_misuse("more than two commands; one that has a -- of its own is "
				      "given as: sh -c 'exec COMMAND -- ...'");
		*word = NULL;
		given.commands[given.plan.command_count++] = word + 1;
	}
	for (size_t i = 0; i < given.plan.command_count; i++)
		if (!given.commands[i][0])
			option_misuse("no COMMAND %s --", i == 0 ? "before" : "behind");
	if (given.plan.prepare_count > given.plan.command_count)
		option_misuse("two --prepare are of two commands, and there is one");
}

static bool print(const struct bench_arguments *arguments, const struct bench *bench)
{
	const struct export_options how = {
		.terminal = terminal_detect(stdout, arguments->shared.color),
	};

	return answer_print(exporter_at(EXPORT_BENCH, arguments->shared.format),
			    &(struct export_subject){ .bench = bench }, &how);
}

/** Returns false if a signal ended it. */
static bool find_reason(const struct bench_arguments *arguments, struct bench *bench)
{
	const struct reason_request request = {
		.plan = &arguments->plan,
		.count = arguments->recordings,
		.shared = &arguments->shared,
	};

	if (arguments->recordings == 0)
		bench->no_reason = "--recordings 0 records no starts";
	else if (bench->command_count == BENCH_COMMANDS && !bench_has_difference(bench))
		bench->no_reason = "there is no difference to explain";
	else
		return reason_find(bench, &request);
	return true;
}

static int measure(struct bench_arguments *arguments)
{
	CLEANUP(bench_deinit) struct bench bench = { .warmups = arguments->plan.warmups };
	const struct bench_start *starts[BENCH_COMMANDS];
	struct starts_plan *plan = &arguments->plan;
	size_t count;

	for (size_t i = 0; i < plan->command_count; i++)
		plan->commands[i] = (struct record_options){
			.command = arguments->commands[i],
			.as_root = arguments->as_root,
			.is_silent = !arguments->shows_output,
		};
	given.until.then = UNTIL_THEN_END;
	plan->shared = &arguments->shared;
	plan->until = until_has_end(&arguments->until) ? &arguments->until : NULL;
	if (plan->until)
		bench.until =
			arguments->shared.shown.full_paths
				? arguments->until_text.text
				: homepath_shortened(&bench.arena, arguments->until_text.text);
	plan->folder = plan->until ? folder_make(&bench.arena) : NULL;
	if (plan->until && !plan->folder)
		return FAILED;
	plan->shows_progress = !arguments->shows_output && isatty(STDERR_FILENO);
	int status = arguments->is_cold ? starts_find_files(plan) : 0;

	if (status == 0)
		status = starts_run(plan, &bench.arena, &bench.notes, starts, &count);
	folder_remove(plan->folder, (const char *const[]){ NULL }, 0);
	if (status != 0)
		return status;
	if (!arguments->shared.shown.full_paths)
		model_shorten_notes(&bench.notes);
	bench.is_cold = arguments->is_cold;
	bench.command_count = plan->command_count;
	for (size_t i = 0; i < plan->command_count; i++) {
		struct bench_command *command = &bench.commands[i];

		command->words = model_shown_words(arguments->commands[i], &bench.arena,
						   &arguments->shared.shown, &command->word_count);
		command->starts = starts[i];
		command->count = count;
	}
	bench_summarize(&bench);
	if (!find_reason(arguments, &bench))
		return INTERRUPTED;
	return print(arguments, &bench) ? 0 : FAILED;
}

static int run(void)
{
	given.shared.shown.arguments |=
		given.shared.format == OPTION_FORMAT_TEXT && isatty(STDOUT_FILENO);
	message_ignore_sigpipe();
	int status = measure(&given);

	starts_forget_files(&given.plan);
	until_deinit(&given.until);
	strbuf_deinit(&given.until_text);
	return status;
}

const struct command command_bench = {
	.name = "bench",
	.summary = "start two commands in turn, and tell which is faster",
	.options = options,
	.operands = { .usage = "[--] COMMAND [ARG...]\n-- COMMAND [ARG...] -- COMMAND [ARG...]",
		      .command = &given.words },
	.values = &given.shared,
	.check = split_words,
	.doc = "Start two commands in turn and tell which is faster, by how much, and how sure "
	       "that is, and why; or measure the starts of one. The order is counterbalanced "
	       "(ABBA): what drifts meanwhile favours neither."
	       "\vCommands are executed without a shell. Nothing is recorded while they are "
	       "measured; the starts that are recorded for the reason follow. The verdict is by "
	       "the ratios of the own times of pairs of starts, one "
	       "right after the other, with a 95 % interval (Wilcoxon's signed-rank test).\n\n"
	       "Examples:\n"
	       "  elfault bench -- ./old --version -- ./new --version\n"
	       "  elfault bench --runs 100 -- git status\n"
	       "  elfault bench --format json -- ./old -- ./new | jq .difference\n"
	       "  elfault bench --until listen -- ./old-server -- ./new-server\n\n"
	       "Exit status: 0 done, whatever the verdict; 2 misuse; 125 elfault failed, 126 a "
	       "command cannot be run, 127 it was not found; else that of a command that failed.",
	.run_status = run,
};
