// SPDX-License-Identifier: Apache-2.0
// The parts of a command.
#pragma once

/** One command: main.c dispatches on its name; the command parses its own arguments with argp. */
struct command {
	const char *name;
	const char *summary; // one line for `elfault --help`
	/** argv[0] is "elfault NAME". Returns the exit status: 0 done, 1 failed, 2 misuse. */
	int (*run)(int argc, char **argv);
};

#define TASK(words)
#define COMMAND(name)  extern const struct command command_##name;
#define RECORDER(name) COMMAND(name)
#include "cli/commands.def"
