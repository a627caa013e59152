// SPDX-License-Identifier: Apache-2.0
// `elfault tune COMMAND`: makes a start faster without a rebuild, measures it, and can take it
// back.
#include "cli/tune/folder.h"
#include "cli/tune/measure.h"
#include "cli/tune/outcome.h"
#include "cli/tune/report.h"
#include "cli/tune/trace.h"
#include "cli/tune/unused.h"

#include "base/cleanup.h"
#include "base/homepath.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLD_PAIRS = 11, RUNS_MOST = 1000, FAILED = 1 };

struct tune_arguments {
	char **command; // NULL: none
	const char *output, *undo;
	size_t runs; // pairs of warm starts; 0: until the verdict is clear
	struct option_values shared;
};

static struct tune_arguments given;

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "DIR", .text = &given.output,
	  .excludes = { { "undo" } },
	  .help = "Keep what makes the start faster in DIR (default: "
		  "$XDG_DATA_HOME/elfault/tune/NAME, "
		  "or below ~/.local/share; NAME is the program's file name)" },
	{ "undo", .argument = "NAME|DIR", .text = &given.undo, .excludes = { { "COMMAND" } },
	  .help = "Remove what tune has made for the program NAME, or in DIR" },
	{ "runs", .letter = 'r', .argument = "N", .number = &given.runs, .least = 1,
	  .most = RUNS_MOST,
	  .help = "Measure N warm starts of each kind (default: as bench does, until the interval "
		  "is "
		  "4 % wide or 30 seconds are over), and of cold ones N or 11, what is less" },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static void check(void)
{
	if (!given.undo && !given.command)
		option_misuse("missing COMMAND; for example: elfault tune -- cmake --version");
}

static const struct option_parser parser = {
	.options = options,
	.operands = { .usage = "[-o DIR] [--] COMMAND [ARG...]\n--undo NAME|DIR",
		      .command = &given.command },
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
	       "  elfault tune --undo cmake\n\n"
	       "Exit status: 0 done, also where nothing pays; 1 refused or failed, 2 misuse.",
};

/** A start that is being tuned. */
struct tuning {
	struct arena arena;
	char *const *command;
	char **tuned; // the command by the launcher
	struct standin_loaded loaded;
	struct standin_choice *choices; // one for each of the loaded
	struct outcome plain;
	struct tunefolder folder;
	struct tunetrace plain_trace, tuned_trace;
	struct tunereport report;
};

static void tuning_deinit(struct tuning *tuning)
{
	tunetrace_deinit(&tuning->plain_trace);
	tunetrace_deinit(&tuning->tuned_trace);
	outcome_deinit(&tuning->plain);
	standinloaded_deinit(&tuning->loaded);
	arena_deinit(&tuning->arena);
	free(tuning->choices);
}

static bool complain(const struct err *err)
{
	message_print("%s", err->message);
	return false;
}

// ---- What is refused early ----------------------------------------------------------------------

/** Find what COMMAND executes, by PATH, absolute and with its links: it may look at its own name.
 */
static const char *search_program(struct arena *arena, const char *name)
{
	const char *places = strchr(name, '/') ? "" : getenv("PATH") ?: "/usr/bin:/bin";
	char here[PATH_MAX];

	if (name[0] == '/')
		return access(name, X_OK) == 0 ? name : NULL;
	if (!getcwd(here, sizeof(here)))
		return NULL;
	for (const char *end = places; end; places = end + 1) {
		end = strchrnul(places, ':');
		const int length = (int)(end - places);
		const char *path = length > 0 && places[0] == '/'
					   ? arena_printf(arena, "%.*s/%s", length, places, name)
					   : arena_printf(arena, "%s/%.*s%s%s", here, length,
							  places, length > 0 ? "/" : "", name);

		if (access(path, X_OK) == 0)
			return path;
		if (!*end)
			break;
	}
	return NULL;
}

/** The program, if it can be tuned. */
static const char *find_program(struct tuning *tuning)
{
	const char *found = search_program(&tuning->arena, tuning->command[0]);
	char start[2] = { 0 };

	if (!found) {
		message_print("%s: command not found",
			      homepath_shortened(&tuning->arena, tuning->command[0]));
		return NULL;
	}
	CLEANUP(fd_close) int fd = open(found, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && pread(fd, start, sizeof(start), 0) == sizeof(start) &&
	    memcmp(start, "#!", sizeof(start)) == 0) {
		message_print("%s: a script: its interpreter is what starts; tune that, with the "
			      "script as its argument",
			      homepath_shortened(&tuning->arena, found));
		return NULL;
	}
	return found;
}

/** Two plain runs: what differs between them can prove nothing afterwards. */
static bool can_repeat(struct tuning *tuning, struct err *err)
{
	struct outcome again = { 0 };
	char text[128];
	bool ok = outcome_find(tuning->command, NULL, &tuning->plain, err) &&
		  outcome_find(tuning->command, NULL, &again, err);
	const char *difference =
		ok ? outcome_difference(&tuning->plain, &again, text, sizeof(text)) : NULL;

	outcome_deinit(&again);
	if (!difference)
		return ok;
	return err_set(
		err, ERR_MISMATCH,
		"%s: two plain starts are not alike (%s), so nothing would tell whether a tuned "
		"one is: choose a command that prints the same each time",
		tuning->command[0], difference);
}

// ---- Cures --------------------------------------------------------------------------------------

static bool choose_standins(struct tuning *tuning, struct err *err)
{
	CLEANUP(freep) bool *is_used = NULL;
	const uint64_t *weights;

	if (!standinloaded_init(&tuning->loaded, tuning->folder.program, err))
		return false;
	is_used = xcalloc(tuning->loaded.count, sizeof(*is_used));
	tuning->choices = xcalloc(tuning->loaded.count, sizeof(*tuning->choices));
	if (!unused_find(tuning->command, &tuning->loaded, is_used, err))
		return false;
	weights = tunetrace_weigh(&tuning->plain_trace, &tuning->loaded, &tuning->arena);
	standin_choose(&tuning->loaded, is_used, weights, &tuning->arena, tuning->choices);
	for (size_t i = 0; i < tuning->loaded.count; i++)
		if (tuning->choices[i].is_away)
			tuning->report.predicted_faults += weights[i];
	tuning->folder.loaded = &tuning->loaded;
	tuning->folder.choices = tuning->choices;
	for (size_t i = 0; i < tuning->loaded.count; i++)
		tuning->folder.has_libraries |= tuning->choices[i].stands;
	return true;
}

/** Name the launcher in place of the program. */
static void make_tuned(struct tuning *tuning)
{
	size_t count = 0;

	while (tuning->command[count])
		count++;
	tuning->tuned = arena_array(&tuning->arena, count + 1, sizeof(*tuning->tuned));
	memcpy(tuning->tuned, tuning->command, (count + 1) * sizeof(*tuning->tuned));
	tuning->tuned[0] = arena_printf(&tuning->arena, "%s/run", tuning->folder.path);
}

/** The same output, as started by the launcher, also if all that stands in is opened. */
static bool is_same(struct tuning *tuning, char *variable, struct err *err)
{
	struct outcome tuned = { 0 };
	char text[128];

	if (!outcome_find(tuning->tuned, variable, &tuned, err)) {
		outcome_deinit(&tuned);
		return false;
	}
	const char *difference = outcome_difference(&tuning->plain, &tuned, text, sizeof(text));

	if (difference)
		tuning->report.differs = arena_strdup(&tuning->arena, difference);
	outcome_deinit(&tuned);
	return true;
}

static size_t cold_pairs(void)
{
	return given.runs > 0 && given.runs < COLD_PAIRS ? given.runs : COLD_PAIRS;
}

static struct record_options start_of(char *const *command)
{
	return (struct record_options){ .command = (char **)command, .is_silent = true };
}

/** Judge the stand-ins, with all in memory. */
static bool measure_standins(struct tuning *tuning, struct err *err)
{
	const struct record_options plain = start_of(tuning->command);
	const struct record_options tuned = start_of(tuning->tuned);
	struct tunereport *report = &tuning->report;

	if (!is_same(tuning, NULL, err) ||
	    (!report->differs && !is_same(tuning, "ELFAULT_STANDIN=open", err)))
		return false;
	if (!report->differs &&
	    tunemeasure_warm(&plain, &tuned, given.runs, &report->standins) != 0)
		return err_set(err, ERR_OS, "%s: cannot be measured", tuning->command[0]);
	report->has_standins = !report->differs;
	tuning->folder.has_libraries =
		!report->differs && report->standins.difference.verdict == BENCH_FASTER;
	report->keeps_standins = tuning->folder.has_libraries;
	return tunefolder_settle(&tuning->folder, err);
}

/** Judge the list by cold starts, and then that it does no harm to warm ones. */
static bool measure_list(struct tuning *tuning, struct err *err)
{
	const struct record_options plain = start_of(tuning->command);
	const struct record_options tuned = start_of(tuning->tuned);
	struct tunereport *report = &tuning->report;
	struct record_files *files = tunetrace_files(&tuning->plain_trace, tuning->folder.path);

	tuning->folder.has_list = true;
	bool ok = tunefolder_settle(&tuning->folder, err) &&
		  ((tunemeasure_cold(&plain, &tuned, files, cold_pairs(), &report->cold) == 0 &&
		    tunemeasure_warm(&plain, &tuned, given.runs, &report->warm) == 0) ||
		   err_set(err, ERR_OS, "%s: cannot be measured", tuning->command[0]));

	record_files_destroy(files);
	report->has_list = ok;
	tuning->folder.has_list = report->cold.difference.verdict == BENCH_FASTER &&
				  report->warm.difference.verdict != BENCH_SLOWER;
	report->keeps_list = tuning->folder.has_list;
	return ok && tunefolder_settle(&tuning->folder, err);
}

static bool measure(struct tuning *tuning, struct err *err)
{
	struct tunefolder *folder = &tuning->folder;
	struct tunereport *report = &tuning->report;

	if (!tunefolder_make(folder, err) || !tunefolder_settle(folder, err) ||
	    (folder->has_libraries && !measure_standins(tuning, err)) ||
	    !tunetrace_record(&tuning->tuned_trace, tuning->tuned, &given.shared, err))
		return false;
	return !tunetrace_write_list(&tuning->tuned_trace, folder->path, &report->list_bytes) ||
	       measure_list(tuning, err);
}

static bool tune(struct tuning *tuning, const char *path, struct err *err)
{
	struct tunereport *report = &tuning->report;

	tuning->folder.path = path;
	tuning->folder.program = find_program(tuning);
	tuning->folder.name = tuning->command[0];
	if (!tuning->folder.program)
		return false;
	make_tuned(tuning);
	// Of a folder that is not tune's this says so, before anything is started.
	if (!tunefolder_exists(path) && !tunefolder_remove(path, err))
		return complain(err);
	if (!can_repeat(tuning, err) ||
	    !tunetrace_record(&tuning->plain_trace, tuning->command, &given.shared, err) ||
	    !choose_standins(tuning, err))
		return complain(err);
	if (!measure(tuning, err)) {
		complain(err);
		if (tunefolder_exists(path))
			tunefolder_remove(path, err);
		return false;
	}
	if (!report->keeps_standins && !report->keeps_list && !tunefolder_remove(path, err))
		return complain(err);
	tunereport_print(report, &tuning->folder, tuning->command, &given.shared.shown);
	return true;
}

// ---- The command --------------------------------------------------------------------------------

/** The folder that a name or a path means; NULL: said why. */
static const char *folder_of(struct arena *arena, const char *name)
{
	char path[PATH_MAX];

	if (!strchr(name, '/') && access(name, F_OK) != 0) {
		const char *found = tunefolder_path(arena, name);

		if (!found)
			message_print(
				"neither XDG_DATA_HOME nor HOME is set: -o DIR names the folder");
		return found;
	}
	return arena_strdup(arena, realpath(name, path) ? path : name);
}

static bool undo(const char *name)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const char *path = folder_of(&arena, name);
	struct err err;

	if (!path)
		return false;
	if (!tunefolder_exists(path)) {
		message_print("%s: nothing of `elfault tune` is there",
			      homepath_shortened(&arena, path));
		return false;
	}
	if (!tunefolder_remove(path, &err))
		return complain(&err);
	message_print("%s: removed", homepath_shortened(&arena, path));
	return true;
}

/** An absolute path for -o DIR, which need not exist. */
static const char *output_path(struct arena *arena, const char *output)
{
	char here[PATH_MAX];

	if (output[0] == '/' || !getcwd(here, sizeof(here)))
		return output;
	return arena_printf(arena, "%s/%s", here, output);
}

static bool start(void)
{
	CLEANUP(tuning_deinit) struct tuning tuning = { .command = given.command };
	struct caller caller = caller_find();
	struct err err = { 0 };

	if (!caller_take_rights(&caller))
		return false;
	if (given.undo)
		return undo(given.undo);
	const char *path =
		given.output ? output_path(&tuning.arena, given.output)
			     : tunefolder_path(&tuning.arena, path_file_name(given.command[0]));

	if (!path)
		message_print("neither XDG_DATA_HOME nor HOME is set: -o DIR names the folder");
	return path && tune(&tuning, path, &err);
}

static int run(int argc, char **argv)
{
	option_parse(&parser, argc, argv);
	message_ignore_sigpipe();
	bool ok = start();

	option_values_deinit(&given.shared);
	return ok ? 0 : FAILED;
}

const struct command command_tune = {
	.name = "tune",
	.summary = "make a start faster without a rebuild, measured, and undone by --undo",
	.run = run,
};
