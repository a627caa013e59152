// SPDX-License-Identifier: Apache-2.0
// Recorded starts, for the reason of what plain ones have shown.
#pragma once

#include "cli/bench/starts.h"
#include "cli/option/option.h"
#include "compare/bench.h"

#include <stdbool.h>
#include <stddef.h>

struct reason_request {
	const struct starts_plan *plan;
	size_t count; // of recorded starts of each
	const struct option_values *shared;
};

/**
 * Record the commands in turn, and find the reason for @bench->difference, or what the start of a
 * single command consists of; where that fails a message says why, and bench->no_reason that it
 * did.
 *
 * Returns: false if a signal has ended it. Root's rights may have been given up.
 */
bool reason_find(struct bench *bench, const struct reason_request *request);
