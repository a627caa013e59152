// SPDX-License-Identifier: Apache-2.0
// The output of a command, and its end.
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "record/record.h"

#include <stdbool.h>

struct outcome {
	struct strbuf output, errors;
	int status;	  // the shell's
	bool has_no_text; // what it prints is not compared
};

/**
 * Run the command of @start up to its end, or to its condition, which is an error if it does not
 * hold. @variable: a change of the environment: "NAME=VALUE". NULL: none.
 */
bool outcome_find(const struct record_options *start, char *variable, struct outcome *ret_outcome,
		  struct err *err);
void outcome_deinit(struct outcome *outcome);

/**
 * Run it once more and compare it with @before. *@ret_difference: NULL: the same; else the
 * first thing that differs, in @arena.
 */
bool outcome_repeat(const struct outcome *before, const struct record_options *start,
		    char *variable, struct arena *arena, const char **ret_difference,
		    struct err *err);
