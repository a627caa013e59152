// SPDX-License-Identifier: Apache-2.0
// `elfault dump TRACE`: prints a trace as text, one event per line.
#include "cli/command.h"

#include "cli/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option.h"
#include "cli/traceset.h"

#include "base/cleanup.h"
#include "trace/trace.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

struct dump_arguments {
	const char *path;
	struct option_values shared;
};

static const struct option_use shared_options[] = {
	{ .key = OPTION_ALLOW_TRUNCATED },
	{ .key = OPTION_MEMORY },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct dump_arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (arguments->path)
			argp_error(state, "one trace at a time; unexpected argument '%s'", arg);
		arguments->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "missing TRACE; for example: elfault dump elfault.trace");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct option_parser parser = {
	.own.parser = parse_option,
	.own.args_doc = "TRACE",
	.own.doc =
		"Print a trace as text, one event per line, in order of time. Every command that "
		"reads a trace also reads this form."
		"\vExample:\n"
		"  elfault dump elfault.trace | grep ^fault | head\n\n"
		"Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.shared = shared_options,
};

/** Report an incomplete trace; its last note says why. */
static void warn_incomplete(const struct trace *trace, bool is_allowed)
{
	message_print("%s: incomplete trace%s", trace->path,
		      is_allowed ? ""
				 : "; the notes at its end say why; --allow-truncated accepts it");
}

static int run(int argc, char **argv)
{
	struct dump_arguments arguments = { 0 };
	struct err err;

	option_parse(&parser, argc, argv, 0, &arguments, &arguments.shared);
	struct caller caller = caller_find();
	if (!caller_take_rights(&caller) || !answer_allow_memory(arguments.path, &arguments.shared))
		return 1;

	CLEANUP(trace_closep) struct trace *trace = NULL;
	if (!trace_read(arguments.path, &trace, &err)) {
		if (!traceset_refuse("dump", arguments.path))
			message_print("%s", err.message);
		return 1;
	}

	message_ignore_sigpipe();
	if (!message_output(trace_write_text(trace, stdout)))
		return 1;
	if (trace->complete)
		return 0;
	warn_incomplete(trace, arguments.shared.allow_truncated);
	return arguments.shared.allow_truncated ? 0 : 1;
}

const struct command command_dump = {
	.name = "dump",
	.summary = "print a trace as text, one event per line",
	.run = run,
};
