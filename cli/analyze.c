// SPDX-License-Identifier: Apache-2.0
// `elfault analyze [OBJECT...] TRACE`: every fault attributed.
#include "cli/command.h"

#include "base/cleanup.h"
#include "cli/answer.h"
#include "cli/dbgsym.h"
#include "cli/message.h"
#include "cli/option.h"
#include "depot/depot.h"
#include "model/pivot.h"
#include "model/words.def"
#include "render/exporters.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTION_FULL = OPTION_OWN,
	OPTION_WIDE,
	OPTION_FAULTS,
	OPTION_INITIALIZERS,
	OPTION_SORT,
	OPTION_BY,
	OPTION_TIMELINE,
	OPTION_OBJECT,
	OPTION_STACKS,
};

/** Columns of a name in a table where nothing else limits them. */
enum { PIPE_NAME_COLUMNS = 100 };

struct analyze_arguments {
	VEC(const char *) names; // the objects, then the trace
	bool full;
	bool wide;
	bool faults;
	bool initializers; // the answer is about them alone
	bool all_initializers;
	bool sort_given;
	bool stack_ids;	    // ndjson: each stack once
	bool timeline;	    // the answer is a drawing
	const char *object; // of this; NULL: what faults most
	enum render_sort sort;
	struct pivot_fields by; // none: the faults themselves
	struct option_values shared;
};

static const struct argp_option options[] = {
	{ "full", OPTION_FULL, NULL, 0,
	  "Show everything, not one screen: all findings, then object by object sections, symbols "
	  "and functions. OBJECT, --where and --top do so anyway",
	  0 },
	{ "wide", OPTION_WIDE, NULL, 0,
	  "Write names and lines in full, however long; without it they are cut to fit a terminal, "
	  "and names in a pipe to 100 columns",
	  0 },
	{ "faults", OPTION_FAULTS, NULL, 0, "Add each fault to --format json", 0 },
	{ "stacks", OPTION_STACKS, "ids", 0,
	  "With --format ndjson: write each frame and each stack once, on a line of its own, and "
	  "of "
	  "a fault its stack's number",
	  0 },
	{ "initializers", OPTION_INITIALIZERS, "all", OPTION_ARG_OPTIONAL,
	  "Show only what initializers cost, the functions that run before main; =all: include "
	  "those without faults",
	  0 },
	{ "sort", OPTION_SORT, "time|read|faults|order", 0,
	  "With --initializers: time (default), most time first, or most faults where no time is "
	  "known; read, most bytes read; faults, most faults; order, as they ran",
	  0 },
	{ "by", OPTION_BY, "FIELD[,FIELD[,FIELD]]", 0,
	  "Count faults by these fields, listed below, in any format", 0 },
	{ "timeline", OPTION_TIMELINE, NULL, 0,
	  "Draw one file's faults over time, and the file as a strip of pages; `elfault report` "
	  "writes the same as a picture",
	  0 },
	{ "object", OPTION_OBJECT, "NAME", 0,
	  "With --timeline: the file to draw, by path, file name or soname (default: the ELF file "
	  "with the most faults)",
	  0 },
	{ 0 },
};

static struct option_format format_at(size_t index)
{
	const struct exporter *exporter = exporter_at(EXPORT_ANSWER, index);

	return exporter ? (struct option_format){ exporter->name, exporter->meaning }
			: (struct option_format){ 0 };
}

static const struct option_use shared_options[] = {
	{ .key = OPTION_FORMAT, .formats = format_at },
	{ .key = OPTION_TOP, .help = "Rows per table of the full text (default 10), 0: all" },
	{ .key = OPTION_COLOR },
	{ .key = OPTION_ARGUMENTS,
	  .help = "Show the command's arguments also in a file or pipe, where otherwise only the "
		  "program and the names of its options are shown, and \u2026 for the rest; text "
		  "on "
		  "a terminal has them" },
	{ .key = OPTION_FULL_PATHS },
	{ .key = OPTION_WHERE,
	  .help = "Show only faults that meet all conditions: FIELD=VALUE[|VALUE...][,...], see "
		  "below; may be repeated" },
	{ .key = OPTION_NO_DEMANGLE },
	{ .key = OPTION_FORCE },
	{ .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },
	{ .key = OPTION_ALLOW_TRUNCATED },
	{ .key = OPTION_MEMORY },
	{ 0 },
};

static bool is_format(const struct analyze_arguments *arguments, const char *name)
{
	return strcmp(format_at(arguments->shared.format).name, name) == 0;
}

static enum export_what what_of(const struct analyze_arguments *arguments)
{
	if (arguments->timeline)
		return EXPORT_TIMELINE;
	if (arguments->initializers)
		return EXPORT_INITIALIZERS;
	return arguments->by.count > 0 ? EXPORT_COUNTS : EXPORT_ANSWER;
}

/** Is the answer one screen? What asks for a part of it, or for more, gets that part in full. */
static bool is_screen(const struct analyze_arguments *arguments, const struct model *model)
{
	return what_of(arguments) == EXPORT_ANSWER && is_format(arguments, "text") &&
	       !arguments->full && !model->is_narrowed && !model->filter &&
	       !option_is_given(&arguments->shared, OPTION_TOP);
}

/** Check the options beside --initializers. */
static void check_initializers(const struct analyze_arguments *arguments, struct argp_state *state)
{
	if (!arguments->initializers) {
		if (arguments->sort_given)
			argp_error(state, "--sort requires --initializers");
		return;
	}
	if (arguments->faults)
		argp_error(state,
			   "--faults cannot be combined with --initializers; alone, it names "
			   "the initializer of each fault");
	if (arguments->shared.filter)
		argp_error(state,
			   "--where cannot be combined with --initializers, which counts all "
			   "faults; name an OBJECT to see only its initializers");
	if (arguments->by.count > 0)
		argp_error(state,
			   "--by cannot be combined with --initializers; use --by initializer "
			   "alone");
}

static void check_full(const struct analyze_arguments *arguments, struct argp_state *state)
{
	if (arguments->full && what_of(arguments) != EXPORT_ANSWER)
		argp_error(state, "--full cannot be combined with --initializers, --by or "
				  "--timeline");
	if (arguments->wide && arguments->timeline)
		argp_error(state, "--wide cannot be combined with --timeline");
}

/** The formats of the whole answer are offered; what else can be asked for may lack some. */
static void check_format(const struct analyze_arguments *arguments, struct argp_state *state)
{
	const char *format = format_at(arguments->shared.format).name;

	if (!exporter_named(what_of(arguments), format))
		argp_error(state, "%s does not support --format %s; use json or csv",
			   arguments->initializers ? "--initializers" : "--by", format);
}

static void parse_by(struct analyze_arguments *arguments, const char *text,
		     struct argp_state *state)
{
	struct err err;

	if (!pivot_fields_parse(text, &arguments->by, &err))
		argp_error(state, "--by: %s", err.message);
}

static void check_timeline(const struct analyze_arguments *arguments, struct argp_state *state)
{
	if (arguments->object && !arguments->timeline)
		argp_error(state, "--object requires --timeline; to narrow the answer, name the "
				  "OBJECT as an argument");
	if (arguments->timeline && !is_format(arguments, "text"))
		argp_error(state,
			   "--timeline is text only; elfault report -o FILE.svg draws a picture");
	if (arguments->timeline &&
	    (arguments->initializers || arguments->faults || arguments->by.count > 0))
		argp_error(state,
			   "--timeline cannot be combined with --initializers, --faults or --by");
}

static void check_stacks(const struct analyze_arguments *arguments, struct argp_state *state)
{
	if (arguments->stack_ids &&
	    (what_of(arguments) != EXPORT_ANSWER || !is_format(arguments, "ndjson")))
		argp_error(state, "--stacks requires --format ndjson without --by");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct analyze_arguments *arguments = state->input;

	switch (key) {
	case OPTION_FULL:
		arguments->full = true;
		return 0;
	case OPTION_WIDE:
		arguments->wide = true;
		return 0;
	case OPTION_FAULTS:
		arguments->faults = true;
		return 0;
	case OPTION_STACKS:
		arguments->stack_ids = true;
		if (strcmp(arg, "ids") != 0)
			argp_error(state, "invalid value '%s' for --stacks (expected ids)", arg);
		return 0;
	case OPTION_INITIALIZERS:
		arguments->initializers = true;
		if (arg && strcmp(arg, "all") != 0)
			argp_error(state, "invalid value '%s' for --initializers (expected all)",
				   arg);
		arguments->all_initializers = arg;
		return 0;
	case OPTION_SORT:
		arguments->sort_given = true;
		if (!render_sort_parse(arg, &arguments->sort))
			argp_error(state,
				   "invalid value '%s' for --sort (expected time, read, faults or "
				   "order)",
				   arg);
		return 0;
	case OPTION_BY:
		parse_by(arguments, arg, state);
		return 0;
	case OPTION_TIMELINE:
		arguments->timeline = true;
		return 0;
	case OPTION_OBJECT:
		arguments->object = arg;
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->names, arg);
		return 0;
	case ARGP_KEY_END:
		check_initializers(arguments, state);
		check_timeline(arguments, state);
		check_full(arguments, state);
		check_format(arguments, state);
		check_stacks(arguments, state);
		if (arguments->faults && is_format(arguments, "text"))
			argp_error(state, "--faults requires --format json; csv and ndjson list "
					  "faults anyway");
		if (arguments->faults && arguments->by.count > 0)
			argp_error(state, "--by counts faults and --faults lists them; choose one");
		answer_need_trace(state, arguments->names.count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define LINE(id, word, meaning, ...) "  " word ": " meaning "\n"
#define INITIATOR_LINES		     INITIATOR_WORDS(LINE)

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "[OBJECT...] [TRACE]",
	.own.doc =
		"Show where the time of a recorded start went, on one screen: which files and "
		"causes, and what to change. With --full: which byte of which file each page fault "
		"touched, and which function touched it. TRACE is the last argument, or the only "
		"one that is a trace "
		"(default: " ANSWER_DEFAULT_TRACE
		"); an OBJECT (path, file name or soname) narrows the answer to that file."
		"\v--where selects faults and --by counts them by these fields: "
		"kind, access, mode, mechanism, initiator, certainty, dlopen, read, step; "
		"object, section, segment, symbol, symbol_kind (what was touched: \"at\" in "
		"JSON); function, by_object, by_section (who touched it: \"by\" in JSON); "
		"blame (the first function outside libc, libstdc++ and ld.so), initializer (the "
		"initializer that ran), init_object (its file), comm, pid, tid. "
		"FIELD!=VALUE excludes values. * and ? match as in the shell; inside quotation "
		"marks or after a backslash every character is literal, including commas: "
		"'symbol=\"foo(int, char*)\"'. null matches a missing value. An object matches by "
		"path, file name or soname; an initializer by function (demangled or not), label "
		"(\"globals of foo.cc\") or place "
		"(.init_array[3]).\n\nInitiators:\n" INITIATOR_LINES "\nExamples:\n"
		"  elfault analyze\n"
		"  elfault analyze --full firefox.trace | less\n"
		"  elfault analyze libxul.so firefox.trace --top 30\n"
		"  elfault analyze --initializers libxul.so firefox.trace\n"
		"  elfault analyze --timeline --object libxul.so firefox.trace\n"
		"  elfault analyze --format json elfault.trace | jq '.objects[0].by_section'\n"
		"  elfault analyze --where 'initiator=static-init,section=.bss|.data'\n"
		"  elfault analyze --by initiator,section --where object=libxul.so firefox.trace\n"
		"  elfault analyze --format csv libc.so.6 elfault.trace > faults.csv\n\n"
		"Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.shared = shared_options,
};

/**
 * Describe where the text goes. A screen is laid out for a pipe as well; other text only cuts
 * names.
 */
static struct terminal terminal_of(const struct analyze_arguments *arguments, bool is_screen)
{
	struct terminal terminal = terminal_detect(stdout, arguments->shared.color);

	if (arguments->wide)
		terminal.width = 0;
	else if (is_screen)
		terminal.width = terminal_columns(stdout);
	else if (what_of(arguments) != EXPORT_COUNTS) // its names are for --where
		terminal.name_columns = PIPE_NAME_COLUMNS;
	return terminal;
}

static bool write_answer(const struct analyze_arguments *arguments, const struct model *model,
			 const struct exporter *exporter)
{
	const struct option_values *shared = &arguments->shared;
	const bool screen = is_screen(arguments, model);
	const struct terminal terminal = terminal_of(arguments, screen);
	CLEANUP(pivot_destroyp) struct pivot *pivot = NULL;
	struct export_options options = {
		.text = { .terminal = terminal,
			  .top = shared->top,
			  .hide_specks = !option_is_given(shared, OPTION_TOP) },
		.initializers = { .terminal = terminal,
				  .top = option_is_given(shared, OPTION_TOP) ? shared->top : 0,
				  .all = arguments->all_initializers,
				  .sort = arguments->sort },
		.picture = { .full_paths = true },
		.faults = arguments->faults,
		.stack_ids = arguments->stack_ids,
	};
	struct err err;

	if (exporter->what == EXPORT_TIMELINE &&
	    !answer_choose_object(model, arguments->object, &options.picture.object))
		return false;
	if (exporter->what == EXPORT_COUNTS) {
		pivot = pivot_create(model, &arguments->by);
		options.pivot = pivot;
	}
	if (screen)
		exporter = exporter_named(EXPORT_SCREEN, "text");
	return message_output(exporter->write(model, &options, stdout, &err));
}

/** Everything after the command line; true if the exit status is 0. */
static bool analyze(const struct analyze_arguments *arguments)
{
	const struct exporter *exporter =
		exporter_named(what_of(arguments), format_at(arguments->shared.format).name);
	unsigned needs = exporter->needs | (arguments->faults ? NEED_CODES : 0);
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("analyze", arguments->names.items, arguments->names.count,
			 &arguments->shared, needs, &model) ||
	    !write_answer(arguments, model, exporter))
		return false;
	// For a person, and of files of this machine.
	if (exporter->what == EXPORT_ANSWER && is_format(arguments, "text") &&
	    !depot_has_others(arguments->shared.depot))
		dbgsym_hint(model);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

static int run(int argc, char **argv)
{
	struct analyze_arguments arguments = { .sort = RENDER_SORT_TIME };

	option_parse(&parser, argc, argv, 0, &arguments, &arguments.shared);
	// Who typed the command may see it; what is kept or sent on may not have it.
	arguments.shared.shown.arguments |= is_format(&arguments, "text") && isatty(STDOUT_FILENO);
	message_ignore_sigpipe();
	bool ok = analyze(&arguments);

	option_values_deinit(&arguments.shared);
	vec_deinit(&arguments.names);
	return ok ? 0 : 1;
}

const struct command command_analyze = {
	.name = "analyze",
	.summary = "show where the time of a start went, which byte each fault touched, and why",
	.run = run,
};
