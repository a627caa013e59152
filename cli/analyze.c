// SPDX-License-Identifier: Apache-2.0
// `elfault analyze [OBJECT...] TRACE`: every fault attributed.
#include "cli/command.h"

#include "base/cleanup.h"
#include "cli/answer.h"
#include "cli/message.h"
#include "cli/option.h"
#include "correlate/correlate.h"
#include "correlate/filter.h"
#include "correlate/pivot.h"
#include "findings/findings.h"
#include "render/pivot.h"
#include "render/render.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_FORMAT = 1000,
	OPTION_FAULTS,
	OPTION_WHERE,
	OPTION_INITIALIZERS,
	OPTION_SORT,
	OPTION_BY,
	OPTION_TIMELINE,
	OPTION_OBJECT,
	OPTION_TOP,
	OPTION_NO_DEMANGLE,
	OPTION_FORCE,
	OPTION_DEBUG_DIR,
	OPTION_ALLOW_TRUNCATED,
	OPTION_COLOR,
};

enum analyze_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_NDJSON, FORMAT_CSV };

struct analyze_arguments {
	VEC(const char *) names; // the objects, then the trace
	enum analyze_format format;
	enum terminal_color color;
	size_t top;
	bool top_given;
	bool faults;
	bool allow_truncated;
	bool initializers; // the answer is about them alone
	bool all_initializers;
	bool sort_given;
	bool timeline;	    // the answer is a drawing
	const char *object; // of this; NULL: what faults most
	bool sort_by_faults;
	struct filter *filter;	// NULL: none given
	struct pivot_fields by; // none: the faults themselves
	struct correlate_options options;
};

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text (default); json: one document; ndjson: a fault a line; csv: a fault a row", 0 },
	{ "faults", OPTION_FAULTS, NULL, 0, "Add every single fault to --format json", 0 },
	{ "where", OPTION_WHERE, "CONDITIONS", 0,
	  "Show only faults that meet all conditions: word=value[|value...][,...], see below; may "
	  "be "
	  "repeated",
	  0 },
	{ "initializers", OPTION_INITIALIZERS, "all", OPTION_ARG_OPTIONAL,
	  "Show instead which functions that run before main caused faults; =all: also those that "
	  "caused none",
	  0 },
	{ "sort", OPTION_SORT, "WORD", 0,
	  "With --initializers: order (default), as they ran; faults, most first", 0 },
	{ "by", OPTION_BY, "WORD[,WORD[,WORD]]", 0,
	  "Count the faults shown by the values of these words, see below, in any format", 0 },
	{ "timeline", OPTION_TIMELINE, NULL, 0,
	  "Draw instead the faults of one file over time, and the file as a strip of pages; "
	  "`elfault "
	  "report` makes a picture of the same",
	  0 },
	{ "object", OPTION_OBJECT, "NAME", 0,
	  "With --timeline: which file, by path, file name or soname (default: the ELF file that "
	  "faults most)",
	  0 },
	{ "top", OPTION_TOP, "N", 0, "Rows of each table of the text (default 10), 0: all", 0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Keep symbol names as the files have them",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0,
	  "Use an OBJECT given by path though its build-id is not the recorded one", 0 },
	{ "debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
	  "Look for separate debug files here instead of in /usr/lib/debug", 0 },
	{ "allow-truncated", OPTION_ALLOW_TRUNCATED, NULL, 0,
	  "Exit with 0 also when the trace is cut, damaged or not finished", 0 },
	{ "color", OPTION_COLOR, "WHEN", 0, "auto (default), always or never", 0 },
	{ 0 },
};

/** As enum analyze_format has them. */
static const char *const format_words[] = { "text", "json", "ndjson", "csv" };

/** Add the conditions of one --where. */
static void parse_where(struct analyze_arguments *arguments, const char *text,
			struct argp_state *state)
{
	struct err err;

	if (!arguments->filter)
		arguments->filter = filter_create();
	if (!filter_add(arguments->filter, text, &err))
		argp_error(state, "--where: %s", err.message);
}

/** What goes with --initializers and what does not. */
static void check_initializers(const struct analyze_arguments *arguments, struct argp_state *state)
{
	if (!arguments->initializers) {
		if (arguments->sort_given)
			argp_error(state, "--sort goes with --initializers");
		return;
	}
	if (arguments->format == FORMAT_NDJSON)
		argp_error(state, "--initializers has no --format ndjson: json and csv are its "
				  "rows");
	if (arguments->faults)
		argp_error(state, "--faults does not go with --initializers; each fault of "
				  "--format json --faults names its initializer");
	if (arguments->filter)
		argp_error(state, "--where does not go with --initializers, which counts all "
				  "faults; an OBJECT narrows it");
	if (arguments->by.count > 0)
		argp_error(state, "--by does not go with --initializers; --by initializer counts "
				  "faults by what ran");
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
		argp_error(state, "--object goes with --timeline; without an option, an OBJECT "
				  "narrows the answer");
	if (arguments->timeline && arguments->format != FORMAT_TEXT)
		argp_error(state, "--timeline is text; elfault report -o FILE.svg is a picture");
	if (arguments->timeline &&
	    (arguments->initializers || arguments->faults || arguments->by.count > 0))
		argp_error(state, "--timeline goes with none of --initializers, --faults and --by");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct analyze_arguments *arguments = state->input;

	switch (key) {
	case OPTION_FORMAT:
		arguments->format = (enum analyze_format)option_format(
			state, arg, format_words, sizeof(format_words) / sizeof(format_words[0]));
		return 0;
	case OPTION_FAULTS:
		arguments->faults = true;
		return 0;
	case OPTION_WHERE:
		parse_where(arguments, arg, state);
		return 0;
	case OPTION_INITIALIZERS:
		arguments->initializers = true;
		if (arg && strcmp(arg, "all") != 0)
			argp_error(state, "--initializers takes nothing or =all, not '%s'", arg);
		arguments->all_initializers = arg;
		return 0;
	case OPTION_SORT:
		arguments->sort_given = true;
		arguments->sort_by_faults = strcmp(arg, "faults") == 0;
		if (!arguments->sort_by_faults && strcmp(arg, "order") != 0)
			argp_error(state, "--sort is order or faults, not '%s'", arg);
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
	case OPTION_TOP:
		arguments->top = option_top(state, arg);
		arguments->top_given = true;
		return 0;
	case OPTION_NO_DEMANGLE:
		arguments->options.no_demangle = true;
		return 0;
	case OPTION_FORCE:
		arguments->options.force = true;
		return 0;
	case OPTION_DEBUG_DIR:
		arguments->options.debug_dir = arg;
		return 0;
	case OPTION_ALLOW_TRUNCATED:
		arguments->allow_truncated = true;
		return 0;
	case OPTION_COLOR:
		arguments->color = option_color(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->names, arg);
		return 0;
	case ARGP_KEY_END:
		check_initializers(arguments, state);
		check_timeline(arguments, state);
		if (arguments->faults && arguments->format == FORMAT_TEXT)
			argp_error(state, "--faults goes with --format json; --format csv and "
					  "ndjson are the faults");
		if (arguments->faults && arguments->by.count > 0)
			argp_error(state, "--by counts faults, --faults lists them");
		answer_need_trace(state, arguments->names.count);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse_option,
	.args_doc = "[OBJECT...] [TRACE]",
	.doc = "Say which byte of which file each recorded page fault touched, and which function "
	       "touched it. TRACE is the last argument (default: " ANSWER_DEFAULT_TRACE
	       "); an OBJECT, a "
	       "path, a file name or a soname, narrows the answer to that file."
	       "\v--where chooses faults and --by counts them by these words: "
	       "kind, access, mode, mechanism, initiator, certainty, dlopen, read, step; "
	       "object, section, segment, symbol, symbol_kind (what was touched: the JSON's "
	       "\"at\"); "
	       "function, by_object, by_section (who touched it: \"by\"); "
	       "blame (the first function outside libc, libstdc++ and ld.so), initializer (the "
	       "function of the initializer that ran), init_object (its file), comm, pid, tid. "
	       "word!=value means none of the values. * and ? in a value are as in the shell; in "
	       "quotation marks or after a backslash every character stands for itself, also a "
	       "comma: 'symbol=\"foo(int, char*)\"'. null stands for no value. An object is a "
	       "path, a file name or a soname.\n\nExamples:\n"
	       "  elfault analyze\n"
	       "  elfault analyze libxul.so firefox.trace --top 30\n"
	       "  elfault analyze --initializers libxul.so firefox.trace\n"
	       "  elfault analyze --timeline --object libxul.so firefox.trace\n"
	       "  elfault analyze --format json elfault.trace | jq '.objects[0].by_section'\n"
	       "  elfault analyze --where 'initiator=static-init,section=.bss|.data'\n"
	       "  elfault analyze --by initiator,section --where object=libxul.so firefox.trace\n"
	       "  elfault analyze --format csv libc.so.6 elfault.trace > faults.csv\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
};

static bool render_initializers(const struct analyze_arguments *arguments,
				const struct model *model)
{
	const struct render_initializers_options options = {
		.terminal = terminal_detect(stdout, arguments->color),
		.top = arguments->top_given ? arguments->top : 0,
		.all = arguments->all_initializers,
		.by_faults = arguments->sort_by_faults,
	};

	if (arguments->format == FORMAT_JSON)
		return render_initializers_json(model, &options, stdout);
	if (arguments->format == FORMAT_CSV)
		return render_initializers_csv(model, &options, stdout);
	return render_initializers_text(model, &options, stdout);
}

static bool render_counts(const struct analyze_arguments *arguments, const struct model *model,
			  const struct render_text_options *text_options)
{
	CLEANUP(pivot_destroyp) struct pivot *pivot = pivot_create(model, &arguments->by);

	switch (arguments->format) {
	case FORMAT_JSON:
		return render_pivot_json(model, pivot, stdout);
	case FORMAT_NDJSON:
		return render_pivot_ndjson(pivot, stdout);
	case FORMAT_CSV:
		return render_pivot_csv(pivot, &text_options->terminal, stdout);
	case FORMAT_TEXT:
		break;
	}
	return render_pivot_text(model, pivot, text_options, stdout);
}

static bool draw_timeline(const struct analyze_arguments *arguments, const struct model *model)
{
	const struct terminal terminal = terminal_detect(stdout, arguments->color);
	struct render_picture_options options = { .full_paths = true };

	return answer_choose_object(model, arguments->object, &options.object) &&
	       message_output(render_timeline(model, &options, &terminal, stdout));
}

static bool render(const struct analyze_arguments *arguments, const struct model *model)
{
	const struct render_text_options text_options = {
		.terminal = terminal_detect(stdout, arguments->color),
		.top = arguments->top,
		.hide_specks = !arguments->top_given,
	};

	if (arguments->initializers)
		return render_initializers(arguments, model);
	if (arguments->by.count > 0)
		return render_counts(arguments, model, &text_options);
	switch (arguments->format) {
	case FORMAT_JSON:
		return render_json(model, arguments->faults, stdout);
	case FORMAT_NDJSON:
		return render_ndjson(model, stdout);
	case FORMAT_CSV:
		return render_csv(model, &text_options.terminal, stdout);
	case FORMAT_TEXT:
		break;
	}
	return render_text(model, &text_options, stdout);
}

/** Everything after the command line; true if the exit status is 0. */
static bool analyze(struct analyze_arguments *arguments)
{
	CLEANUP(model_closep) struct model *model = NULL;

	arguments->options.filter = arguments->filter;
	arguments->options.no_sources =
		(arguments->format != FORMAT_JSON || arguments->by.count > 0) &&
		!arguments->initializers;
	arguments->options.faults_only = arguments->format == FORMAT_NDJSON ||
					 arguments->format == FORMAT_CSV || arguments->by.count > 0;
	// A pivot shows no single fault.
	arguments->options.codes =
		arguments->by.count == 0 && (arguments->options.faults_only || arguments->faults);
	arguments->options.frame_sources = arguments->format != FORMAT_CSV;
	if (!answer_find("analyze", arguments->names.items, arguments->names.count,
			 &arguments->options, &model))
		return false;
	if (!arguments->options.faults_only && !arguments->initializers && !arguments->timeline)
		findings_find(model);
	return (arguments->timeline ? draw_timeline(arguments, model)
				    : message_output(render(arguments, model))) &&
	       answer_is_complete(model, arguments->allow_truncated);
}

static int run(int argc, char **argv)
{
	enum { DEFAULT_TOP = 10 };
	struct analyze_arguments arguments = { .top = DEFAULT_TOP };

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	message_ignore_sigpipe();
	bool ok = analyze(&arguments);

	filter_destroy(arguments.filter);
	vec_deinit(&arguments.names);
	return ok ? 0 : 1;
}

const struct command command_analyze = {
	.name = "analyze",
	.summary = "which byte each fault touched, and which function touched it",
	.run = run,
};
