// SPDX-License-Identifier: Apache-2.0
#include "bpf/clockrate.h"

#include "base/clock.h"
#include "base/median.h"

uint32_t clockrate_cost(const uint64_t *gaps, size_t count)
{
	double middle = count < CLOCKRATE_GAPS / 2 ? 0 : median_of(gaps, count);

	return middle < UINT32_MAX ? (uint32_t)middle : 0;
}

uint32_t clockrate_measure(void)
{
	// Reading the clock takes some 50 ns, an interrupt never less than a microsecond.
	enum { LEAST_NS = 1000, MOST_NS = 10000000 };
	uint64_t gaps[CLOCKRATE_GAPS], start = clock_now_ns(), last = start;
	size_t count = 0;

	while (count < CLOCKRATE_GAPS && last - start < MOST_NS) {
		uint64_t now = clock_now_ns();

		if (now - last >= LEAST_NS)
			gaps[count++] = now - last;
		last = now;
	}
	return clockrate_cost(gaps, count);
}

uint32_t clockrate_choose(uint32_t cost_ns, uint32_t most_hz)
{
	uint64_t hz = CLOCKRATE_LEAST_HZ;

	if (cost_ns > 0)
		hz = UINT64_C(1000000000) * CLOCKRATE_PERMILLE / 1000 / cost_ns;
	if (hz < CLOCKRATE_LEAST_HZ)
		hz = CLOCKRATE_LEAST_HZ;
	return hz < most_hz ? (uint32_t)hz : most_hz;
}
