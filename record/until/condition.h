// SPDX-License-Identifier: Apache-2.0
// Conditions of the start of a program: "listen:8080", "output~ready". One table has their grammar.
#pragma once

#include "base/err.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

enum condition_kind {
	CONDITION_LISTEN,
	CONDITION_OUTPUT,
	CONDITION_FILE,
	CONDITION_EXEC,
	CONDITION_FUNCTION,
	CONDITION_NOTIFY,
	CONDITION_WINDOW,
	CONDITION_QUIET,
	CONDITION_MARK,
	CONDITION_AFTER,
	CONDITION_SIGNAL,
};

/** The environment variable with the path to which a program writes the names of its marks. */
#define CONDITION_MARK_VARIABLE "ELFAULT_MARK"
/** That path: it takes what is written, keeps none of it, and is there on every system. */
#define CONDITION_MARK_PATH "/dev/zero"

struct condition {
	enum condition_kind kind;
	char *text;	 // as it was given
	char *argument;	 // in @text; NULL: none
	uint32_t port;	 // LISTEN; 0: any
	uint64_t ns;	 // AFTER, QUIET
	bool is_created; // FILE: it was not there before
	char *object;	 // FUNCTION: the file that has it; NULL: the command's program
	regex_t regex;	 // OUTPUT
};

/**
 * Read @text.
 *
 * @err: ERR_INPUT, with what the conditions are where @text is none.
 * Returns: true with *@ret_condition to be released with condition_deinit().
 */
bool condition_parse(const char *text, struct condition *ret_condition, struct err *err);
void condition_deinit(struct condition *condition);

/** The name of a mark that got none: "listen" of "listen:8080", "ready" of "mark:ready". */
char *condition_name(const struct condition *condition);
