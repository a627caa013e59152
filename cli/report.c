// SPDX-License-Identifier: Apache-2.0
// `elfault report [OBJECT...] TRACE -o FILE`: one picture file, complete in itself.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/answer.h"
#include "cli/message.h"
#include "correlate/filter.h"
#include "render/render.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPTION_WHERE = 1000,
	OPTION_FULL_PATHS,
	OPTION_NO_DEMANGLE,
	OPTION_FORCE,
	OPTION_DEBUG_DIR,
	OPTION_ALLOW_TRUNCATED,
};

struct report_arguments {
	VEC(const char *) names; // the objects, then the trace
	const char *output;
	bool full_paths;
	bool allow_truncated;
	struct filter *filter;
	struct correlate_options options;
};

/** One kind of picture, known by the end of the file's name. */
struct kind {
	const char *extension;
	bool (*render)(const struct report_arguments *arguments, const struct model *model,
		       FILE *out);
};

static bool as_html(const struct report_arguments *arguments, const struct model *model, FILE *out)
{
	return render_html(
		model, &(struct render_html_options){ .full_paths = arguments->full_paths }, out);
}

static const struct kind kinds[] = {
	{ ".html", as_html },
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *kind_of(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < KIND_COUNT; i++) {
		size_t end = strlen(kinds[i].extension);

		if (length > end && strcmp(path + length - end, kinds[i].extension) == 0)
			return &kinds[i];
	}
	return NULL;
}

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE; its end says what it becomes: .html", 0 },
	{ "where", OPTION_WHERE, "WORD=VALUE,...", 0,
	  "Only faults for which this holds; see `elfault analyze --help`", 0 },
	{ "full-paths", OPTION_FULL_PATHS, NULL, 0,
	  "Keep the names of home directories, which are otherwise written as ~", 0 },
	{ "no-demangle", OPTION_NO_DEMANGLE, NULL, 0, "Keep symbol names as the files have them",
	  0 },
	{ "force", OPTION_FORCE, NULL, 0,
	  "Use an OBJECT given by path though its build-id is not the recorded one", 0 },
	{ "debug-dir", OPTION_DEBUG_DIR, "DIR", 0,
	  "Look for separate debug files here instead of in /usr/lib/debug", 0 },
	{ "allow-truncated", OPTION_ALLOW_TRUNCATED, NULL, 0,
	  "Exit with 0 also when the trace is cut, damaged or not finished", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_arguments *arguments = state->input;
	struct err err;

	switch (key) {
	case 'o':
		if (!kind_of(arg))
			argp_error(state, "%s: its name must end with .html", arg);
		arguments->output = arg;
		return 0;
	case OPTION_WHERE:
		if (!arguments->filter)
			arguments->filter = filter_create();
		if (!filter_add(arguments->filter, arg, &err))
			argp_error(state, "%s", err.message);
		return 0;
	case OPTION_FULL_PATHS:
		arguments->full_paths = true;
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
	case ARGP_KEY_ARG:
		vec_push(&arguments->names, arg);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->output)
			argp_error(state, "where to? -o report.html");
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
	.doc = "Make a picture of where, when and why page faults fell: one file that needs no "
	       "network and no other file. TRACE is the last argument "
	       "(default: " ANSWER_DEFAULT_TRACE "); an OBJECT narrows it to that file."
	       "\vExamples:\n"
	       "  elfault report -o report.html\n"
	       "  elfault report libxul.so firefox.trace -o libxul.html\n\n"
	       "Exit status: 0 done, 1 the trace cannot be read or is incomplete, 2 misuse.",
};

/** Write beside the output and rename: what stood there before stays until all is well. */
static bool write_output(const struct report_arguments *arguments, const struct model *model)
{
	CLEANUP(strbuf_deinit) struct strbuf beside = { 0 };

	strbuf_printf(&beside, "%s.%ld.part", arguments->output, (long)getpid());
	const char *path = strbuf_text(&beside);
	FILE *out = fopen(path, "wxe");
	if (!out) {
		fprintf(stderr, "elfault: %s: %s\n", arguments->output, strerror(errno));
		return false;
	}
	bool ok = kind_of(arguments->output)->render(arguments, model, out);
	ok = fclose(out) == 0 && ok;
	ok = ok && rename(path, arguments->output) == 0;
	if (!ok) {
		fprintf(stderr, "elfault: %s: %s\n", arguments->output, strerror(errno));
		unlink(path);
	}
	return ok;
}

static bool report(struct report_arguments *arguments)
{
	CLEANUP(model_closep) struct model *model = NULL;

	arguments->options.filter = arguments->filter;
	arguments->options.codes = arguments->options.frame_sources = true;
	return answer_find("report", arguments->names.items, arguments->names.count,
			   &arguments->options, &model) &&
	       write_output(arguments, model) &&
	       answer_is_complete(model, arguments->allow_truncated);
}

static int run(int argc, char **argv)
{
	struct report_arguments arguments = { 0 };

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	bool ok = report(&arguments);

	vec_deinit(&arguments.names);
	filter_destroy(arguments.filter);
	return ok ? 0 : 1;
}

const struct command command_report = {
	.name = "report",
	.summary = "a picture of the faults: one page, complete in itself",
	.run = run,
};
