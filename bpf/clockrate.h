// SPDX-License-Identifier: Apache-2.0
// How often the processor is sampled: as often as costs little here.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	CLOCKRATE_TRIAL_HZ = 20000,
	// A start of 20 ms has 50 samples, however dear they are.
	CLOCKRATE_LEAST_HZ = 2500,
	// Of the program's time, which samples may keep it from running. The caches that they
	// displace cost it up to twice as much again (docs/measured/recording.md).
	CLOCKRATE_PERMILLE = 9,
	CLOCKRATE_GAPS = 40, // of a trial
};

/**
 * Return for how long a sample keeps a thread from its work: the median of the gaps in the time
 * that this thread sees, while a clock samples it CLOCKRATE_TRIAL_HZ times a second. Takes 2 ms;
 * where samples fail to come 10 ms, and it is 0.
 */
uint32_t clockrate_measure(void);

/** Return the cost that @gaps show; 0: they are too few to tell. */
uint32_t clockrate_cost(const uint64_t *gaps, size_t count);

/** Return samples per second, @most_hz at most, where each costs @cost_ns; 0: nobody knows. */
uint32_t clockrate_choose(uint32_t cost_ns, uint32_t most_hz);
