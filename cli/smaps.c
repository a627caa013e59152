// SPDX-License-Identifier: Apache-2.0
// `elfault smaps`: memory of processes by file and section.
#include "inspect/smaps/smaps.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "base/filelimit.h"
#include "cli/answer/answer.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "model/shown.h"
#include "record/permission.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDES = 2 };

struct smaps_arguments {
	struct option_words words;
	enum smaps_key key;
	bool as_root;
	struct option_values shared;
};

static struct smaps_arguments given = { .key = SMAPS_PSS };

static bool parse_key(char *arg, struct err *err)
{
	return smaps_key_parse(arg, &given.key);
}

static const struct option_row options[] = {
	{ "type", .letter = 't', .argument = "KEY", .parse = parse_key,
	  .expected = "a key that --help lists",
	  .help = "Sort by KEY and show it first: pss (default), rss, private, private_clean, "
		  "private_dirty, shared, shared_clean, shared_dirty, clean, dirty, anonymous, "
		  "swap, swap_pss, huge or size" },
	{ "root", .flag = &given.as_root,
	  .help = "Under sudo: look into processes as root, not as the user who called sudo" },
	{ .shared = OPTION_FORMAT, FORMATS_OF(EXPORT_SMAPS) },
	{ .shared = OPTION_TOP },
	{ .shared = OPTION_COLOR },
	{ .shared = OPTION_FULL_PATHS },
	{ .shared = OPTION_FORCE,
	  .help = "Take sections from the file at a path even if it is not the mapped one" },
	{ 0 },
};

static void check_words(void)
{
	if (given.words.count == 0)
		option_misuse("missing PID, NAME or FILE; for example: elfault smaps %d",
			      (int)getppid());
	if (given.words.count > SIDES)
		option_misuse("one or two at a time; unexpected argument '%s'",
			      given.words.items[SIDES]);
}

// ---- What is meant ----------------------------------------------------------------------------

static bool is_number(const char *word)
{
	return word[0] && strspn(word, "0123456789") == strlen(word) && strlen(word) < 10;
}

/** Add a process that the caller may look into, by the rules of ptrace. */
static bool add_process(struct smaps *smaps, const struct caller *caller, bool as_root, pid_t pid,
			struct err *err)
{
	if (permission_to_trace(caller, as_root, pid, &pid, 1, err))
		return smaps_add_process(smaps, pid, err);

	char *way = strstr(err->message, "; root may: ");

	if (way)
		snprintf(way, sizeof(err->message) - (size_t)(way - err->message),
			 "; root may: sudo elfault smaps --root %d", (int)pid);
	return false;
}

/** All processes of a name. Those that may not be looked into are told of, unless none may. */
static bool add_processes(struct smaps *smaps, const struct caller *caller, bool as_root,
			  const char *name)
{
	size_t count, added = 0;
	CLEANUP(freep) pid_t *pids = smaps_find_processes(name, &count);
	struct err err = { 0 };

	if (count == 0) {
		message_print("%s: %s", name,
			      errno ? err_text(errno) : "no process of that name, and no file");
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (add_process(smaps, caller, as_root, pids[i], &err))
			added++;
		else
			message_print_lines(err.message);
	}
	return added > 0;
}

/** Open what @word stands for. */
static struct smaps *open_side(const struct smaps_arguments *arguments, const char *word,
			       const struct caller *caller)
{
	CLEANUP(smaps_destroyp) struct smaps *smaps = smaps_create(word);
	struct err err = { 0 };

	filelimit_raise(); // four files a process
	if (is_number(word)) {
		if (!add_process(smaps, caller, arguments->as_root, (pid_t)atoi(word), &err)) {
			message_print_lines(err.message);
			return NULL;
		}
	} else if (strchr(word, '/') || access(word, F_OK) == 0) {
		smaps_add_file(smaps, word);
	} else if (!add_processes(smaps, caller, arguments->as_root, word)) {
		return NULL;
	}
	return TAKE(smaps);
}

// ---- The answer -------------------------------------------------------------------------------

static struct export_options how_of(const struct smaps_arguments *arguments)
{
	return (struct export_options){
		.terminal = terminal_detect(stdout, arguments->shared.color),
		.smaps = { arguments->key, arguments->shared.top },
	};
}

static bool print_one(const struct smaps_arguments *arguments, struct smaps_model *model)
{
	const struct export_options how = how_of(arguments);

	smaps_model_sort(model, arguments->key);
	return answer_print(exporter_at(EXPORT_SMAPS, arguments->shared.format),
			    &(struct export_subject){ .smaps = model }, &how);
}

static bool print_two(const struct smaps_arguments *arguments, const struct smaps_model *before,
		      const struct smaps_model *after)
{
	const struct export_options how = how_of(arguments);
	CLEANUP(smaps_compare_deinit) struct smaps_comparison comparison;

	smaps_compare(before, after, arguments->key, &comparison);
	return answer_print(exporter_at(EXPORT_SMAPS_DIFF, arguments->shared.format),
			    &(struct export_subject){ .smaps_diff = &comparison }, &how);
}

static bool answer(const struct smaps_arguments *arguments, struct smaps *const *sides)
{
	// What is compared has to be divided alike.
	const struct smaps_options how = {
		.is_forced = arguments->shared.force,
		.no_pages = arguments->words.count == SIDES &&
			    (smaps_is_copy(sides[0]) || smaps_is_copy(sides[1])),
	};
	struct smaps_model *models[SIDES] = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < arguments->words.count; i++) {
		struct err err = { 0 };

		ok = smaps_finish(sides[i], &how, &models[i], &err) || message_fail(&err);
		if (ok)
			model_show_smaps(models[i], &arguments->shared.shown);
	}
	if (ok) {
		message_ignore_sigpipe();
		ok = arguments->words.count == 1 ? print_one(arguments, models[0])
						 : print_two(arguments, models[0], models[1]);
	}
	for (size_t i = 0; i < SIDES; i++)
		smaps_model_destroy(models[i]);
	return ok;
}

static bool run(void)
{
	struct smaps *sides[SIDES] = { 0 };
	struct caller caller = caller_find();
	bool ok = true;

	for (size_t i = 0; ok && i < given.words.count; i++) {
		sides[i] = open_side(&given, given.words.items[i], &caller);
		ok = sides[i] != NULL;
	}
	// All is open: ELF files and copies, which anyone may have written, are read without
	// privilege.
	ok = ok && caller_take_rights(&caller) && answer(&given, sides);
	for (size_t i = 0; i < SIDES; i++)
		smaps_destroy(sides[i]);
	return ok;
}

const struct command command_smaps = {
	.name = "smaps",
	.summary = "show the memory of a process by file and section",
	.options = options,
	.operands = { .usage = "PID|NAME|FILE\nBEFORE AFTER", .many = &given.words },
	.values = &given.shared,
	.check = check_words,
	.doc = "Show the memory of a process by file and ELF section: private, shared, clean, "
	       "dirty, proportional (pss), swapped and in huge pages. NAME stands for all "
	       "processes of that name; FILE is a copy of /proc/PID/smaps, or of several one "
	       "after the other. Two of them are compared."
	       "\vExamples:\n"
	       "  elfault smaps 1234\n"
	       "  elfault smaps -t private_dirty firefox-esr\n"
	       "  sudo elfault smaps --root 1234                   (also who shares how much, by "
	       "section)\n"
	       "  cp /proc/1234/smaps before; ...; elfault smaps before 1234\n"
	       "  tail -n +1 /proc/{1234,1235}/smaps > both; elfault smaps both\n\n"
	       "Exit status: 0 done, 1 no such process or file, or it cannot be read, 2 misuse.",
	.run = run,
};
