// SPDX-License-Identifier: Apache-2.0
// `elfault export [OBJECT...] TRACE --to FORMAT [-o FILE]`: the answer in other tools' formats.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/answer/answer.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/output.h"
#include "cli/answer/traceset.h"
#include "cli/version.h"

#include <stdio.h>
#include <unistd.h>

struct export_arguments {
	struct option_words names; // the objects, then the trace; of some formats traces and sets
	const char *output;	   // NULL: standard output
	unsigned format;	   // of those of EXPORT_TOOL
	struct export_options how;
	struct option_values shared;
};

static struct export_arguments given;

static const struct option_row options[] = {
	{ "to", .argument = "FORMAT", .word = &given.format, FORMATS_OF(EXPORT_TOOL),
	  .missing = "" },
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.output,
	  .help = "Write to FILE (default: standard output)" },
	{ "weight", .argument = "faults|time|bytes", .word = &given.how.tool.weight,
	  .needs = { { "to=folded" } },
	  .help = "Count faults (default), time in nanoseconds, or bytes read (folded)" },
	{ "cause", .flag = &given.how.tool.causes, .needs = { { "to=folded" } },
	  .help = "Add why the code ran and what was touched as the innermost frames (folded)" },
	{ .shared = OPTION_LABEL,
	  .needs = { { "to=rows" } },
	  .help = "Give rows this label, in place of the trace's own with that KEY; may be "
		  "repeated (rows)" },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_HOST,
	  .help = "Show the name of the machine, which is otherwise left out (rows)" },
	{ .shared = OPTION_WHERE },
	{ .shared = OPTION_FROM },
	{ .shared = OPTION_UNTIL },
	{ .shared = OPTION_NO_DEMANGLE },
	{ .shared = OPTION_FORCE },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static void check_terminal(void)
{
	const struct exporter *format = exporter_at(EXPORT_TOOL, given.format);

	if (format->is_binary && !given.output && isatty(STDOUT_FILENO))
		option_misuse("%s is binary: missing -o FILE", format->name);
}

static const struct exporter *exporter_of(const struct export_arguments *arguments)
{
	return exporter_at(EXPORT_TOOL, arguments->format);
}

static bool write_output(const struct export_arguments *arguments, const struct model *model)
{
	const struct export_subject subject = { .model = model };
	struct output output;
	struct err err = { 0 };

	if (!arguments->output) {
		message_ignore_sigpipe();
		return answer_print(exporter_of(arguments), &subject, &arguments->how);
	}
	if (!output_start(&output, arguments->output))
		return false;
	bool ok = exporter_of(arguments)->write(&subject, &arguments->how, output.file, &err);
	return output_finish(&output, ok, &err);
}

/** Write the exports of many traces, one behind the other; false where why not was said. */
static bool write_set(const struct export_arguments *arguments, const struct traceset *set,
		      FILE *out, bool *ret_complete, struct err *err)
{
	*ret_complete = true;
	vec_foreach (path, &set->paths) {
		CLEANUP(model_closep) struct model *model = NULL;

		if (!answer_find("export", path, 1, &arguments->shared,
				 exporter_of(arguments)->needs, &model) ||
		    !exporter_of(arguments)->write(&(struct export_subject){ .model = model },
						   &arguments->how, out, err))
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
	CLEANUP(traceset_deinit) struct traceset set = { 0 };
	return traceset_add_all(&set, arguments->names.items, arguments->names.count) &&
	       export_set(arguments, &set);
}

static bool export(const struct export_arguments *arguments)
{
	CLEANUP(model_closep) struct model *model = NULL;

	if (!answer_find("export", arguments->names.items, arguments->names.count,
			 &arguments->shared, exporter_of(arguments)->needs, &model) ||
	    !write_output(arguments, model))
		return false;
	answer_hint_set(model);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

static bool run(void)
{
	given.how.tool.version = version_line;
	given.how.tool.labels = given.shared.labels.items;
	given.how.tool.label_count = given.shared.labels.count;
	return exporter_of(&given)->takes_sets ? export_sets(&given) : export(&given);
}

const struct command command_export = {
	.name = "export",
	.summary = "write the faults in another tool's format",
	.options = options,
	.operands = { .usage = "[OBJECT...] [TRACE]\n--to rows [TRACE|DIRECTORY...]",
		      .many = &given.names,
		      .usual = DEFAULT_TRACE },
	.values = &given.shared,
	.check = check_terminal,
	.doc = "Write the faults in the format of another tool. TRACE is the last argument, or "
	       "the only one that is a trace "
	       "(default: " DEFAULT_TRACE "); of a directory of repeats, the run nearest to the "
	       "median. An OBJECT narrows it to that file. "
	       "rows takes any number of traces, and directories of them."
	       "\vExamples:\n"
	       "  elfault export --to folded | flamegraph.pl >faults.svg\n"
	       "  elfault export --to folded --cause --weight time firefox.trace -o why.folded\n"
	       "  elfault export --to rows --label release=1.2 elfault.repeats -o rows.ndjson\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
