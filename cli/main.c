// SPDX-License-Identifier: Apache-2.0
// Finds the named command and runs it.
#include "base/nearest.h"
#include "cli/option/candidates.h"
#include "cli/command.h"
#include "cure/launcher.h"
#include "cli/process/ulimits.h"
#include "cli/message.h"
#include "cli/process/streams.h"
#include "cli/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** A command, or a task: the heading of the commands that follow. */
struct row {
	const struct command *command; // NULL: a task
	const char *task;
};

static const struct row rows[] = {
#define TASK(words)    { NULL, words },
#define RECORDER(name) { &command_##name, NULL },
#ifdef ELFAULT_RECORDER
#define COMMAND(name)
#else
#define COMMAND(name) RECORDER(name)
#endif
#include "cli/commands.def"
};

/** A hint for an unknown command, which this build may lack. */
#ifdef ELFAULT_RECORDER
#define IN_RECORDER "; this is elfault-recorder, which only records"
#else
#define IN_RECORDER ""
#endif
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static void print_help(FILE *out)
{
	fputs("Usage: elfault COMMAND [ARGUMENT...]\n"
	      "Show which byte of which ELF file each page fault touched, and which function "
	      "touched it.\n\n",
	      out);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (rows[i].command)
			fprintf(out, "  %-10s %s\n", rows[i].command->name,
				rows[i].command->summary);
		else if (i + 1 < ROW_COUNT && rows[i + 1].command)
			fprintf(out, "%s%s\n", i > 0 ? "\n" : "", rows[i].task);
	}
	fputs("\nStart with:  elfault record -- COMMAND   then   elfault analyze elfault.trace\n"
	      "`elfault COMMAND --help` lists a command's options.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].command && strcmp(name, rows[i].command->name) == 0)
			return rows[i].command;
	return NULL;
}

/** @argv[1] is its name. */
static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "elfault %s", command->name);
	argv[1] = name;
	option_parse(command, argc - 1, argv + 1);
	int status = command->run_status ? command->run_status() : command->run() ? 0 : 1;

	option_release(command);
	return status;
}

/**
 * Print what may stand for the last word of a command line, see complete.h; @argv[2] and what
 * follows are its words after "elfault". The options of a command are its own to know.
 */
static int complete(int argc, char **argv)
{
	const struct command *command = argc > 3 ? find_command(argv[2]) : NULL;
	struct typed typed = { .word = argc > 2 ? argv[2] : "" };

	if (command) {
		argv[2] = "--_complete";
		return run_command(command, argc, argv);
	}
	if (argc > 3)
		return 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].command)
			candidate_print(&typed, rows[i].command->name, rows[i].command->summary);
	candidate_print(&typed, "--help", "Show all commands");
	candidate_print(&typed, "--version", "Show the version and those of the libraries");
	return 0;
}

/** The command that @word was probably meant to be, or NULL. */
static const char *nearest_command(const char *word)
{
	const char *names[ROW_COUNT];
	size_t count = 0;

	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (!rows[i].command)
			continue;
		names[count] = rows[i].command->name;
		if (word[0] && strncmp(names[count], word, strlen(word)) == 0)
			return names[count];
		count++;
	}
	return nearest_word(word, names, count);
}

int main(int argc, char **argv)
{
	// Every file that it opens would be opened for whoever installed it so.
	if (getuid() != geteuid()) {
		message_print("does not run setuid (user %d as user %d): use sudo", (int)getuid(),
			      (int)geteuid());
		return 125;
	}
#ifndef ELFAULT_RECORDER
	launcher_execute_early(argc, argv);
#endif
	streams_occupy();
	streams_check_at_exit();
	ulimits_take_signals();
	argp_err_exit_status = 2;
	argp_program_version_hook = version_print;

	if (argc < 2) {
		print_help(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		version_print(stdout, NULL);
		return 0;
	}
	if (strcmp(argv[1], "--_complete") == 0)
		return complete(argc, argv);

	const struct command *command = find_command(argv[1]);

	if (command)
		return run_command(command, argc, argv);
	const char *nearest = nearest_command(argv[1]);

	message_print("unknown command '%s'%s%s%s; `elfault --help` lists all commands" IN_RECORDER,
		      argv[1], nearest ? " (did you mean " : "", nearest ? nearest : "",
		      nearest ? "?)" : "");
	return 2;
}
