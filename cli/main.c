// SPDX-License-Identifier: Apache-2.0
// Finds the named command and runs it.
#include "base/nearest.h"
#include "cli/candidates.h"
#include "cli/command.h"
#include "cli/launcher.h"
#include "cli/ulimits.h"
#include "cli/message.h"
#include "cli/streams.h"
#include "cli/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
#ifdef ELFAULT_RECORDER
	&command_record,
	&command_doctor,
#else
	&command_record,   &command_analyze, &command_map,     &command_report, &command_export,
	&command_import,   &command_diff,    &command_check,   &command_whatif, &command_order,
	&command_prefetch, &command_smaps,   &command_resolve, &command_pack,	&command_redact,
	&command_dump,	   &command_doctor,
#endif
};
/** What an unknown command may be due to. */
#ifdef ELFAULT_RECORDER
#define IN_RECORDER "; this is elfault-recorder, which only records"
#else
#define IN_RECORDER ""
#endif
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static void print_help(FILE *out)
{
	fputs("Usage: elfault COMMAND [ARGUMENT...]\n"
	      "Show which byte of which ELF file each page fault touched, and which function "
	      "touched it.\n\n",
	      out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nStart with:  elfault record -- COMMAND   then   elfault analyze elfault.trace\n"
	      "`elfault COMMAND --help` lists a command's options.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return NULL;
}

/** @argv[1] is its name. */
static int run_command(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "elfault %s", command->name);
	argv[1] = name;
	return command->run(argc - 1, argv + 1);
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
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		candidate_print(&typed, commands[i]->name, commands[i]->summary);
	candidate_print(&typed, "--help", "Show all commands");
	candidate_print(&typed, "--version", "Show the version and those of the libraries");
	return 0;
}

/** The command that @word was probably meant to be, or NULL. */
static const char *nearest_command(const char *word)
{
	const char *names[COMMAND_COUNT];

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		names[i] = commands[i]->name;
		if (word[0] && strncmp(names[i], word, strlen(word)) == 0)
			return names[i];
	}
	return nearest_word(word, names, COMMAND_COUNT);
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
