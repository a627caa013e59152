// SPDX-License-Identifier: Apache-2.0
// `elfault map OBJECT`: shows one file's layout and what loading it will cost.
#include "cli/command.h"
#include "cli/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/number.h"
#include "cli/option.h"

#include "base/cleanup.h"
#include "depot/depot.h"
#include "model/shown.h"
#include "render/map.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_SYMBOLS = OPTION_OWN,
	OPTION_INITIALIZERS,
	OPTION_PAGE_SIZE,
};

struct map_arguments {
	const char *path;
	struct map_options options;
	struct map_text_options text_options;
	struct option_values shared;
};

static const struct argp_option options[] = {
	{ "symbols", OPTION_SYMBOLS, "N|all", 0,
	  "Show the N largest symbols (default 20), or all in address order", 0 },
	{ "initializers", OPTION_INITIALIZERS, "N|all", 0,
	  "Show the first N initializers in text (default 20); JSON has all", 0 },
	{ "page-size", OPTION_PAGE_SIZE, "BYTES", 0,
	  "Count pages of this size (default: this machine's)", 0 },
	{ 0 },
};

static const struct option_use shared_options[] = {
	{ .key = OPTION_FORMAT },
	{ .key = OPTION_COLOR },
	{ .key = OPTION_FULL_PATHS },
	{ .key = OPTION_NO_DEMANGLE },
	{ .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },
	{ 0 },
};

/** A whole number, or "all" as SIZE_MAX. */
static bool parse_limit(const char *text, size_t *ret_limit)
{
	if (strcmp(text, "all") != 0)
		return number_parse(text, ret_limit);
	*ret_limit = SIZE_MAX;
	return true;
}

/** The smallest page of any machine Linux runs on is 4 KiB; 1 GiB stands for "absurd". */
static bool parse_page_size(const char *text, uint64_t *ret_size)
{
	size_t size;

	if (!parse_limit(text, &size) || size < 4096 || size > 1U << 30 || (size & (size - 1)))
		return false;
	*ret_size = size;
	return true;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct map_arguments *arguments = state->input;

	switch (key) {
	case OPTION_SYMBOLS:
		if (!parse_limit(arg, &arguments->options.symbol_limit))
			argp_error(state,
				   "invalid value '%s' for --symbols (expected a number or all)",
				   arg);
		arguments->options.all_symbols = arguments->options.symbol_limit == SIZE_MAX;
		return 0;
	case OPTION_INITIALIZERS:
		if (!parse_limit(arg, &arguments->text_options.initializer_limit))
			argp_error(state,
				   "invalid value '%s' for --initializers (expected a number or "
				   "all)",
				   arg);
		return 0;
	case OPTION_PAGE_SIZE:
		if (!parse_page_size(arg, &arguments->options.page_size))
			argp_error(
				state,
				"invalid value '%s' for --page-size (expected a power of two, at "
				"least 4096)",
				arg);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one file at a time; unexpected argument '%s'", arg);
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing OBJECT; for example: elfault map /bin/ls");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "OBJECT",
	.own.doc = "Show an ELF file's layout and what loading it will cost: mappings, relocations "
		   "and the pages they write, initializers, segments, sections and the largest "
		   "symbols."
		   "\vExamples:\n"
		   "  elfault map /usr/bin/python3\n"
		   "  elfault map libfoo.so --symbols 100\n"
		   "  elfault map libfoo.so --page-size 65536 --format json | jq .load\n\n"
		   "Exit status: 0 done, 1 the file cannot be read, 2 misuse.",
	.shared = shared_options,
};

static bool map(const struct map_arguments *arguments)
{
	CLEANUP(map_model_destroyp) struct map_model *model = NULL;
	struct caller caller = caller_find();
	struct err err;

	if (!caller_take_rights(&caller))
		return false;
	if (!answer_start_depot(arguments->options.depot, &caller))
		return false;
	if (!map_model_create(arguments->path, &arguments->options, &model, &err)) {
		message_print("%s", err.message);
		return false;
	}

	model_show_map(model, &arguments->shared.shown);
	message_ignore_sigpipe();
	struct terminal terminal = terminal_detect(stdout, arguments->shared.color);
	return message_output(
		arguments->shared.format == OPTION_FORMAT_JSON
			? render_map_json(model, stdout)
			: render_map_text(model, &arguments->text_options, &terminal, stdout));
}

static int run(int argc, char **argv)
{
	enum { DEFAULT_ROWS = 20 };
	struct map_arguments arguments = {
		.options = {
			.page_size = (uint64_t)sysconf(_SC_PAGESIZE), // never fails on Linux
			.symbol_limit = DEFAULT_ROWS,
		},
		.text_options.initializer_limit = DEFAULT_ROWS,
	};

	option_parse(&parser, argc, argv, 0, &arguments, &arguments.shared);
	arguments.options.no_demangle = arguments.shared.no_demangle;
	arguments.options.debug_dir = arguments.shared.debug_dir;
	arguments.options.depot = arguments.shared.depot;
	bool ok = map(&arguments);

	option_values_deinit(&arguments.shared);
	return ok ? 0 : 1;
}

const struct command command_map = {
	.name = "map",
	.summary = "show an ELF file's layout and what loading it will cost",
	.run = run,
};
