// SPDX-License-Identifier: Apache-2.0
// The parts of a command.
#pragma once

#include "cli/option/option.h"

/** One command: main.c dispatches on its name, and parses its command line before it runs. */
struct command {
	const char *name;
	const char *summary;		  // one line for `elfault --help`
	const struct option_row *options; // the last is zeroed
	struct option_operands operands;
	struct option_values *values; // of shared options; NULL: the command has none
	const char *doc;	      // argp's: what the command does, \v and the rest
	void (*check)(void);	      // what rows cannot state; NULL: nothing
	// One of these: exit status 0 if it returns true, else 1; or what it returns.
	bool (*run)(void);
	int (*run_status)(void);
};

#define TASK(words)
#define COMMAND(name)  extern const struct command command_##name;
#define RECORDER(name) COMMAND(name)
#include "cli/commands.def"
