// SPDX-License-Identifier: Apache-2.0
// Candidates for the next word of a command line, for completion in shells: found in the tables
// that parse it, so that a new command or option needs nothing here.
#pragma once

#include <argp.h>
#include <stddef.h>

/** The tables of a command: each ends with a row of zeros, or is NULL. */
struct complete_tables {
	const struct argp_option *own, *shared;
	const char *args_doc; // argp's: the operands, one line per way to call the command
};

/**
 * Print what may stand for the last of @words, which follow the command's name: one candidate per
 * line, the whole word, a tab and what it means. Lines that begin with a colon ask the shell for
 * more: ":files", ":directories", and ":command N" if the command line of another program begins at
 * word N, where "elfault" is word 0 and the command's name word 1.
 */
void complete_print(const struct complete_tables *tables, char *const *words, size_t count);
