// SPDX-License-Identifier: Apache-2.0
// Durations as people type them: a number and its unit.
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Read @text, such as "120ms", "1.5s", "80us" or "0": a number with its unit, ns, us, ms or s,
 * which only 0 may lack. Returns false and leaves *@ret_ns alone if it is nothing of the kind, or
 * too large.
 */
bool duration_parse(const char *text, uint64_t *ret_ns);

/** Return "120 ms", "1.5 s": as many digits as tell, at most three behind the point. */
const char *duration_text(struct arena *arena, uint64_t ns);
