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

extern const struct command command_record;
extern const struct command command_analyze;
extern const struct command command_map;
extern const struct command command_report;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_resolve;
extern const struct command command_diff;
extern const struct command command_check;
extern const struct command command_order;
extern const struct command command_prefetch;
extern const struct command command_whatif;
extern const struct command command_smaps;
extern const struct command command_pack;
extern const struct command command_redact;
extern const struct command command_dump;
extern const struct command command_doctor;
