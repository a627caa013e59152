// SPDX-License-Identifier: Apache-2.0
// Finds the named command and runs it.
#include "cli/command.h"
#include "cli/message.h"
#include "cli/version.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command *const commands[] = {
	&command_record, &command_analyze, &command_map,  &command_report,
	&command_diff,	 &command_check,   &command_dump, &command_doctor,
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

enum { WORD_MAX = 16 }; // longer than any command

/** How many letters have to be added, dropped, changed or swapped to make @a of @b. */
static size_t distance(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	size_t costs[WORD_MAX + 1][WORD_MAX + 1];

	for (size_t i = 0; i <= a_length; i++) {
		for (size_t k = 0; k <= b_length; k++) {
			if (i == 0 || k == 0) {
				costs[i][k] = i + k;
				continue;
			}
			size_t cost = costs[i - 1][k - 1] + (a[i - 1] != b[k - 1]);

			if (costs[i - 1][k] + 1 < cost)
				cost = costs[i - 1][k] + 1;
			if (costs[i][k - 1] + 1 < cost)
				cost = costs[i][k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
			    costs[i - 2][k - 2] + 1 < cost)
				cost = costs[i - 2][k - 2] + 1;
			costs[i][k] = cost;
		}
	}
	return costs[a_length][b_length];
}

/** The command that @word was probably meant to be, or NULL. */
static const char *nearest_command(const char *word)
{
	size_t length = strlen(word), nearest = 0, least = 0;

	if (length < 2 || length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *name = commands[i]->name;
		size_t apart = strncmp(name, word, length) == 0 ? 0 : distance(word, name);

		if (i == 0 || apart < least) {
			least = apart;
			nearest = i;
		}
	}
	// Less than half of the word, and no more than a slip.
	return least <= 2 && 2 * least < length ? commands[nearest]->name : NULL;
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

	if (nearest)
		message_print("unknown command '%s'; did you mean %s? `elfault --help` lists all "
			      "commands",
			      argv[1], nearest);
	else
		message_print("unknown command '%s'; `elfault --help` lists all commands", argv[1]);
	return 2;
}
