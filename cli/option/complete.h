// SPDX-License-Identifier: Apache-2.0
// Candidates for the next word of a command line, for completion in shells: found in the tables
// that parse it, so that a new command or option needs nothing here.
#pragma once

#include "cli/option/option.h"

#include <stddef.h>

/**
 * Print what may stand for the last of @words, which follow the command's name: one candidate per
 * line, the whole word, a tab and what it means. Lines that begin with a colon ask the shell for
 * more: ":files", ":directories", and ":command N" if the command line of another program begins at
 * word N, where "elfault" is word 0 and the command's name word 1.
 *
 * @options: of the command, complete; the last is zeroed
 * @usage:   of its operands, see option_operands
 */
void complete_print(const struct option_row *options, const char *usage, char *const *words,
		    size_t count);
