// SPDX-License-Identifier: Apache-2.0
// `elfault import FILE -o TRACE`: a log of another tool becomes a trace.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/version.h"
#include "import/import.h"
#include "record/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct import_arguments {
	const char *path;
	const char *output;
	enum import_format from;
	struct option_values shared;
};

static struct import_arguments given = { .from = IMPORT_FORMATS };

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "TRACE", .text = &given.output, .missing = "",
	  .help = "Write the trace there" },
	{ "from", .argument = "perf-script|bpftrace|offsets", .word = &given.from,
	  .help = "What FILE is; by default its first lines tell" },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

/** Open without waiting for whoever writes, but read as it comes. */
static int open_log(const char *path)
{
	if (strcmp(path, "-") == 0)
		return STDIN_FILENO;
	int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		message_print("%s: %s", path, err_text(errno));
	return fd;
}

/** A file's time says up to when what it names was there; that of a pipe says nothing. */
static const struct stat *time_of(int fd, struct stat *ret_status)
{
	return fstat(fd, ret_status) == 0 && S_ISREG(ret_status->st_mode) ? ret_status : NULL;
}

static bool write_trace(struct imported *imported, const char *path, const struct caller *caller)
{
	CLEANUP(outfile_close) struct outfile output;
	struct err err = { 0 };

	bool ok = outfile_open(&output, path, NULL, caller, &err) &&
		  import_write(imported, version_line, output.fd, &err) &&
		  outfile_commit(&output, &err);
	return ok || message_fail(&err);
}

/** "1 fault", "12 faults" */
static const char *count_of(struct arena *arena, uint64_t count, const char *noun)
{
	return arena_printf(arena, "%s %s%s", figure_number(arena, count), noun,
			    figure_plural(count));
}

static void say_done(const struct import_arguments *arguments, const struct imported *imported)
{
	struct import_figures figures = import_figures(imported);
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf odd = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf name = { 0 };

	if (figures.lost > 0)
		strbuf_printf(&odd, ", %s lost", figure_number(&arena, figures.lost));
	if (figures.odd_lines > 0)
		strbuf_printf(&odd, ", %s of %s lines not understood",
			      figure_number(&arena, figures.odd_lines),
			      figure_number(&arena, figures.lines));
	strbuf_put_word(&name, arguments->output);
	message_print("%s: %s and %s from %s%s; next: elfault analyze %s", arguments->output,
		      count_of(&arena, figures.faults, "fault"),
		      count_of(&arena, figures.mappings, "mapping"),
		      import_format_name(figures.format), strbuf_text(&odd), strbuf_text(&name));
}

static bool import(const struct import_arguments *arguments, const struct caller *caller)
{
	CLEANUP(import_closep) struct imported *imported = NULL;
	CLEANUP(freep) char *folder = get_current_dir_name();
	struct stat status;
	struct err err = { 0 };

	int fd = open_log(arguments->path);
	if (fd < 0)
		return false;
	const struct import_source source = {
		.name = fd == STDIN_FILENO ? "standard input" : arguments->path,
		.fd = fd,
		.folder = folder,
	};
	bool ok = import_read(&source, arguments->from, &imported, &err);
	if (ok)
		import_identify(imported, time_of(fd, &status));
	if (fd != STDIN_FILENO)
		close(fd);
	if (!ok)
		return message_fail(&err);
	if (!write_trace(imported, arguments->output, caller))
		return false;
	say_done(arguments, imported);
	return true;
}

static bool run(void)
{
	const struct caller caller = caller_find();

	if (!caller_take_rights(&caller))
		return false;
	answer_limit_memory(&given.shared);
	return import(&given, &caller);
}

const struct command command_import = {
	.name = "import",
	.summary = "make a trace of another tool's log",
	.options = options,
	.operands = { .usage = "FILE -o TRACE",
		      .one = &given.path,
		      .noun = "log",
		      .missing = "missing FILE; for example: elfault import perf.txt -o "
				 "elfault.trace" },
	.values = &given.shared,
	.doc = "Make a trace of a log that another tool wrote: text of perf script, the log of "
	       "the "
	       "bpftrace script of 2022, or a list with FILE OFFSET on each line. FILE may be - "
	       "for "
	       "standard input. Notes in the trace say what the log does not tell."
	       "\vExamples:\n"
	       "  perf record -e page-faults,minor-faults,major-faults -c 1 -d \\\n"
	       "          --call-graph dwarf -- COMMAND\n"
	       "  perf script --header --ns --show-mmap-events --show-task-events \\\n"
	       "          --show-lost-events \\\n"
	       "          -F comm,pid,tid,time,period,event,addr,ip,dso >perf.txt\n"
	       "  elfault import perf.txt -o elfault.trace\n"
	       "  elfault analyze elfault.trace\n\n"
	       "Exit status: 0 done, 1 the log cannot be read, 2 misuse.",
	.run = run,
};
