// SPDX-License-Identifier: Apache-2.0
// `elfault standin LIBRARY -o FILE --for PROGRAM`: a small library that opens LIBRARY when a
// function of it is called.
#include "standin/image.h"
#include "standin/judge.h"

#include "base/figure.h"
#include "base/homepath.h"
#include "base/strbuf.h"
#include "cli/caller.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/option/option.h"
#include "cli/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct standin_arguments {
	struct option_words names; // the library
	struct option_words programs;
	const char *output;
	const char *folder; // NULL: it stays
	struct option_values shared;
};

static struct standin_arguments given;

static bool parse_program(char *arg, struct err *err)
{
	vec_push(&given.programs, arg);
	return true;
}

static const struct option_row options[] = {
	{ "output", .letter = 'o', .argument = "FILE", .text = &given.output,
	  .help = "Write the stand-in to FILE; the dynamic linker finds it by the name of the real "
		  "library (its soname), in a folder that LD_LIBRARY_PATH or a RUNPATH names" },
	{ "folder", .argument = "FOLDER", .text = &given.folder,
	  .help = "Take FOLDER, with which LD_LIBRARY_PATH begins, out of it as the stand-in is "
		  "loaded: what the program executes itself starts as before" },
	{ "for", .argument = "PROGRAM", .parse = parse_program,
	  .help = "Refuse, with the reason, if PROGRAM does not run as before with it; "
		  "repeatable" },
	{ 0 },
};

static void check(void)
{
	if (given.names.count != 1)
		option_misuse(given.names.count ? "one LIBRARY at a time"
						: "missing LIBRARY; for example: elfault standin "
						  "/usr/lib/libfoo.so.1 -o libfoo.so.1 --for foo");
	if (!given.output)
		option_misuse("missing -o FILE");
	if (given.programs.count == 0)
		option_misuse(
			"missing --for PROGRAM: whether a stand-in can take a library's place "
			"depends on who loads it");
}

/** Print how many libraries stay away until one of its functions is called. */
static void print_done(const struct standin_loaded *loaded, const struct standin_library *library,
		       size_t functions)
{
	CLEANUP(freep) bool *stays = xcalloc(loaded->count, sizeof(*stays));
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	size_t away = 0;

	standinloaded_without_one(loaded, library, stays);
	for (size_t i = 0; i < loaded->count; i++)
		away += !stays[i];
	message_print(
		"%s: stands for %s with %s function%s; %s of %s files that %s loads stay away "
		"until one is called",
		given.output, library->soname, figure_number(&arena, functions),
		figure_plural(functions), figure_number(&arena, away),
		figure_number(&arena, loaded->count), loaded->items[0]->path);
}

/** Describe in the file which files it was made of. */
static void describe(struct strbuf *about, const struct standin_library *library)
{
	strbuf_printf(about, "library %s %s\n", library->build_id[0] ? library->build_id : "-",
		      library->path);
}

/** The library among those of the first program, by the path or soname that was given. */
static const struct standin_library *find(const struct standin_loaded *loaded, const char *name)
{
	const struct standin_library *library = standinloaded_named(loaded, name);
	char path[PATH_MAX], other[PATH_MAX];

	for (size_t i = 0; !library && realpath(name, path) && i < loaded->count; i++)
		if (realpath(loaded->items[i]->path, other) && strcmp(path, other) == 0)
			library = loaded->items[i];
	return library;
}

/** Judge for one program; the first one's library is what is written. */
static bool judge(const char *program, const char *name, struct standin_loaded *loaded,
		  const struct standin_library **ret_library, struct err *err)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!standinloaded_init(loaded, program, err))
		return false;
	const struct standin_library *library = find(loaded, name);

	if (!library)
		return err_set(err, ERR_INPUT, "%s: does not load %s at its start",
			       homepath_shortened(&arena, program), name);
	const char *why = standin_refusal(loaded, library, &arena);

	if (why)
		return err_set(err, ERR_MISMATCH, "%s: no stand-in for %s: %s",
			       homepath_shortened(&arena, program), library->soname, why);
	*ret_library = library;
	return true;
}

static bool write_image(const struct standin_library *library, size_t *ret_functions,
			struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf about = { 0 };
	struct output output;

	if (!output_start(&output, given.output))
		return false;
	describe(&about, library);
	const struct standin_image image = {
		.library = library,
		.path = library->path,
		.folder = given.folder,
		.about = strbuf_text(&about),
	};
	bool ok = standinimage_write(&image, fileno(output.file), ret_functions, err);

	return output_finish(&output, ok, err);
}

static bool stand_in(void)
{
	struct caller caller = caller_find();
	CLEANUP(standinloaded_deinit) struct standin_loaded first = { 0 };
	const struct standin_library *library = NULL;
	struct err err = { 0 };
	size_t functions = 0;

	if (!caller_take_rights(&caller))
		return false;
	bool ok = judge(given.programs.items[0], given.names.items[0], &first, &library, &err);

	for (size_t i = 1; ok && i < given.programs.count; i++) {
		CLEANUP(standinloaded_deinit) struct standin_loaded loaded = { 0 };
		const struct standin_library *other;

		ok = judge(given.programs.items[i], given.names.items[0], &loaded, &other, &err);
	}
	if (!ok || !library)
		return message_fail(&err);
	if (!write_image(library, &functions, &err))
		return false;
	print_done(&first, library, functions);
	return true;
}

static bool run(void)
{
	bool ok = stand_in();

	vec_deinit(&given.programs);
	return ok;
}

const struct command command_standin = {
	.name = "standin",
	.summary = "write a small library that opens a large one when it is called",
	.options = options,
	.operands = { .usage = "LIBRARY -o FILE --for PROGRAM...", .many = &given.names },
	.values = &given.shared,
	.check = check,
	.doc = "Write a stand-in for LIBRARY: a small library with its name, its versions and all "
	       "its functions, each of which opens the real one, by its path, when it is called "
	       "first. A program that loads LIBRARY, and what it brings, without calling it starts "
	       "without them. LIBRARY is a path, or with --for a soname that PROGRAM loads."
	       "\vRefused where PROGRAM needs more of LIBRARY than functions, or may rely on its "
	       "initializers; docs/standin.md has the rules.\n\n"
	       "Examples:\n"
	       "  elfault standin libcurl.so.4 -o lib/libcurl.so.4 --for /usr/bin/cmake\n"
	       "  LD_LIBRARY_PATH=lib cmake --version\n\n"
	       "Exit status: 0 done, 1 refused or failed, 2 misuse.",
	.run = run,
};
