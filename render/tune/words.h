// SPDX-License-Identifier: Apache-2.0
// Measures of tuned starts in words.
#pragma once

#include "base/arena.h"
#include "compare/tunedstart.h"

/** "11.2 -> 3.7 ms (-67%)", of wall times. */
const char *tunewords_times(struct arena *arena, const struct tunedstart_measure *measure);

/** "faster", "no difference beyond noise": of the wall time, which alone tells of waits. */
const char *tunewords_own(const struct tunedstart_measure *measure);

/** The same, or "less processor time (-12%)" where the wall time is within noise. */
const char *tunewords_verdict(struct arena *arena, const struct tunedstart_measure *measure);

/** The same of a measure that is to show that a start is not slower. */
const char *tunewords_harm(struct arena *arena, const struct tunedstart_measure *measure);
