// SPDX-License-Identifier: Apache-2.0
// `elfault prefetch`: makes a list of the file ranges that a start needs, and asks for them while a
// command starts.
#include "cli/command.h"

#include "base/cleanup.h"
#include "base/figure.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/caller.h"
#include "cure/launcher.h"
#include "cli/message.h"
#include "cli/option/number.h"
#include "cli/option/option.h"
#include "cli/lists/make.h"
#include "cli/lists/measure.h"
#include "model/shown.h"
#include "prefetch/start.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	MEASURE_MOST = 1000,
	FAILED = 125, // of elfault itself: the command's own statuses come through
};

struct prefetch_arguments {
	struct option_words traces;
	const char *output; // of the list; NULL: none is made
	const char *from;   // a list or a trace; NULL: none is used
	char **command;	    // NULL: none
	struct prefetch_request request;
	size_t measure; // cold starts of each kind; 0: the command is run once
	bool as_root;
	struct option_values shared;
};

static struct prefetch_arguments given;

static bool parse_gap(char *arg, struct err *err)
{
	struct prefetch_request *request = &given.request;

	request->gap_is_given = strcmp(arg, "auto") != 0;
	request->measures = request->gap_is_given ? DEVICEGAP_ONCE : DEVICEGAP_AGAIN;
	// None is a gap as well, but no size.
	return !request->gap_is_given || strcmp(arg, "0") == 0 ||
	       number_parse_size(arg, &request->gap);
}

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "LIST", .text = &given.output,
	  .help = "Write the list to LIST" },
	{ "from", .argument = "LIST|TRACE", .text = &given.from,
	  .excludes = { { "output", "one uses a list, the other makes one of TRACE..." } },
	  .help = "Ask for the ranges of LIST, or of a list made of TRACE, while COMMAND starts; "
		  "without COMMAND ask and exit" },
	{ "gap", .argument = "SIZE|auto", .parse = parse_gap,
	  .expected = "a size such as 64K, or auto",
	  .help = "Read SIZE bytes between two ranges of a file along with them, with K or M; "
		  "auto: measure what the device makes of them (default: as measured before, else "
		  "measured now and kept)" },
	{ "measure", .argument = "N", .number = &given.measure, .least = 1, .most = MEASURE_MOST,
	  .needs = { { "COMMAND", "elfault prefetch --measure 7 --from LIST COMMAND" } },
	  .help = "With --from: start COMMAND cold N times without and N times with prefetching, "
		  "in turn, and say whether it helps" },
	{ "root", .flag = &given.as_root,
	  .help = "Under sudo: run COMMAND as root and not as the user who called sudo" },
	{ .shared = OPTION_FORMAT, .needs = { { "measure" } } },
	{ .shared = OPTION_ARGUMENTS },
	{ .shared = OPTION_FULL_PATHS,
	  .help = "Name files in your home directory by their full paths, and not by ~, which "
		  "stands for the home of whoever uses the list" },
	{ .shared = OPTION_UNTIL,
	  .excludes = { { "from" } },
	  .help = "List what was needed before TIME, since the recording began, or before a mark" },
	{ .shared = OPTION_FORCE,
	  .help = "List files as they were recorded, even if they are not here or have changed" },
	{ .shared = OPTION_ALLOW_TRUNCATED },
	{ .shared = OPTION_MEMORY },
	{ 0 },
};

static void check_use(void)
{
	if (given.from && given.traces.count > 0)
		option_misuse("--from comes before the COMMAND, which is not recorded: elfault "
			      "prefetch --from LIST COMMAND");
	if (!given.from && given.traces.count == 0)
		option_misuse("missing TRACE; for example: elfault prefetch elfault.trace -o "
			      "command.prefetch");
	if (!given.from && !given.output)
		option_misuse("missing -o LIST");
}

// ---- Using a list -----------------------------------------------------------------------------

/** Become whoever the command is to run as. */
static bool take_rights(const struct prefetch_arguments *arguments)
{
	struct caller caller = caller_find();
	struct err err;

	if (!caller.under_sudo || arguments->as_root || privilege_run_as(&caller, &err))
		return true;
	message_print("cannot drop root privileges: %s", err.message);
	return false;
}

/** Ask for the list, and say what came of it. */
static int ask_only(const struct prefetch_list *list)
{
	static const struct prefetch_how how = { "elfault", STDERR_FILENO, -1 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	struct prefetch_result result;

	prefetch_ask(list, &how, &result);
	message_print("asked for %s in %s calls; %s%s in memory; %zu file%s not as listed",
		      figure_size(&arena, result.asked), figure_number(&arena, result.calls),
		      figure_size(&arena, result.present),
		      result.unseen > 0 ? " or more were" : " were", result.stale,
		      result.stale == 1 ? " is" : "s are");
	return 0;
}

/**
 * Make the list, or read it. A trace is never read as root while there is someone whose rights will
 * do, and reading one on the way to a command as root would have to give them up.
 */
static bool find_list(struct prefetch_arguments *arguments, struct prefetchlist *ret_list)
{
	if (launcher_is_list(arguments->from))
		return prefetchlist_read(arguments->from, ret_list);
	if (arguments->as_root && caller_find().under_sudo) {
		message_print("--root needs a list: elfault prefetch %s -o LIST", arguments->from);
		return false;
	}
	// Nobody who starts a command wants to wait for that, or to read of it.
	if (!arguments->measure && arguments->command)
		arguments->request.measures = DEVICEGAP_NEVER;
	return prefetchlist_make(&arguments->from, 1, &arguments->request, &arguments->shared,
				 ret_list);
}

/** Time cold starts with the list, which another process reads where this one is root for others.
 */
static int measure(struct prefetch_arguments *arguments)
{
	CLEANUP(prefetchlist_deinit) struct prefetchlist made = { 0 };
	size_t shown_count;
	const char *const *shown = model_shown_words(arguments->command, &made.arena,
						     &arguments->shared.shown, &shown_count);
	const struct prefetch_measure how = {
		.list = &made.list,
		.command = arguments->command,
		.shown = shown,
		.shown_count = shown_count,
		.count = arguments->measure,
		.as_root = arguments->as_root,
		.is_json = arguments->shared.format == OPTION_FORMAT_JSON,
	};
	struct caller caller = caller_find();
	bool is_read = caller.under_sudo && !arguments->as_root
			       ? prefetchlist_make_apart(arguments->from, &arguments->request,
							 &arguments->shared, &made)
			       : find_list(arguments, &made);

	return is_read ? prefetchmeasure_run(&how) : FAILED;
}

/** Leave the rest to the program that starts faster; returns if it cannot be executed. */
static void hand_over(const struct prefetch_arguments *arguments)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct launcher launcher = launcher_find(&arena);

	if (!launcher.is_elfault)
		launcher_execute(&launcher, arguments->from, arguments->command);
	message_print("elfault-prefetch: %s; elfault asks by itself, which costs a cold start more",
		      launcher.is_elfault ? "not found beside elfault or in PATH"
					  : strerror(errno));
}

static int use_list(struct prefetch_arguments *arguments)
{
	struct prefetch_asker asker = { .path = arguments->from, .program = "elfault" };
	CLEANUP(prefetchlist_deinit) struct prefetchlist made = { 0 };

	if (arguments->measure)
		return measure(arguments);
	if (!take_rights(arguments))
		return FAILED;
	// Whoever asks reads a list.
	if (!launcher_is_list(arguments->from) || !arguments->command) {
		bool is_read = find_list(arguments, &made);

		if (!is_read && !arguments->command)
			return 1;
		asker.path = NULL;
		asker.list = is_read ? &made.list : NULL;
	}
	if (!arguments->command)
		return ask_only(&made.list);
	if (asker.path)
		hand_over(arguments);
	return prefetch_start(&asker, arguments->command);
}

// ---- Making a list ----------------------------------------------------------------------------

/** The home that "~" stands for in the list; NULL: paths are written in full. */
static const char *home_of(const struct prefetch_arguments *arguments)
{
	return arguments->shared.shown.full_paths ? NULL : getenv("HOME");
}

static int make_list(struct prefetch_arguments *arguments)
{
	CLEANUP(prefetchlist_deinit) struct prefetchlist made = { 0 };
	struct caller caller = caller_find();

	if (!caller_take_rights(&caller) ||
	    !prefetchlist_make(arguments->traces.items, arguments->traces.count,
			       &arguments->request, &arguments->shared, &made) ||
	    !prefetchlist_write(&made, home_of(arguments), arguments->output))
		return 1;
	return made.is_complete ? 0 : 1;
}

static int run(void)
{
	given.request.keeps_all = given.shared.force;
	return given.from ? use_list(&given) : make_list(&given);
}

const struct command command_prefetch = {
	.name = "prefetch",
	.summary = "list the file ranges that a start needs, and ask for them as it begins",
	.options = options,
	.operands = { .usage = "TRACE... -o LIST\n--from LIST|TRACE [--] COMMAND [ARG...]",
		      .many = &given.traces,
		      .command = &given.command,
		      .command_behind = "from" },
	.values = &given.shared,
	.check = check_use,
	.doc = "Make a list of the file ranges that a start needs, or ask for them while COMMAND "
	       "starts. A cold start then waits for storage less often."
	       "\vOf a warm trace the list has the pages of faults and those mapped with them; of "
	       "one "
	       "recorded cold with --exact the pages that were needed, and what was read by "
	       "read(). "
	       "Several traces make one list.\n\n"
	       "With --from the exit status is COMMAND's own, which runs even if the list cannot "
	       "be "
	       "used: 126 if it could not be run, 127 if it was not found. elfault-prefetch LIST "
	       "COMMAND, which is executed for it, does the same and starts faster.\n\n"
	       "Examples:\n"
	       "  elfault prefetch elfault.trace -o clang.prefetch\n"
	       "  elfault-prefetch clang.prefetch -- clang --version\n"
	       "  elfault prefetch --measure 7 --from clang.prefetch -- clang --version\n\n"
	       "Exit status otherwise: 0 done, 1 a trace cannot be read or is incomplete, 2 "
	       "misuse.",
	.run_status = run,
};
