// SPDX-License-Identifier: Apache-2.0
// `elfault dump TRACE`: the trace as text, one event a line.
#include "cli/command.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/traceset.h"

#include "base/cleanup.h"
#include "trace/trace.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_ALLOW_TRUNCATED = 1000 };

struct dump_arguments {
	const char *path;
	bool allow_truncated;
};

static const struct argp_option options[] = {
	{ "allow-truncated", OPTION_ALLOW_TRUNCATED, NULL, 0,
	  "Exit with 0 also when the trace is cut, damaged or not finished", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_arguments *arguments = state->input;

	switch (key) {
	case OPTION_ALLOW_TRUNCATED:
		arguments->allow_truncated = true;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one trace at a time; '%s' is a second one", arg);
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which trace? For example: elfault dump elfault.trace");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse_option,
	.args_doc = "TRACE",
	.doc = "Print a trace as text, one event a line, in order of time. Every command that "
	       "reads a "
	       "trace reads this form too."
	       "\vExample:\n"
	       "  elfault dump elfault.trace | grep ^fault | head\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
};

/** Say on stderr what is incomplete: the last note tells. */
static void warn_incomplete(const struct trace *trace, bool is_allowed)
{
	fprintf(stderr, "elfault: %s: incomplete trace%s\n", trace->path,
		is_allowed ? "" : "; the notes at its end say why, --allow-truncated accepts it");
}

static int run(int argc, char **argv)
{
	struct dump_arguments arguments = { 0 };
	struct err err;

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	struct caller caller = caller_find();
	if (!caller_take_rights(&caller))
		return 1;

	CLEANUP(trace_closep) struct trace *trace = NULL;
	if (!trace_read(arguments.path, &trace, &err)) {
		if (!traceset_refuse("dump", arguments.path))
			message_print(err.message);
		return 1;
	}

	message_ignore_sigpipe();
	if (!message_output(trace_write_text(trace, stdout)))
		return 1;
	if (trace->complete)
		return 0;
	warn_incomplete(trace, arguments.allow_truncated);
	return arguments.allow_truncated ? 0 : 1;
}

const struct command command_dump = {
	.name = "dump",
	.summary = "the trace as text, one event a line",
	.run = run,
};
