// SPDX-License-Identifier: Apache-2.0
// Times whose figures, rounded, add up to that of their sum: of the account of time.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/** One unit for all numbers of a sum. */
struct timesum_unit {
	const char *name;
	uint64_t ns;
	unsigned digits; // behind the point
};

/** The unit of a sum of @ns. */
struct timesum_unit timesum_unit(uint64_t ns, bool has_utf8);

/** @ns in units of the last digit, rounded. */
uint64_t timesum_ticks(const struct timesum_unit *unit, uint64_t ns);

/** "1,038.3", in @arena. */
const char *timesum_text(struct arena *arena, const struct timesum_unit *unit, uint64_t ticks);
