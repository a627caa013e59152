// SPDX-License-Identifier: Apache-2.0
// `elfault report [OBJECT...] TRACE -o FILE`: writes one self-contained page, picture or graph.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/answer/answer.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"
#include "cli/output.h"

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct report_arguments {
	struct option_words names; // the objects, then the trace
	const char *output;
	const char *object; // to draw; NULL: the one with the most faults
	struct render_picture_options picture;
	enum graph_kind graph;
	double min_share; // percent
	bool open;	  // show the output in a browser
	struct option_values shared;
};

static struct report_arguments given = { .picture = { .width = 1200, .height = 800 },
					 .min_share = -1 };

/** Kinds of output by extension; a graph only if asked for or if nothing else has the extension. */
static const enum export_what kinds[] = { EXPORT_PAGE, EXPORT_PICTURE, EXPORT_GRAPH };
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/** The first that @path may be; NULL: none. */
static const struct exporter *kind_of(const char *path)
{
	const struct exporter *exporter = NULL;

	for (size_t i = 0; i < KIND_COUNT && !exporter; i++)
		exporter = exporter_for(kinds[i], path);
	return exporter;
}

/** Find the exporter for the output. */
static const struct exporter *exporter_of(const struct report_arguments *arguments)
{
	const struct exporter *graph = exporter_for(EXPORT_GRAPH, arguments->output);

	return option_is_given("graph") && graph ? graph : kind_of(arguments->output);
}

static bool parse_output(char *arg, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };

	given.output = arg;
	if (kind_of(arg))
		return true;
	for (const struct exporter *row = exporters; row->write; row++)
		if (row->extension && !strstr(strbuf_text(&list), row->extension))
			strbuf_printf(&list, "%s%s",
				      list.length == 0 ? ""
				      : row[1].write   ? ", "
						       : " or ",
				      row->extension);
	return err_set(err, ERR_INPUT, "%s: the file name must end with %s", arg,
		       strbuf_text(&list));
}

static bool parse_size(char *arg, struct err *err)
{
	const char *cross = strchr(arg, 'x');
	char width[16];
	size_t across = 0, down = 0;

	if (cross && (size_t)(cross - arg) < sizeof(width)) {
		memcpy(width, arg, (size_t)(cross - arg));
		width[cross - arg] = '\0';
		if (!number_parse(width, &across) || !number_parse(cross + 1, &down))
			across = 0;
	}
	given.picture.width = (unsigned)across; // both within RENDER_SIZE_MAX
	given.picture.height = (unsigned)down;
	return across >= RENDER_WIDTH_MIN && across <= RENDER_SIZE_MAX &&
	       down >= RENDER_HEIGHT_MIN && down <= RENDER_SIZE_MAX;
}

static bool parse_min_share(char *arg, struct err *err)
{
	char *end;

	given.min_share = strtod(arg, &end);
	if (*end == '%')
		end++;
	return isdigit((unsigned char)arg[0]) && !*end && given.min_share >= 0 &&
	       given.min_share <= 100;
}

#define SIZES "WIDTHxHEIGHT from 480x320 to 8192x8192"
_Static_assert(RENDER_WIDTH_MIN == 480 && RENDER_HEIGHT_MIN == 320 && RENDER_SIZE_MAX == 8192,
	       "SIZES names other limits");

/** An option of a picture of one file. */
#define OF_PICTURE .needs = { { "output=*.svg" } }, .excludes = { { "graph" } }

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .parse = parse_output,
	  .missing = "; for example: -o report.html",
	  .help = "Write to FILE; its extension selects the format: .html, an interactive page; "
		  ".svg, a picture of one file, or a graph with --graph; .dot, a graph for "
		  "graphviz" },
	{ "object", .argument = "NAME", .text = &given.object, OF_PICTURE,
	  .help = "File to draw, by path, file name or soname (default: the ELF file with the most "
		  "time in faults, or most faults if no time is known); unlike an OBJECT, it keeps "
		  "the faults of other files in the picture "
		  "(.svg)" },
	{ "by", .argument = "initiator|mechanism|access|kind", .word = &given.picture.by,
	  OF_PICTURE, .help = "Colour by this field (default initiator; .svg)" },
	{ "size", .argument = "WIDTHxHEIGHT", .parse = parse_size, .expected = SIZES, OF_PICTURE,
	  .help = "Size in pixels (default 1200x800; .svg)" },
	{ "small", .flag = &given.picture.is_small, .needs = { { "output=*.svg" } },
	  .excludes = { { "graph size object by" } },
	  .help = "Draw 800x200 pixels for a README: where the time went, and what to change "
		  "first (.svg)" },
	{ "graph", .argument = "causes|objects", .word = &given.graph,
	  .needs = { { "output=*.svg output=*.dot", "graphs are pictures of their own" } },
	  .help = "Draw a graph: causes (what ran and what it touched) or objects (the files and "
		  "which needs which) (.svg, .dot; default for .dot: causes)" },
	{ "min-share", .argument = "PERCENT", .parse = parse_min_share,
	  .expected = "a percentage from 0 to 100", .needs = { { "graph output=*.dot" } },
	  .help = "Combine whatever has a smaller share of the faults (default 1; below 1,000 "
		  "faults 3; for objects 0.2; .dot, .svg with --graph)" },
	{ "open", .flag = &given.open, .needs = { { "output=*.html output=*.svg" } },
	  .help = "Show FILE in the browser afterwards, as xdg-open does" },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_WHERE },
	{ .shared = OPTION_FROM },
	{ .shared = OPTION_UNTIL },
	{ .shared = OPTION_PROGRAM },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_FORCE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_MEMORY },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ 0 },
};

static bool write_output(const struct report_arguments *arguments, const struct exporter *exporter,
			 const struct model *model)
{
	struct export_options how = {
		.picture = arguments->picture,
		.graph = { .min_share = arguments->min_share },
		.graph_kind = arguments->graph,
	};
	struct output output;
	struct err err = { 0 };

	if (arguments->picture.is_small) {
		how.picture.width = 800;
		how.picture.height = 200;
	}
	how.picture.full_paths = arguments->shared.shown.full_paths;
	if (!answer_choose_object(model, arguments->object, &how.picture.object) ||
	    !output_start(&output, arguments->output))
		return false;
	bool ok = exporter->write(&(struct export_subject){ .model = model }, &how, output.file,
				  &err);
	return output_finish(&output, ok, &err);
}

/** Show the file at @path in a browser; on failure prints a message. */
static bool open_file(const char *path)
{
	CLEANUP(strbuf_deinit) struct strbuf safe = { 0 };
	int status = -1;
	pid_t pid;

	strbuf_printf(&safe, "%s%s", path[0] == '-' ? "./" : "", path); // no option
	char *const words[] = { "xdg-open", safe.text, NULL };
	const int error = posix_spawnp(&pid, words[0], NULL, NULL, words, environ);

	if (error != 0) {
		message_print("xdg-open: %s; open %s yourself", strerror(error), path);
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return true;
	message_print("xdg-open failed; open %s yourself", path);
	return false;
}

static bool run(void)
{
	const struct report_arguments *arguments = &given;
	const struct exporter *exporter = exporter_of(arguments);
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("report", arguments->names.items, arguments->names.count,
			 &arguments->shared, exporter->needs, &model) ||
	    !write_output(arguments, exporter, model))
		return false;
	answer_hint_set(model);
	answer_hint_names(model, &arguments->shared);
	if (arguments->open && !open_file(arguments->output))
		return false;
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

const struct command command_report = {
	.name = "report",
	.summary = "write the faults as a self-contained page, picture or graph",
	.options = options,
	.operands = OPTION_OBJECTS(&given.names),
	.values = &given.shared,
	.doc = "Show where, when and why page faults happened, as a page or picture: one file "
	       "that needs no network and no other file. TRACE is the last argument, or the "
	       "only one that is a trace "
	       "(default: " DEFAULT_TRACE "); of a directory of repeats, the run nearest to the "
	       "median. An OBJECT narrows it to that file."
	       "\vExamples:\n"
	       "  elfault report -o report.html --open\n"
	       "  elfault report libxul.so firefox.trace -o libxul.html\n"
	       "  elfault report --object libxul.so --by access firefox.trace -o libxul.svg\n"
	       "  elfault report --small -o start.svg\n"
	       "  elfault report --graph causes firefox.trace -o why.svg\n"
	       "  elfault report --min-share 5 firefox.trace -o why.dot\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
