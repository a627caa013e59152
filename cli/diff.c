// SPDX-License-Identifier: Apache-2.0
// `elfault diff BEFORE AFTER`: compares two traces, or two sets of repeats.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "advice/findings.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/output.h"
#include "cli/answer/traceset.h"
#include "compare/compare.h"
#include "render/diff/diff.h"

#include <stdio.h>
#include <string.h>

struct diff_arguments {
	struct option_words words; // each a trace, or a directory of traces
	size_t before_count;	   // of words
	bool is_after;		   // --after was seen
	VEC(struct compare_pair) pairs;
	bool no_guess, full;
	const char *output; // NULL: standard output
	struct option_values shared;
};

static struct diff_arguments given;

static bool begin_after(char *arg, struct err *err)
{
	if (given.is_after)
		return err_set(err, ERR_INPUT, "may be given once, between the two sides");
	given.is_after = true;
	given.before_count = given.words.count;
	return true;
}

/** OLD=NEW; cuts the argument at its sign. */
static bool add_pair(char *arg, struct err *err)
{
	char *sign = strchr(arg, '=');

	if (!sign || sign == arg || !sign[1])
		return false;
	*sign = '\0';
	vec_push(&given.pairs, (struct compare_pair){ arg, sign + 1 });
	return true;
}

static bool parse_output(char *arg, struct err *err)
{
	static const char end[] = ".html";
	size_t length = strlen(arg), rest = sizeof(end) - 1;

	given.output = arg;
	return (length > rest && strcmp(arg + length - rest, end) == 0) ||
	       err_set(err, ERR_INPUT,
		       "%s: the file name must end with .html; text, JSON and Markdown go to "
		       "standard output",
		       arg);
}

#define NOT_OF_PAGE                                                      \
	{                                                                \
		{                                                        \
			"output=*.html", "it applies to standard output" \
		}                                                        \
	}

static const struct option_row options[] = {
	{ "after", .parse = begin_after,
	  .help = "The traces that follow are the AFTER side; required if a side has several "
		  "arguments" },
	{ "pair", .argument = "OLD=NEW", .parse = add_pair, .expected = "OLD=NEW",
	  .help = "Compare file OLD of BEFORE with file NEW of AFTER, each a path, file name or "
		  "soname; may be repeated" },
	{ "no-guess", .flag = &given.no_guess,
	  .help = "Pair files by equal names and --pair only; else the programs of both sides are "
		  "paired whatever their names, and libraries with similar names" },
	{ "output", .letter = 'o', .argument = "FILE", .parse = parse_output,
	  .help = "Write an interactive page; FILE must end with .html" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_DIFF), .excludes = NOT_OF_PAGE },
	{ .shared = OPTION_TOP, .excludes = NOT_OF_PAGE },
	{ "full", .flag = &given.full, .excludes = NOT_OF_PAGE,
	  .help = "List also what differs without a verdict: within noise, or of too few runs" },
	{ .shared = OPTION_COLOR, .excludes = NOT_OF_PAGE },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_FROM },
	{ .shared = OPTION_UNTIL },
	{ .shared = OPTION_PROGRAM,
	  .help = "Compare the time of this program, by its name or process id (default: of the "
		  "one that the command's end waited for most, if it is one in all runs of a side; "
		  "else of the command)" },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static void check_traces(void)
{
	if (!given.is_after && given.words.count > 2)
		option_misuse("more than two traces; separate the sides: elfault diff BEFORE... "
			      "--after AFTER...");
	if (!given.is_after)
		given.before_count = 1;
	if (given.before_count == 0 || given.words.count <= given.before_count)
		option_misuse(
			"two traces are needed, or two directories of repeats: elfault diff BEFORE "
			"AFTER");
}

static bool print(const struct diff_arguments *arguments, const struct comparison *comparison)
{
	const struct export_options options = {
		.diff = { .terminal = terminal_detect(stdout, arguments->shared.color),
			  .top = arguments->shared.top,
			  .full = arguments->full },
	};

	return answer_print(exporter_at(EXPORT_DIFF, arguments->shared.format),
			    &(struct export_subject){ .comparison = comparison }, &options);
}

/** Add every trace, one model in memory at a time. */
static bool add_traces(const struct diff_arguments *arguments, struct traceset *sides,
		       struct compare *compare, bool *ret_complete)
{
	const unsigned needs = exporter_at(EXPORT_DIFF, arguments->shared.format)->needs;

	*ret_complete = true;
	for (int side = 0; side < COMPARE_SIDES; side++)
		vec_foreach (path, &sides[side].paths) {
			CLEANUP(model_closep) struct model *model = NULL;

			if (!answer_find("diff", path, 1, &arguments->shared, needs, &model))
				return false;
			compare_add(compare, (enum compare_side)side, model);
			*ret_complete =
				answer_is_complete(model, arguments->shared.allow_truncated) &&
				*ret_complete;
		}
	return true;
}

static bool has_pairs(const struct compare *compare)
{
	enum compare_side side;
	const struct compare_pair *pair = compare_unmatched(compare, &side);

	if (!pair)
		return true;
	message_print("--pair %s=%s: %s has no object %s; `elfault analyze` lists its objects",
		      pair->before, pair->after, side == COMPARE_BEFORE ? "before" : "after",
		      side == COMPARE_BEFORE ? pair->before : pair->after);
	return false;
}

/** The traces of both sides. */
static bool find_traces(const struct diff_arguments *arguments, struct traceset *sides)
{
	const char *const *words = arguments->words.items;
	size_t before = arguments->before_count;

	return traceset_add_all(&sides[COMPARE_BEFORE], words, before) &&
	       traceset_add_all(&sides[COMPARE_AFTER], words + before,
				arguments->words.count - before);
}

/** Read the run of @side that is shown once more, with what only a page shows, and write it. */
static bool write_side(const struct diff_arguments *arguments, const struct traceset *sides,
		       struct compare *compare, const struct comparison *comparison,
		       enum compare_side side, FILE *out, struct err *err)
{
	CLEANUP(model_closep) struct model *model = NULL;
	size_t run = compare_median_run(comparison, side);
	size_t before = side == COMPARE_BEFORE ? 0 : comparison->run_count[COMPARE_BEFORE];
	const char *const *path = &sides[side].paths.items[run - before];
	enum {
		NEEDS = NEED_TABLES | NEED_SOURCES | NEED_CODES | NEED_FRAME_SOURCES |
			NEED_MOMENTS | NEED_IO
	};
	struct option_values shared = arguments->shared;
	struct compare_links links;

	if (comparison->is_of_subject && !shared.program)
		shared.program = comparison->runs[run].judged;
	if (!answer_find("diff", path, 1, &shared, NEEDS, &model))
		return false;
	if (!compare_link(compare, comparison, run, model, &links))
		return err_set(err, ERR_INPUT, "%s changed while it was compared", *path);
	bool ok = render_diff_page_side(side, model, &links, out) || err_os(err, "writing");
	compare_links_deinit(&links);
	return ok;
}

static bool write_page(const struct diff_arguments *arguments, const struct traceset *sides,
		       struct compare *compare, const struct comparison *comparison)
{
	struct output output;
	struct err err = { 0 };

	if (!output_start(&output, arguments->output))
		return false;
	bool ok = render_diff_page_start(comparison, output.file) || err_os(&err, "writing");
	for (int side = 0; ok && side < COMPARE_SIDES; side++)
		ok = write_side(arguments, sides, compare, comparison, (enum compare_side)side,
				output.file, &err);
	ok = ok && (render_diff_page_end(output.file) || err_os(&err, "writing"));
	return output_finish(&output, ok, &err);
}

static bool compare_sides(const struct diff_arguments *arguments, struct traceset *sides)
{
	const size_t run_count[COMPARE_SIDES] = {
		sides[COMPARE_BEFORE].paths.count,
		sides[COMPARE_AFTER].paths.count,
	};
	CLEANUP(compare_destroyp)
	struct compare *compare =
		compare_create(run_count, arguments->pairs.items, arguments->pairs.count);
	bool is_complete;

	if (!arguments->no_guess)
		compare_allow_guesses(compare);
	if (!add_traces(arguments, sides, compare, &is_complete) || !has_pairs(compare))
		return false;
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	changes_find(comparison);
	bool is_written = arguments->output ? write_page(arguments, sides, compare, comparison)
					    : print(arguments, comparison);
	return is_written && is_complete;
}

static bool diff(const struct diff_arguments *arguments)
{
	struct traceset sides[COMPARE_SIDES] = { 0 };
	bool ok = find_traces(arguments, sides) && compare_sides(arguments, sides);

	for (int side = 0; side < COMPARE_SIDES; side++)
		traceset_deinit(&sides[side]);
	return ok;
}

static bool run(void)
{
	message_ignore_sigpipe();
	bool ok = diff(&given);

	vec_deinit(&given.pairs);
	return ok;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two traces, or two sets of repeats",
	.options = options,
	.operands = { .usage = "BEFORE AFTER\nBEFORE... --after AFTER...",
		      .many = &given.words,
		      .are_in_order = true },
	.values = &given.shared,
	.check = check_traces,
	.doc = "Show what changed between two traces: faults by initiator, mechanism, file, "
	       "section, function, symbol and initializer, and the layout of files. With several "
	       "traces per side it also shows which differences exceed noise. A directory means "
	       "all its *.trace files, the repeats of one side."
	       "\vExamples:\n"
	       "  elfault diff before.trace after.trace\n"
	       "  elfault diff before.repeats after.repeats\n"
	       "  elfault diff old-*.trace --after new-*.trace\n"
	       "  elfault diff --pair libfoo.so.1=libfoo.so.2 before.trace after.trace\n"
	       "  elfault diff before.trace after.trace -o diff.html\n"
	       "  elfault diff --format markdown before.trace after.trace > comment.md\n\n"
	       "Exit status: 0 done, even with differences; 1 a trace cannot be read or is "
	       "incomplete, 2 misuse.",
	.run = run,
};
