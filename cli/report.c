// SPDX-License-Identifier: Apache-2.0
// `elfault report [OBJECT...] TRACE -o FILE`: writes one self-contained page, picture or graph.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/answer.h"
#include "cli/dbgsym.h"
#include "cli/message.h"
#include "cli/number.h"
#include "cli/option.h"
#include "cli/output.h"
#include "depot/depot.h"
#include "render/exporters.h"

#include <argp.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_OBJECT = OPTION_OWN,
	OPTION_BY,
	OPTION_SIZE,
	OPTION_GRAPH,
	OPTION_MIN_SHARE,
};

struct report_arguments {
	VEC(const char *) names; // the objects, then the trace
	const char *output;
	const char *object; // to draw; NULL: the one with the most faults
	struct render_picture_options picture;
	bool is_picture_set; // an option for pictures was given
	bool is_graph_set;   // --graph was given
	enum graph_kind graph;
	double min_share; // percent
	struct option_values shared;
};

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

	return arguments->is_graph_set && graph ? graph : kind_of(arguments->output);
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write to FILE; its extension selects the format: .html, an interactive page; .svg, a "
	  "picture of one file, or a graph with --graph; .dot, a graph for graphviz",
	  0 },
	{ "object", OPTION_OBJECT, "NAME", 0,
	  "File to draw, by path, file name or soname (default: the ELF file with the most "
	  "faults); unlike an OBJECT, it keeps the faults of other files in the picture (.svg)",
	  0 },
	{ "by", OPTION_BY, "initiator|mechanism|access|kind", 0,
	  "Colour by this field (default initiator; .svg)", 0 },
	{ "size", OPTION_SIZE, "WIDTHxHEIGHT", 0, "Size in pixels (default 1200x800; .svg)", 0 },
	{ "graph", OPTION_GRAPH, "causes|objects", 0,
	  "Draw a graph: causes (what ran and what it touched) or objects (the files and which "
	  "needs which) (.svg, .dot; default for .dot: causes)",
	  0 },
	{ "min-share", OPTION_MIN_SHARE, "PERCENT", 0,
	  "Combine whatever has a smaller share of the faults (default 1; below 1,000 faults 3; "
	  "for objects 0.2; .dot, .svg with --graph)",
	  0 },
	{ 0 },
};

static const struct option_use shared_options[] = {
	{ .key = OPTION_ARGUMENTS },	   { .key = OPTION_FULL_PATHS },
	{ .key = OPTION_WHERE },	   { .key = OPTION_NO_DEMANGLE },
	{ .key = OPTION_FORCE },	   { .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },	   { .key = OPTION_MEMORY },
	{ .key = OPTION_ALLOW_TRUNCATED }, { 0 },
};

static void parse_output(struct report_arguments *arguments, const char *path,
			 struct argp_state *state)
{
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };

	arguments->output = path;
	if (kind_of(path))
		return;
	for (const struct exporter *row = exporters; row->write; row++)
		if (row->extension && !strstr(strbuf_text(&list), row->extension))
			option_add_choice(&list, row->extension, !row[1].write);
	argp_error(state, "%s: the file name must end with %s", path, strbuf_text(&list));
}

static void parse_size(struct report_arguments *arguments, const char *text,
		       struct argp_state *state)
{
	const char *cross = strchr(text, 'x');
	char width[16];
	size_t across = 0, down = 0;

	if (cross && (size_t)(cross - text) < sizeof(width)) {
		memcpy(width, text, (size_t)(cross - text));
		width[cross - text] = '\0';
		if (!number_parse(width, &across) || !number_parse(cross + 1, &down))
			across = 0;
	}
	if (across < RENDER_WIDTH_MIN || across > RENDER_SIZE_MAX || down < RENDER_HEIGHT_MIN ||
	    down > RENDER_SIZE_MAX)
		argp_error(state,
			   "invalid value '%s' for --size (expected WIDTHxHEIGHT from %dx%d "
			   "to %dx%d)",
			   text, RENDER_WIDTH_MIN, RENDER_HEIGHT_MIN, RENDER_SIZE_MAX,
			   RENDER_SIZE_MAX);
	arguments->picture.width = (unsigned)across; // both within RENDER_SIZE_MAX
	arguments->picture.height = (unsigned)down;
}

static void parse_graph(struct report_arguments *arguments, const char *word,
			struct argp_state *state)
{
	arguments->is_graph_set = true;
	for (unsigned kind = 0; kind < GRAPH_KINDS; kind++) {
		if (strcmp(word, graph_kind_name((enum graph_kind)kind)) != 0)
			continue;
		arguments->graph = (enum graph_kind)kind;
		return;
	}
	argp_error(state, "invalid value '%s' for --graph (expected causes or objects)", word);
}

static void parse_min_share(struct report_arguments *arguments, const char *text,
			    struct argp_state *state)
{
	char *end;
	double share = strtod(text, &end);

	if (*end == '%')
		end++;
	if (!isdigit((unsigned char)text[0]) || *end || !(share >= 0 && share <= 100))
		argp_error(state,
			   "invalid value '%s' for --min-share (expected a percentage from 0 to "
			   "100)",
			   text);
	arguments->min_share = share;
}

/** Refuse options that the kind of output does not have. */
static void check_kind(const struct report_arguments *arguments, struct argp_state *state)
{
	enum export_what what = exporter_of(arguments)->what;

	if (arguments->is_picture_set && what != EXPORT_PICTURE)
		argp_error(state, "--object, --by and --size require -o FILE.svg without --graph");
	if (arguments->is_graph_set && what != EXPORT_GRAPH)
		argp_error(state, "--graph requires -o FILE.svg or FILE.dot; the page shows both "
				  "graphs");
	if (arguments->min_share >= 0 && what != EXPORT_GRAPH)
		argp_error(state, "--min-share requires --graph or -o FILE.dot");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_arguments *arguments = state->input;

	switch (key) {
	case 'o':
		parse_output(arguments, arg, state);
		return 0;
	case OPTION_OBJECT:
		arguments->object = arg;
		arguments->is_picture_set = true;
		return 0;
	case OPTION_BY:
		arguments->is_picture_set = true;
		if (!palette_by_parse(arg, &arguments->picture.by))
			argp_error(state,
				   "invalid value '%s' for --by (expected initiator, mechanism, "
				   "access or kind)",
				   arg);
		return 0;
	case OPTION_SIZE:
		arguments->is_picture_set = true;
		parse_size(arguments, arg, state);
		return 0;
	case OPTION_GRAPH:
		parse_graph(arguments, arg, state);
		return 0;
	case OPTION_MIN_SHARE:
		parse_min_share(arguments, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->names, arg);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->output)
			argp_error(state, "missing -o FILE; for example: -o report.html");
		check_kind(arguments, state);
		answer_need_trace(state, arguments->names.count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "[OBJECT...] [TRACE]",
	.own.doc = "Show where, when and why page faults happened, as a page or picture: one file "
		   "that needs no network and no other file. TRACE is the last argument, or the "
		   "only one that is a trace "
		   "(default: " ANSWER_DEFAULT_TRACE "); an OBJECT narrows it to that file."
		   "\vExamples:\n"
		   "  elfault report -o report.html\n"
		   "  elfault report libxul.so firefox.trace -o libxul.html\n"
		   "  elfault report --object libxul.so --by access firefox.trace -o libxul.svg\n"
		   "  elfault report --graph causes firefox.trace -o why.svg\n"
		   "  elfault report --min-share 5 firefox.trace -o why.dot\n\n"
		   "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.shared = shared_options,
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

	how.picture.full_paths = arguments->shared.shown.full_paths;
	if (!answer_choose_object(model, arguments->object, &how.picture.object) ||
	    !output_start(&output, arguments->output))
		return false;
	bool ok = exporter->write(model, &how, output.file, &err);
	return output_finish(&output, ok, &err);
}

static bool report(const struct report_arguments *arguments)
{
	const struct exporter *exporter = exporter_of(arguments);
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("report", arguments->names.items, arguments->names.count,
			 &arguments->shared, exporter->needs, &model) ||
	    !write_output(arguments, exporter, model))
		return false;
	if (!depot_has_others(arguments->shared.depot))
		dbgsym_hint(model);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

static int run(int argc, char **argv)
{
	struct report_arguments arguments = { .picture = { .width = 1200, .height = 800 },
					      .min_share = -1 };

	option_parse(&parser, argc, argv, 0, &arguments, &arguments.shared);
	bool ok = report(&arguments);

	vec_deinit(&arguments.names);
	option_values_deinit(&arguments.shared);
	return ok ? 0 : 1;
}

const struct command command_report = {
	.name = "report",
	.summary = "write the faults as a self-contained page, picture or graph",
	.run = run,
};
