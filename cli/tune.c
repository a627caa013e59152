// SPDX-License-Identifier: Apache-2.0
// `elfault tune COMMAND`: makes a start faster without a rebuild, measures it, and can take it
// back.
#include "cli/tune/folder.h"
#include "cli/tune/manage.h"
#include "cli/tune/result.h"
#include "cli/tune/tuning.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MOST = 1000, FAILED = 1 };

struct tune_arguments {
	char **command; // NULL: none
	struct option_words names;
	const char *output, *undo, *until;
	bool lists, checks, prints, refreshes, refreshes_itself;
	size_t runs; // pairs of warm starts; 0: until the verdict is clear
	struct option_values shared;
};

static struct tune_arguments given;

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "DIR", .text = &given.output,
	  .excludes = { { "undo list check print refresh" } },
	  .help = "Keep what makes the start faster in DIR (default: "
		  "$XDG_DATA_HOME/elfault/tune/NAME, "
		  "or below ~/.local/share; NAME is the program's file name)" },
	{ "runs", .letter = 'r', .argument = "N", .number = &given.runs, .least = 1,
	  .most = RUNS_MOST, .excludes = { { "undo list check print" } },
	  .help = "Measure N warm starts of each kind (default: as bench does, until the interval "
		  "is "
		  "4 % wide or 30 seconds are over), and of cold ones N or 21, whichever is less" },
	{ "until", .argument = "CONDITION", .text = &given.until, .needs = { { "COMMAND" } },
	  .help = "A start is over when CONDITION holds, and is ended then: for programs that do "
		  "not end, listen, notify, window and others, as record --until has them "
		  "(docs/until.md)" },
	{ "self-refresh", .flag = &given.refreshes_itself, .needs = { { "COMMAND" } },
	  .help = "After an upgrade let the launcher tune COMMAND again by itself, in the "
		  "background with the least priority; not while memory is short" },
	{ "list", .flag = &given.lists, .excludes = { { "undo check print refresh" } },
	  .help = "Show what is tuned, what it gained, and whether it starts tuned or plainly" },
	{ "check", .flag = &given.checks, .excludes = { { "undo print refresh" } },
	  .help = "Show which of NAME..., or of all, start plainly because something changed, as "
		  "after an upgrade; nothing is started. Exit status 1 if one does" },
	{ "print", .flag = &given.prints, .excludes = { { "undo refresh" } },
	  .help = "Show again what was measured" },
	{ "refresh", .flag = &given.refreshes, .excludes = { { "undo" } },
	  .help = "Tune NAME..., or all that start plainly, again" },
	{ "undo", .argument = "NAME|DIR", .text = &given.undo, .excludes = { { "COMMAND" } },
	  .help = "Remove what tune has made for the program NAME, or in DIR" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_TUNE) },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static void check(void)
{
	if (!given.undo && !given.command && !given.lists && !given.checks && !given.prints &&
	    !given.refreshes)
		option_misuse("missing COMMAND; for example: elfault tune -- cmake --version");
}

/** An absolute path for -o DIR, which need not exist. */
static const char *output_path(struct arena *arena, const char *output)
{
	char here[PATH_MAX];

	if (output[0] == '/' || !getcwd(here, sizeof(here)))
		return output;
	return arena_printf(arena, "%s/%s", here, output);
}

static bool tune(struct arena *arena, struct tunedstarts *ret_starts)
{
	const struct tuning_request request = {
		.command = given.command,
		.path = given.output ? output_path(arena, given.output)
				     : tunefolder_path(arena, path_file_name(given.command[0])),
		.runs = given.runs,
		.until = given.until,
		.refreshes = given.refreshes_itself,
		.shared = &given.shared,
	};
	struct tunedstart *start = arena_array(arena, 1, sizeof(*start));

	*ret_starts = (struct tunedstarts){ start, 1 };
	if (!request.path)
		message_print("neither XDG_DATA_HOME nor HOME is set: -o DIR names the folder");
	return request.path && tuning_run(&request, arena, start);
}

/** Leave those alone that start plainly. Returns: whether there was none. */
static bool drop_tuned(struct arena *arena, struct tunedstarts *starts)
{
	struct tunedstart *plain = arena_array(arena, starts->count, sizeof(*plain));
	size_t count = 0;

	array_foreach (start, starts->items, starts->count)
		if (start->plainly)
			plain[count++] = *start;
	*starts = (struct tunedstarts){ plain, count };
	return count == 0;
}

static bool print(struct arena *arena, const struct tunedstarts *starts)
{
	const enum export_what what = given.lists || given.checks ? EXPORT_TUNE_LIST : EXPORT_TUNE;
	struct tunedstart *shown = arena_copy(arena, starts->items, starts->count * sizeof(*shown));
	const struct tunedstarts all = { shown, starts->count };
	const struct export_options how = {
		.terminal = terminal_detect(stdout, given.shared.color),
	};

	for (size_t i = 0; i < all.count; i++)
		tuneresult_show(&shown[i], &given.shared.shown, arena);
	return answer_print(exporter_at(what, given.shared.format),
			    &(struct export_subject){ .tuned = &all }, &how);
}

static bool start(void)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct caller caller = caller_find();
	struct tunedstarts starts;
	bool ok;

	if (!caller_take_rights(&caller))
		return false;
	if (given.undo)
		return manage_undo(given.undo);
	if (given.refreshes)
		ok = manage_refresh(&given.names, given.runs, &given.shared, &arena, &starts);
	else if (given.lists || given.checks || given.prints)
		ok = manage_find(&given.names, &arena, &starts);
	else if (!tune(&arena, &starts))
		return false;
	else
		ok = true;
	if (given.checks)
		ok = drop_tuned(&arena, &starts) && ok;
	return print(&arena, &starts) && ok;
}

static int run(void)
{
	given.shared.shown.arguments |=
		given.shared.format == OPTION_FORMAT_TEXT && isatty(STDOUT_FILENO);
	message_ignore_sigpipe();
	return start() ? 0 : FAILED;
}

const struct command command_tune = {
	.name = "tune",
	.summary = "make a start faster without a rebuild, measured, and undone by --undo",
	.options = options,
	.operands = { .usage = "[-o DIR] [--until CONDITION] [--self-refresh] [--] COMMAND "
			       "[ARG...]\n"
			       "--list|--check|--print|--refresh [NAME|DIR...]\n"
			       "--undo NAME|DIR",
		      .command = &given.command,
		      .command_without = "list check print refresh",
		      .many = &given.names },
	.values = &given.shared,
	.check = check,
	.doc = "Make the start of a program faster without building anything: with stand-ins for "
	       "libraries that the start loads and does not use, and a prefetch list for the cold "
	       "start. Each is measured against the plain start, in turn, and kept only if it "
	       "pays. What is kept is in one folder, with a launcher to start the program by; "
	       "nothing "
	       "else changes."
	       "\vCOMMAND is started some hundred times, and has to print the same each time.\n\n"
	       "Examples:\n"
	       "  elfault tune -- cmake --version\n"
	       "  ~/.local/share/elfault/tune/cmake/run --version\n"
	       "  elfault tune --check || elfault tune --refresh\n"
	       "  elfault tune --undo cmake\n\n"
	       "Exit status: 0 done, also where nothing pays; 1 refused or failed, or with --check "
	       "something starts plainly; 2 misuse.",
	.run_status = run,
};
