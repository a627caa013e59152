// SPDX-License-Identifier: Apache-2.0
// `elfault map OBJECT`: one file's layout and what loading it will cost.
#include "cli/command.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/number.h"
#include "cli/option.h"

#include "base/cleanup.h"
#include "render/map.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_FORMAT = 1000,
	OPTION_SYMBOLS,
	OPTION_INITIALIZERS,
	OPTION_PAGE_SIZE,
	OPTION_NO_DEMANGLE,
	OPTION_DEBUG_DIR,
	OPTION_COLOR,
};

struct map_arguments {
	const char *path;
	bool is_json;
	enum terminal_color color;
	struct map_options options;
	struct map_text_options text_options;
};

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text (default) or json", 0 },
	{ "symbols", OPTION_SYMBOLS, "N|all", 0,
	  "Show the N largest symbols (default 20), or all in address order", 0 },
	{ "initializers", OPTION_INITIALIZERS, "N|all", 0,
	  "Show the first N initializers in the text (default 20); JSON has all", 0 },
	{ "page-size", OPTION_PAGE_SIZE, "BYTES", 0,
	  "Count pages of this size (default: this machine's)", 0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Keep symbol names as the file has them", 0 },
	{ "debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
	  "Look for separate debug files here instead of in /usr/lib/debug", 0 },
	{ "color", OPTION_COLOR, "WHEN", 0, "auto (default), always or never", 0 },
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
	case OPTION_FORMAT:
		arguments->is_json = strcmp(arg, "json") == 0;
		if (!arguments->is_json && strcmp(arg, "text") != 0)
			argp_error(state, "--format is text or json, not '%s'", arg);
		return 0;
	case OPTION_SYMBOLS:
		if (!parse_limit(arg, &arguments->options.symbol_limit))
			argp_error(state, "--symbols is a number or all, not '%s'", arg);
		arguments->options.all_symbols = arguments->options.symbol_limit == SIZE_MAX;
		return 0;
	case OPTION_INITIALIZERS:
		if (!parse_limit(arg, &arguments->text_options.initializer_limit))
			argp_error(state, "--initializers is a number or all, not '%s'", arg);
		return 0;
	case OPTION_PAGE_SIZE:
		if (!parse_page_size(arg, &arguments->options.page_size))
			argp_error(state, "--page-size is a power of two from 4096 on, not '%s'",
				   arg);
		return 0;
	case OPTION_NO_DEMANGLE:
		arguments->options.no_demangle = true;
		return 0;
	case OPTION_DEBUG_DIR:
		arguments->options.debug_dir = arg;
		return 0;
	case OPTION_COLOR:
		arguments->color = option_color(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one file at a time; '%s' is a second one", arg);
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? For example: elfault map /bin/ls");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse_option,
	.args_doc = "OBJECT",
	.doc = "Show an ELF file's layout and what loading it will cost: the mmaps, the "
	       "relocations "
	       "and the pages they write, the initializers, segments, sections and largest symbols."
	       "\vExamples:\n"
	       "  elfault map /usr/bin/python3\n"
	       "  elfault map libfoo.so --symbols 100\n"
	       "  elfault map libfoo.so --page-size 65536 --format json | jq .load\n\n"
	       "Exit status: 0 done, 1 the file cannot be read, 2 misuse.",
};

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
	struct err err;

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	struct caller caller = caller_find();
	if (!caller_take_rights(&caller))
		return 1;

	CLEANUP(map_model_destroyp) struct map_model *model = NULL;
	if (!map_model_create(arguments.path, &arguments.options, &model, &err)) {
		message_print(err.message);
		return 1;
	}

	message_ignore_sigpipe();
	struct terminal terminal = terminal_detect(stdout, arguments.color);
	bool is_written = arguments.is_json ? render_map_json(model, stdout)
					    : render_map_text(model, &arguments.text_options,
							      &terminal, stdout);
	return message_output(is_written) ? 0 : 1;
}

const struct command command_map = {
	.name = "map",
	.summary = "the layout of an ELF file and what loading it will cost",
	.run = run,
};
