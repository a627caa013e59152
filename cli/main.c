// SPDX-License-Identifier: Apache-2.0
// Finds the named command and runs it.
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
	&command_record,   &command_analyze, &command_map,    &command_report,
	&command_diff,	   &command_check,   &command_whatif, &command_order,
	&command_prefetch, &command_smaps,   &command_dump,   &command_doctor,
};
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
	argp_err_exit_status = 2;
	argp_program_version = version_line;

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
		puts(argp_program_version);
		return 0;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], commands[i]->name) != 0)
			continue;
		char name[64];

		snprintf(name, sizeof(name), "elfault %s", commands[i]->name);
		argv[1] = name;
		return commands[i]->run(argc - 1, argv + 1);
	}
	const char *nearest = nearest_command(argv[1]);

	message_print("unknown command '%s'%s%s%s; `elfault --help` lists all commands", argv[1],
		      nearest ? " (did you mean " : "", nearest ? nearest : "",
		      nearest ? "?)" : "");
	return 2;
}
