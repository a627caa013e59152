// SPDX-License-Identifier: Apache-2.0
// `elfault map OBJECT`: shows one file's layout and what loading it will cost.
#include "cli/command.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"

#include "base/cleanup.h"
#include "depot/depot.h"
#include "machine/page.h"
#include "model/shown.h"
#include "render/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROWS = 20 };

struct map_arguments {
	const char *path;
	struct map_options options;
	struct map_text_options text_options;
	struct option_values shared;
};

static struct map_arguments given = {
	.options.symbol_limit = DEFAULT_ROWS,
	.text_options.initializer_limit = DEFAULT_ROWS,
};

/** The smallest page of any machine Linux runs on is 4 KiB; 1 GiB stands for "absurd". */
static bool parse_page_size(char *arg, struct err *err)
{
	size_t size;

	(void)err;
	if (!number_parse(arg, &size) || size < MACHINE_PAGE || size > 1U << 30 ||
	    (size & (size - 1)))
		return false;
	given.options.page_size = size;
	return true;
}

static const struct option_row options[] = {
	{ "symbols", .argument = "N|all", .number = &given.options.symbol_limit,
	  .help = "Show the N largest symbols (default 20), or all in address order" },
	{ "initializers", .argument = "N|all", .number = &given.text_options.initializer_limit,
	  .help = "Show the first N initializers in text (default 20); JSON has all" },
	{ "page-size", .argument = "BYTES", .parse = parse_page_size,
	  .expected = "a power of two, at least 4096",
	  .help = "Count pages of this size (default: this machine's)" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_MAP) },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ 0 },
};

static const struct option_parser parser = {
	.options = options,
	.operands = { .usage = "OBJECT",
		      .one = &given.path,
		      .noun = "file",
		      .missing = "missing OBJECT; for example: elfault map /bin/ls" },
	.values = &given.shared,
	.doc = "Show an ELF file's layout and what loading it will cost: mappings, relocations "
	       "and the pages they write, initializers, segments, sections and the largest "
	       "symbols."
	       "\vExamples:\n"
	       "  elfault map /usr/bin/python3\n"
	       "  elfault map libfoo.so --symbols 100\n"
	       "  elfault map libfoo.so --page-size 65536 --format json | jq .load\n\n"
	       "Exit status: 0 done, 1 the file cannot be read, 2 misuse.",
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
	const struct export_options options = {
		.terminal = terminal_detect(stdout, arguments->shared.color),
		.map = arguments->text_options,
	};
	return answer_print(exporter_at(EXPORT_MAP, arguments->shared.format),
			    &(struct export_subject){ .map = model }, &options);
}

static int run(int argc, char **argv)
{
	given.options.page_size = (uint64_t)sysconf(_SC_PAGESIZE); // never fails on Linux
	option_parse(&parser, argc, argv);
	given.options.all_symbols = given.options.symbol_limit == SIZE_MAX;
	given.options.no_demangle = given.shared.no_demangle;
	given.options.debug_dir = given.shared.debug_dir;
	given.options.depot = given.shared.depot;
	bool ok = map(&given);

	option_values_deinit(&given.shared);
	return ok ? 0 : 1;
}

const struct command command_map = {
	.name = "map",
	.summary = "show an ELF file's layout and what loading it will cost",
	.run = run,
};
