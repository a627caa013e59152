// SPDX-License-Identifier: Apache-2.0
// What `elfault order` was asked for, and its ways to answer.
#pragma once

#include "cure/order.h"

#include <stdbool.h>
#include <stddef.h>

struct order_arguments {
	const char *output;
	enum order_format format;
	const char *object;    // to narrow to, NULL: all
	const char *debug_dir; // NULL: the usual one
	char **command;	       // of --exact
};

/** Run the command and write the order of what it enters; returns the exit status. */
int orderexact_run(const struct order_arguments *arguments);
