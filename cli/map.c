// SPDX-License-Identifier: Apache-2.0
// `elfault map OBJECT`: shows one file's layout and what loading it will cost; `map BEFORE AFTER`
// compares two.
#include "cli/command.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "depot/depot.h"
#include "machine/page.h"
#include "model/shown.h"
#include "render/map.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_ROWS = 20 };

struct map_arguments {
	struct option_words paths;
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

	if (!number_parse(arg, &size) || size < MACHINE_PAGE || size > 1U << 30 ||
	    (size & (size - 1)))
		return false;
	given.options.page_size = size;
	return true;
}

static const struct option_row options[] = {
	{ "symbols", .argument = "N|all", .number = &given.options.symbol_limit,
	  .help = "Show the N largest symbols (default 20), or all in address order; of two files "
		  "the N "
		  "symbols and compile units that differ most" },
	{ "relocations", .flag = &given.options.has_owners,
	  .help = "Show who owns the relocations instead of the layout: symbols, and what has no "
		  "name by what it points to, with the pages that each makes the dynamic linker "
		  "write; by namespace, and by source file where DWARF tells; the N of --symbols" },
	{ "initializers", .argument = "N|all", .number = &given.text_options.initializer_limit,
	  .help = "Show the first N initializers in text (default 20); JSON has all" },
	{ "page-size", .argument = "BYTES", .parse = parse_page_size,
	  .expected = "a power of two, at least 4096",
	  .help = "Count pages of this size (default: this machine's)" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_MAP_DIFF) },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ 0 },
};

static void check_paths(void)
{
	if (given.paths.count == 0)
		option_misuse("missing OBJECT; for example: elfault map /bin/ls");
	if (given.paths.count > MAPDIFF_SIDES)
		option_misuse("one or two at a time; unexpected argument '%s'",
			      given.paths.items[MAPDIFF_SIDES]);
	if (given.paths.count > 1 && given.options.has_owners)
		option_misuse("--relocations requires one file");
	if (given.paths.count == 1 && !given.options.has_owners &&
	    strcmp(exporter_at(EXPORT_MAP, given.shared.format)->name, "csv") == 0)
		option_misuse("--format csv requires two files to compare, or --relocations");
}

static struct map_model *read_file(const struct map_arguments *arguments, const char *path)
{
	struct map_model *model = NULL;
	struct err err;

	if (!map_model_create(path, &arguments->options, &model, &err)) {
		message_print("%s", err.message);
		return NULL;
	}
	model_show_map(model, &arguments->shared.shown);
	return model;
}

/** Print @before alone, or compared with @after. */
static bool print(const struct map_arguments *arguments, const struct map_model *before,
		  const struct map_model *after)
{
	const struct export_options options = {
		.terminal = terminal_detect(stdout, arguments->shared.color),
		.map = arguments->text_options,
	};
	struct mapdiff diff;

	message_ignore_sigpipe();
	if (!after)
		return answer_print(exporter_at(EXPORT_MAP, arguments->shared.format),
				    &(struct export_subject){ .map = before }, &options);
	mapdiff_init(&diff, before, after);
	bool ok = answer_print(exporter_at(EXPORT_MAP_DIFF, arguments->shared.format),
			       &(struct export_subject){ .map_diff = &diff }, &options);
	mapdiff_deinit(&diff);
	return ok;
}

static bool map(const struct map_arguments *arguments)
{
	CLEANUP(map_model_destroyp) struct map_model *before = NULL;
	CLEANUP(map_model_destroyp) struct map_model *after = NULL;
	const char *const *paths = arguments->paths.items;
	struct caller caller = caller_find();

	if (!caller_take_rights(&caller))
		return false;
	if (!answer_start_depot(arguments->options.depot, &caller))
		return false;
	before = read_file(arguments, paths[0]);
	if (before && arguments->paths.count > 1)
		after = read_file(arguments, paths[1]);
	return before && (after || arguments->paths.count == 1) && print(arguments, before, after);
}

static bool run(void)
{
	struct map_options *options = &given.options;

	if (!options->page_size)
		options->page_size = (uint64_t)sysconf(_SC_PAGESIZE); // never fails on Linux
	given.text_options.symbol_limit = options->symbol_limit;
	options->has_parts = given.paths.count > 1;
	options->all_symbols = options->has_parts || options->symbol_limit == SIZE_MAX;
	options->no_demangle = given.shared.no_demangle;
	options->debug_dir = given.shared.debug_dir;
	options->depot = given.shared.depot;
	return map(&given);
}

const struct command command_map = {
	.name = "map",
	.summary = "show an ELF file's layout and what loading it will cost",
	.options = options,
	.operands = { .usage = "OBJECT\nBEFORE AFTER", .many = &given.paths },
	.values = &given.shared,
	.check = check_paths,
	.doc = "Show an ELF file's layout and what loading it will cost: mappings, relocations "
	       "and the pages they write, initializers, segments, sections and the largest "
	       "symbols. Two files are compared: sections, which add up to the difference in size, "
	       "compile units, symbols, relocations and initializers. With --relocations: whose "
	       "relocations they are."
	       "\vExamples:\n"
	       "  elfault map /usr/bin/python3\n"
	       "  elfault map libfoo.so --symbols 100\n"
	       "  elfault map libfoo.so --page-size 65536 --format json | jq .load\n"
	       "  elfault map libfoo.so --relocations\n"
	       "  elfault map old/libfoo.so new/libfoo.so\n\n"
	       "Exit status: 0 done, 1 the file cannot be read, 2 misuse.",
	.run = run,
};
