// SPDX-License-Identifier: Apache-2.0
// The request of `elfault order`, and its ways to answer.
#pragma once

#include "cli/option/option.h"
#include "cure/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDER_OBJECTS_MAX = 2 }; // of --verify

struct order_arguments {
	const char *output;
	enum order_format format;
	const char *object;  // to narrow to, NULL: all
	const char *weights; // of the inputs, with commas; NULL: they all count the same
	const struct option_values *shared;
	char **command;		    // of --exact
	const char *verified;	    // of --verify
	struct option_words inputs; // traces and order files; of --verify: objects
};

/** Run the command and write the order of what it enters; returns the exit status. */
int orderexact_run(const struct order_arguments *arguments);

/** Write the order of what the inputs show; returns the exit status. */
int ordertrace_run(const struct order_arguments *arguments);

/** Print what the objects have of an order file; returns the exit status. */
int orderverify_run(const struct order_arguments *arguments, bool is_json);
