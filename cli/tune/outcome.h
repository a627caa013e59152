// SPDX-License-Identifier: Apache-2.0
// The output of a command, and its end.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

struct outcome {
	struct strbuf output, errors;
	int status; // the shell's
};

/** A change of the environment: "NAME=VALUE". NULL: none. */
bool outcome_find(char *const *command, char *variable, struct outcome *ret_outcome,
		  struct err *err);
void outcome_deinit(struct outcome *outcome);

/**
 * Compare two runs. Returns: NULL: the same; else the first thing that differs, in @text of @size
 * bytes.
 */
const char *outcome_difference(const struct outcome *a, const struct outcome *b, char *text,
			       size_t size);
