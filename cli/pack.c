// SPDX-License-Identifier: Apache-2.0
// `elfault pack TRACE -o FILE`: a trace with what is needed of the files that it names.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/output.h"
#include "cli/answer/traceset.h"
#include "depot/pack.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct pack_arguments {
	const char *path; // of the trace
	const char *output;
	bool is_whole;
	struct option_values shared;
};

static struct pack_arguments given;

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.output,
	  .missing = "; for example: -o elfault.pack", .help = "Write to FILE" },
	{ "whole", .flag = &given.is_whole,
	  .help = "Pack files whole, and not only what analysis reads of them" },
	{ .shared = OPTION_DEBUG_DIR },
	{ .shared = OPTION_SYSROOT },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

/** Ask all that any command asks of the trace, and keep what of files that took. */
static bool find_files(const struct pack_arguments *arguments, const char *path,
		       struct pack_list *list)
{
	struct correlate_options how = option_correlate(&arguments->shared);
	CLEANUP(trace_closep) struct trace *trace = NULL;
	CLEANUP(model_closep) struct model *model = NULL;
	struct err err;

	how.needs = NEED_TABLES | NEED_SOURCES | NEED_CODES | NEED_FRAME_SOURCES |
		    NEED_TIME_SOURCES | NEED_FILE_USES | NEED_OWNERS | NEED_BINDINGS | NEED_IO |
		    NEED_LISTINGS | NEED_WHOLE_LISTINGS | NEED_MOMENTS;
	how.pack = list;
	how.shown.full_paths = true; // of no use to anyone but the lists of files
	if (!traceset_read("pack", path, &trace))
		return false;
	if (!correlate(trace, &how, &model, &err))
		return message_fail(&err);
	return answer_is_complete(model, arguments->shared.allow_truncated);
}

static bool write_pack(const struct pack_arguments *arguments, const char *path,
		       const struct pack_list *list)
{
	CLEANUP(fd_close) int trace = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct output output;
	struct err err = { 0 };

	if (!output_start(&output, arguments->output))
		return false;
	// What it shows may be nobody else's business, as of a trace.
	bool ok =
		(fchmod(fileno(output.file), 0600) == 0 && trace >= 0) || err_os(&err, "%s", path);
	ok = ok && pack_write(output.file, path, trace, list, &err);
	return output_finish(&output, ok, &err);
}

/** "FILE: 14.0 MiB, 20 files and 3 debug files; …" */
static void tell(const struct pack_arguments *arguments, const struct pack_list *list)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };
	struct stat status = { 0 };
	size_t debug = 0, files = 0;

	strbuf_put_word(&word, arguments->output);
	stat(arguments->output, &status);
	vec_foreach (item, &list->items) {
		debug += item->debug > 0;
		files += item->range_count > 0;
	}
	message_print("%s: %s, %zu file%s and %zu debug file%s; next: elfault analyze %s",
		      arguments->output, figure_size(&arena, (uint64_t)status.st_size),
		      files - debug, figure_plural(files - debug), debug, figure_plural(debug),
		      strbuf_text(&word));
	if (list->absent + list->changed > 0)
		message_print(
			"not packed: %zu file%s that the trace names %s not here, %zu changed "
			"since recording",
			list->absent, figure_plural(list->absent), list->absent == 1 ? "is" : "are",
			list->changed);
}

static bool run(void)
{
	const struct pack_arguments *arguments = &given;
	const char *path = arguments->path;
	CLEANUP(pack_list_deinit) struct pack_list list = { .is_whole = arguments->is_whole };
	struct caller caller = caller_find();

	if (!caller_take_rights(&caller))
		return false;
	if (pack_is_at(path)) {
		message_print("%s: is packed already", path);
		return false;
	}
	if (!answer_start_depot(arguments->shared.depot, &caller) ||
	    !answer_allow_memory(path, &arguments->shared) || !find_files(arguments, path, &list) ||
	    !write_pack(arguments, path, &list))
		return false;
	tell(arguments, &list);
	return true;
}

const struct command command_pack = {
	.name = "pack",
	.summary = "put a trace and what it needs of its files into one file",
	.options = options,
	.operands = OPTION_TRACE(&given.path),
	.values = &given.shared,
	.doc = "Put a trace (default: " DEFAULT_TRACE
	       ") and what is needed of the ELF and debug files that it names into one "
	       "file. Every command that reads a trace takes it, on any machine, and gives the "
	       "answer that it would give here."
	       "\vExamples:\n"
	       "  elfault pack -o elfault.pack\n"
	       "  elfault pack firefox.trace -o firefox.pack\n"
	       "  elfault analyze firefox.pack\n\n"
	       "A pack holds parts of programs: send it to those only who may have them. See "
	       "docs/pack.md.\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
	.run = run,
};
