// SPDX-License-Identifier: Apache-2.0
// `elfault dump TRACE`: prints a trace as text, one event per line.
#include "cli/command.h"

#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/answer/traceset.h"

#include "base/cleanup.h"
#include "trace/trace.h"

#include <stdio.h>

struct dump_arguments {
	const char *path;
	struct option_values shared;
};

static struct dump_arguments given;

static const struct option_row options[] = {
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static bool run(void)
{
	const struct caller caller = caller_find();
	CLEANUP(trace_closep) struct trace *trace = NULL;

	if (!caller_take_rights(&caller) || !answer_allow_memory(given.path, &given.shared) ||
	    !traceset_read("dump", given.path, &trace))
		return false;
	message_ignore_sigpipe();
	return message_output(trace_write_text(trace, stdout)) &&
	       answer_accepts(trace->path, trace->complete, given.shared.allow_truncated);
}

const struct command command_dump = {
	.name = "dump",
	.summary = "print a trace as text, one event per line",
	.options = options,
	.operands = { .usage = "TRACE",
		      .one = &given.path,
		      .noun = "trace",
		      .missing = "missing TRACE; for example: elfault dump elfault.trace" },
	.values = &given.shared,
	.doc = "Print a trace as text, one event per line, in order of time. Every command that "
	       "reads a trace also reads this form."
	       "\vExample:\n"
	       "  elfault dump elfault.trace | grep ^fault | head\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
