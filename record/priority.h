// SPDX-License-Identifier: Apache-2.0
// The recorder's own priority: while it drains the rings, whatever the machine runs must not keep
// it from a processor.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** The priority before; zero-initialise. */
struct priority {
	bool is_raised, has_slice;
	int before; // nice value
	uint64_t slice_before_ns;
};

/**
 * Run this thread before others: with a short slice, and where that is allowed (root, CAP_SYS_NICE,
 * RLIMIT_NICE) at nice -20. Without it more may be lost, and nothing else changes. Children made
 * before do not have it; none may be made until priority_restore().
 */
void priority_raise(struct priority *priority);

/** As it was. Needs no privilege. */
void priority_restore(struct priority *priority);
