// SPDX-License-Identifier: Apache-2.0
// The clock of traces.
#pragma once

#include <stdint.h>
#include <time.h>

/** CLOCK_MONOTONIC, in nanoseconds: what the kernel's events have for their time. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / 1000000);
}
