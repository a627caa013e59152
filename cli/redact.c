// SPDX-License-Identifier: Apache-2.0
// `elfault redact TRACE -o FILE`: a trace that may be given away.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/homepath.h"
#include "base/strbuf.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/answer/traceset.h"
#include "depot/pack.h"
#include "record/outfile.h"
#include "trace/trace.h"

#include <stdio.h>
#include <sys/stat.h>

struct redact_arguments {
	const char *path; // of the trace
	const char *output;
	bool labels;
	struct option_values shared;
};

static struct redact_arguments given;

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.output,
	  .missing = "; for example: -o redacted.trace", .help = "Write to FILE" },
	{ "labels", .flag = &given.labels,
	  .help = "Leave out the values of labels (record --label) as well" },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

/** Refuse to replace the trace itself: it would be kept as FILE.old, beside what is given away. */
static bool check_output(const char *path, const char *output)
{
	struct stat from, to;

	if (stat(path, &from) != 0 || stat(output, &to) != 0 || from.st_dev != to.st_dev ||
	    from.st_ino != to.st_ino)
		return true;
	message_print("%s: is the trace itself; choose another file with -o", output);
	return false;
}

static bool write_trace(const struct trace *trace, const char *path, const struct caller *caller)
{
	CLEANUP(outfile_close) struct outfile output;
	struct err err = { 0 };

	bool ok = outfile_open(&output, path, NULL, caller, &err) &&
		  trace_write(trace, output.fd, &err) && outfile_commit(&output, &err);
	return ok || message_fail(&err);
}

/** "4 words of the command line, 2 home directories, the host" */
static void put_left_out(struct strbuf *text, const struct trace_redacted *redacted)
{
	const struct {
		size_t count;
		const char *one, *several;
	} parts[] = {
		{ redacted->words, "1 word of the command line", "words of the command line" },
		{ redacted->homes, "1 home directory", "home directories" },
		{ redacted->host, "the host", NULL },
		{ redacted->labels, "the value of 1 label", "values of labels" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].count == 0)
			continue;
		strbuf_puts(text, text->length > 0 ? ", " : "");
		if (parts[i].count == 1)
			strbuf_puts(text, parts[i].one);
		else
			strbuf_printf(text, "%zu %s", parts[i].count, parts[i].several);
	}
	if (text->length == 0)
		strbuf_puts(text, "nothing, as it has no arguments, home directories or host");
}

static void tell(const char *output, const struct trace *trace,
		 const struct trace_redacted *redacted)
{
	CLEANUP(strbuf_deinit) struct strbuf parts = { 0 }, name = { 0 };
	size_t labels = trace->meta.label_count - redacted->labels;

	put_left_out(&parts, redacted);
	if (labels > 0)
		strbuf_printf(&parts, "; %zu label%s kept, without --labels", labels,
			      figure_plural(labels));
	strbuf_put_word(&name, output);
	message_print("%s: left out %s; `elfault dump %s` shows what it has", output, parts.text,
		      name.text);
}

static bool redact(const struct redact_arguments *arguments, const struct caller *caller)
{
	const char *path = arguments->path;
	CLEANUP(trace_closep) struct trace *trace = NULL;

	if (!check_output(path, arguments->output) ||
	    !answer_allow_memory(path, &arguments->shared) ||
	    !traceset_read("redact", path, &trace))
		return false;
	struct trace_redacted redacted = trace_redact(trace, arguments->labels);

	if (!write_trace(trace, arguments->output, caller))
		return false;
	tell(arguments->output, trace, &redacted);
	if (pack_is_at(path))
		message_print("the files in %s were left behind: `elfault pack` packs them anew "
			      "where they are",
			      path);
	return answer_accepts(path, trace->complete, arguments->shared.allow_truncated);
}

static bool run(void)
{
	const struct caller caller = caller_find();

	return caller_take_rights(&caller) && redact(&given, &caller);
}

const struct command command_redact = {
	.name = "redact",
	.summary = "make a trace that can be given away: no arguments, homes, host",
	.options = options,
	.operands = OPTION_TRACE(&given.path),
	.values = &given.shared,
	.doc = "Write a copy of a trace (default: " DEFAULT_TRACE
	       ") that can be given to others. Of the command line it has the program and the "
	       "names of its options, of home directories \"" HOMEPATH_REDACTED
	       "\", of the host nothing. Counts and times stay, and where the files are found "
	       "so do "
	       "all answers. docs/safety.md lists what is left."
	       "\vExamples:\n"
	       "  elfault redact -o redacted.trace\n"
	       "  elfault redact app.trace --labels -o redacted.trace\n"
	       "  elfault dump redacted.trace               # all that it has\n"
	       "  elfault pack redacted.trace -o app.pack   # with parts of the programs\n\n"
	       "Of a pack only the trace in it is written: a pack holds parts of files, which "
	       "are not redacted.\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
