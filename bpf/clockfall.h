// SPDX-License-Identifier: Apache-2.0
// When the processor is sampled less often: a long run has samples enough.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** After so long on the processor, all threads together, so many samples a second are taken. */
enum { CLOCKFALL_HZ = 1000, CLOCKFALL_NS = 200000000 };

/** All zero: the clocks stay as they are. */
struct clockfall {
	uint64_t look_ns; // when to see how long the command ran; 0: not any more
};

void clockfall_start(struct clockfall *fall);

/**
 * Whether now is the time, which is said once. @ran: nanoseconds on the processor, asked of @of as
 * seldom as may be, since that interrupts what runs.
 */
bool clockfall_is_due(struct clockfall *fall, uint64_t (*ran)(const void *of), const void *of);
