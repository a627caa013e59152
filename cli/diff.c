// SPDX-License-Identifier: Apache-2.0
// `elfault diff BEFORE AFTER`: compares two traces, or two sets of repeats.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "advice/changes.h"
#include "cli/answer.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/traceset.h"
#include "compare/compare.h"
#include "render/diff/diff.h"
#include "render/exporters.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_AFTER = OPTION_OWN,
	OPTION_PAIR,
};

struct diff_arguments {
	VEC(const char *) words; // each a trace, or a directory of traces
	size_t before_count;	 // of words
	bool is_after;		 // --after was seen
	VEC(struct compare_pair) pairs;
	const char *output; // NULL: standard output
	struct option_values shared;
};

static const struct argp_option options[] = {
	{ "after", OPTION_AFTER, NULL, 0,
	  "The traces that follow are the AFTER side; required if a side has several arguments",
	  0 },
	{ "pair", OPTION_PAIR, "OLD=NEW", 0,
	  "Compare file OLD of BEFORE with file NEW of AFTER, each a path, file name or soname; "
	  "may be repeated",
	  0 },
	{ "output", 'o', "FILE", 0, "Write an interactive page; FILE must end with .html", 0 },
	{ 0 },
};

static struct option_format format_at(size_t index)
{
	const struct diff_exporter *exporter = &diff_exporters[index];

	return (struct option_format){ exporter->name, exporter->meaning };
}

static const struct option_use shared_options[] = {
	{ .key = OPTION_FORMAT, .formats = format_at },
	{ .key = OPTION_TOP },
	{ .key = OPTION_COLOR },
	{ .key = OPTION_ARGUMENTS },
	{ .key = OPTION_FULL_PATHS },
	{ .key = OPTION_NO_DEMANGLE },
	{ .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },
	{ .key = OPTION_ALLOW_TRUNCATED },
	{ .key = OPTION_MEMORY },
	{ 0 },
};

/** OLD=NEW; cuts the argument at its sign. */
static void parse_pair(struct diff_arguments *arguments, char *text, struct argp_state *state)
{
	char *sign = strchr(text, '=');

	if (!sign || sign == text || !sign[1]) {
		argp_error(state, "invalid value '%s' for --pair (expected OLD=NEW)", text);
		return;
	}
	*sign = '\0';
	vec_push(&arguments->pairs, (struct compare_pair){ text, sign + 1 });
}

static void parse_output(struct diff_arguments *arguments, const char *path,
			 struct argp_state *state)
{
	static const char end[] = ".html";
	size_t length = strlen(path), rest = sizeof(end) - 1;

	if (length <= rest || strcmp(path + length - rest, end) != 0)
		argp_error(state,
			   "%s: the file name must end with .html; text, JSON and Markdown go to "
			   "standard output",
			   path);
	arguments->output = path;
}

static void check_output(const struct diff_arguments *arguments, struct argp_state *state)
{
	const struct option_values *shared = &arguments->shared;
	bool is_text_set = option_is_given(shared, OPTION_FORMAT) ||
			   option_is_given(shared, OPTION_TOP) ||
			   option_is_given(shared, OPTION_COLOR);

	if (arguments->output && is_text_set)
		argp_error(state,
			   "--format, --top and --color cannot be combined with -o FILE.html; "
			   "they apply to standard output");
}

static void check_traces(struct diff_arguments *arguments, struct argp_state *state)
{
	if (!arguments->is_after && arguments->words.count > 2)
		argp_error(state,
			   "more than two traces; separate the sides: elfault diff BEFORE... "
			   "--after AFTER...");
	if (!arguments->is_after)
		arguments->before_count = 1;
	if (arguments->before_count == 0 || arguments->words.count <= arguments->before_count)
		argp_error(state, "two traces are needed: elfault diff BEFORE AFTER");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff_arguments *arguments = state->input;

	switch (key) {
	case OPTION_AFTER:
		if (arguments->is_after)
			argp_error(state, "--after may be given once, between the two sides");
		arguments->is_after = true;
		arguments->before_count = arguments->words.count;
		return 0;
	case OPTION_PAIR:
		parse_pair(arguments, arg, state);
		return 0;
	case 'o':
		parse_output(arguments, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->words, arg);
		return 0;
	case ARGP_KEY_END:
		check_traces(arguments, state);
		check_output(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "BEFORE AFTER\nBEFORE... --after AFTER...",
	.own.doc =
		"Show what changed between two traces: faults by initiator, mechanism, file, "
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
	.shared = shared_options,
};

static bool render(const struct diff_arguments *arguments, const struct comparison *comparison)
{
	const struct render_diff_options how = {
		.terminal = terminal_detect(stdout, arguments->shared.color),
		.top = arguments->shared.top,
	};

	return diff_exporters[arguments->shared.format].write(comparison, &how, stdout);
}

/** Add every trace, one model in memory at a time. */
static bool add_traces(const struct diff_arguments *arguments, struct traceset *sides,
		       struct compare *compare, bool *ret_complete)
{
	enum { NEEDS = NEED_TABLES | NEED_SOURCES };

	*ret_complete = true;
	for (int side = 0; side < COMPARE_SIDES; side++)
		vec_foreach (path, &sides[side].paths) {
			CLEANUP(model_closep) struct model *model = NULL;

			if (!answer_find("diff", path, 1, &arguments->shared, NEEDS, &model))
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
	enum { NEEDS = NEED_TABLES | NEED_SOURCES | NEED_CODES | NEED_FRAME_SOURCES };
	struct compare_links links;

	if (!answer_find("diff", path, 1, &arguments->shared, NEEDS, &model))
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

	if (!add_traces(arguments, sides, compare, &is_complete) || !has_pairs(compare))
		return false;
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);
	changes_find(comparison);
	bool is_written = arguments->output ? write_page(arguments, sides, compare, comparison)
					    : message_output(render(arguments, comparison));
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

static int run(int argc, char **argv)
{
	struct diff_arguments arguments = { 0 };

	// In order, since --after separates the traces of the two sides.
	option_parse(&parser, argc, argv, ARGP_IN_ORDER, &arguments, &arguments.shared);
	message_ignore_sigpipe();
	bool ok = diff(&arguments);

	option_values_deinit(&arguments.shared);
	vec_deinit(&arguments.words);
	vec_deinit(&arguments.pairs);
	return ok ? 0 : 1;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two traces, or two sets of repeats",
	.run = run,
};
