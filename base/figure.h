// SPDX-License-Identifier: Apache-2.0
// Numbers formatted for people, the same in all output.
#pragma once

#include "base/arena.h"

#include <stdint.h>

// The texts live in @arena.

/** The whole part of what may be any double: 0 below and for what is no number, UINT64_MAX above.
 */
uint64_t figure_whole(double number);

/** 1234567 as "1,234,567". */
const char *figure_number(struct arena *arena, uint64_t number);
/** A median of counts, which is whole or ends in a half: "1,234", "12.5". */
const char *figure_median(struct arena *arena, double median);
/** "12.3%"; "<0.1%" for a share too small for that, "-" of nothing. */
const char *figure_percent(struct arena *arena, uint64_t part, uint64_t whole);
/** "812 B", "4.0 KiB", "104.9 MiB". */
const char *figure_size(struct arena *arena, uint64_t size);
/** Return the plural ending of a regular noun for @count: "" of one, else "s". */
const char *figure_plural(uint64_t count);
