// SPDX-License-Identifier: Apache-2.0
// `elfault export [OBJECT...] TRACE --to FORMAT [-o FILE]`: the answer in other tools' formats.
#include "export/export.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/label.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/traceset.h"
#include "cli/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_TO = OPTION_OWN, OPTION_WEIGHT, OPTION_CAUSE, OPTION_LABEL };

struct export_arguments {
	VEC(const char *) names; // the objects, then the trace; of some formats traces and sets
	struct labels labels;
	const char *output; // NULL: standard output
	const struct exchange_format *format;
	struct exchange_options how;
	bool is_folding; // --weight or --cause was given
	struct option_values shared;
};

static struct argp_option options[] = {
	{ "to", OPTION_TO, "FORMAT", 0, NULL, 0 }, // see describe_formats()
	{ "output", 'o', "FILE", 0, "Write to FILE (default: standard output)", 0 },
	{ "weight", OPTION_WEIGHT, "faults|time|bytes", 0,
	  "Count faults (default), time in nanoseconds, or bytes read (folded)", 0 },
	{ "cause", OPTION_CAUSE, NULL, 0,
	  "Add why the code ran and what was touched as the innermost frames (folded)", 0 },
	{ "label", OPTION_LABEL, "KEY=VALUE", 0,
	  "Give rows this label, in place of the trace's own with that KEY; may be repeated (rows)",
	  0 },
	{ 0 },
};

static const struct option_use shared_options[] = {
	{ .key = OPTION_ARGUMENTS },
	{ .key = OPTION_FULL_PATHS },
	{ .key = OPTION_HOST,
	  .help = "Show the name of the machine, which is otherwise left out (rows)" },
	{ .key = OPTION_WHERE },
	{ .key = OPTION_NO_DEMANGLE },
	{ .key = OPTION_FORCE },
	{ .key = OPTION_DEBUG_DIR },
	{ .key = OPTION_SYSROOT },
	{ .key = OPTION_ALLOW_TRUNCATED },
	{ .key = OPTION_MEMORY },
	{ 0 },
};

/** The help of --to, made from the table. */
static void describe_formats(struct strbuf *text)
{
	strbuf_puts(text, "Write ");
	for (const struct exchange_format *row = exchange_formats; row->write; row++)
		strbuf_printf(text, "%s%s (%s)", row == exchange_formats ? "" : "; ", row->name,
			      row->meaning);
}

/** "folded, speedscope or pprof". */
static void add_format_names(struct strbuf *buf)
{
	for (const struct exchange_format *row = exchange_formats; row->write; row++)
		option_add_choice(buf, row->name, !row[1].write);
}

static void parse_to(struct export_arguments *arguments, const char *name, struct argp_state *state)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	arguments->format = exchange_format_named(name);
	if (arguments->format)
		return;
	add_format_names(&names);
	argp_error(state, "invalid value '%s' for --to (expected %s)", name, strbuf_text(&names));
}

static void parse_weight(struct export_arguments *arguments, const char *name,
			 struct argp_state *state)
{
	arguments->is_folding = true;
	for (unsigned i = 0; i < EXCHANGE_WEIGHTS; i++) {
		arguments->how.weight = (enum exchange_weight)i;
		if (strcmp(exchange_weight_name(arguments->how.weight), name) == 0)
			return;
	}
	argp_error(state, "invalid value '%s' for --weight (expected faults, time or bytes)", name);
}

/** Check what only the whole command line shows. */
static void check(const struct export_arguments *arguments, struct argp_state *state)
{
	CLEANUP(strbuf_deinit) struct strbuf names = { 0 };

	add_format_names(&names);
	if (!arguments->format)
		argp_error(state, "missing --to FORMAT (%s)", strbuf_text(&names));
	else if (arguments->is_folding && !arguments->format->has_weight)
		argp_error(state, "--weight and --cause require --to folded");
	else if (arguments->labels.list.count > 0 && !arguments->format->takes_sets)
		argp_error(state, "--label requires --to rows");
	else if (arguments->format->is_binary && !arguments->output && isatty(STDOUT_FILENO))
		argp_error(state, "%s is binary: missing -o FILE", arguments->format->name);
	answer_need_trace(state, arguments->names.count);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct export_arguments *arguments = state->input;

	switch (key) {
	case OPTION_TO:
		parse_to(arguments, arg, state);
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case OPTION_WEIGHT:
		parse_weight(arguments, arg, state);
		return 0;
	case OPTION_CAUSE:
		arguments->how.causes = true;
		arguments->is_folding = true;
		return 0;
	case OPTION_LABEL:
		labels_parse(&arguments->labels, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&arguments->names, arg);
		return 0;
	case ARGP_KEY_END:
		check(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.options = options,
	.own.parser = parse_option,
	.own.args_doc = "[OBJECT...] [TRACE]\n--to rows [TRACE|DIRECTORY...]",
	.own.doc =
		"Write the faults in the format of another tool. TRACE is the last argument, or "
		"the only one that is a trace "
		"(default: " ANSWER_DEFAULT_TRACE "); an OBJECT narrows it to that file. "
		"rows takes any number of traces, and directories of them."
		"\vExamples:\n"
		"  elfault export --to folded | flamegraph.pl >faults.svg\n"
		"  elfault export --to folded --cause --weight time firefox.trace -o why.folded\n"
		"  elfault export --to rows --label release=1.2 elfault.repeats -o rows.ndjson\n\n"
		"Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.shared = shared_options,
};

static bool write_output(const struct export_arguments *arguments, const struct model *model)
{
	struct output output;
	struct err err = { 0 };

	if (!arguments->output) {
		message_ignore_sigpipe();
		bool is_written = arguments->format->write(model, &arguments->how, stdout, &err);

		if (is_written || ferror(stdout))
			return message_output(is_written);
		message_print("%s", err.message); // not for what happened to the output
		return false;
	}
	if (!output_start(&output, arguments->output))
		return false;
	bool ok = arguments->format->write(model, &arguments->how, output.file, &err);
	return output_finish(&output, ok, &err);
}

/** Write the exports of many traces, one behind the other; false where why not was said. */
static bool write_set(const struct export_arguments *arguments, const struct traceset *set,
		      FILE *out, bool *ret_complete, struct err *err)
{
	*ret_complete = true;
	vec_foreach (path, &set->paths) {
		CLEANUP(model_closep) struct model *model = NULL;

		if (!answer_find("export", path, 1, &arguments->shared, arguments->format->needs,
				 &model) ||
		    !arguments->format->write(model, &arguments->how, out, err))
			return false;
		if (!answer_is_complete(model, arguments->shared.allow_truncated))
			*ret_complete = false;
	}
	return true;
}

static bool export_set(const struct export_arguments *arguments, const struct traceset *set)
{
	struct output output;
	struct err err = { 0 };
	bool is_complete;

	if (!arguments->output) {
		message_ignore_sigpipe();
		bool ok = write_set(arguments, set, stdout, &is_complete, &err);

		// Else why not was said.
		return (ok || err.message[0] ? message_output(ok) : false) && is_complete;
	}
	if (!output_start(&output, arguments->output))
		return false;
	bool ok = write_set(arguments, set, output.file, &is_complete, &err);
	return output_finish(&output, ok, &err) && is_complete;
}

static bool export_sets(const struct export_arguments *arguments)
{
	static const char *const usual[] = { ANSWER_DEFAULT_TRACE };
	struct traceset set = { 0 };
	bool has_names = arguments->names.count > 0;
	bool ok = traceset_add_all(&set, has_names ? arguments->names.items : usual,
				   has_names ? arguments->names.count : 1) &&
		  export_set(arguments, &set);

	traceset_deinit(&set);
	return ok;
}

static bool export(const struct export_arguments *arguments)
{
	CLEANUP(model_closep) struct model *model = NULL;

	return answer_find("export", arguments->names.items, arguments->names.count,
			   &arguments->shared, arguments->format->needs, &model) &&
	       write_output(arguments, model) &&
	       answer_is_complete(model, arguments->shared.allow_truncated);
}

static int run(int argc, char **argv)
{
	CLEANUP(strbuf_deinit) struct strbuf formats = { 0 };
	struct export_arguments arguments = { 0 };

	describe_formats(&formats);
	options[0].doc = strbuf_text(&formats);
	option_parse(&parser, argc, argv, 0, &arguments, &arguments.shared);
	arguments.how.version = version_line;
	arguments.how.labels = arguments.labels.list.items;
	arguments.how.label_count = arguments.labels.list.count;
	bool ok = arguments.format->takes_sets ? export_sets(&arguments) : export(&arguments);

	vec_deinit(&arguments.names);
	labels_deinit(&arguments.labels);
	option_values_deinit(&arguments.shared);
	return ok ? 0 : 1;
}

const struct command command_export = {
	.name = "export",
	.summary = "write the faults in another tool's format",
	.run = run,
};
