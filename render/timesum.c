// SPDX-License-Identifier: Apache-2.0
#include "render/timesum.h"

#include "base/figure.h"

struct timesum_unit timesum_unit(uint64_t ns, bool has_utf8)
{
	if (ns < 1000000)
		return (struct timesum_unit){ has_utf8 ? "\xc2\xb5s" : "us", 1000, 1 };
	if (ns < UINT64_C(10000000000))
		return (struct timesum_unit){ "ms", 1000000, 1 };
	return (struct timesum_unit){ "s", 1000000000, 2 };
}

uint64_t timesum_ticks(const struct timesum_unit *unit, uint64_t ns)
{
	uint64_t tick = unit->ns / (unit->digits == 1 ? 10 : 100);

	return ns / tick + (ns % tick >= tick / 2);
}

const char *timesum_text(struct arena *arena, const struct timesum_unit *unit, uint64_t ticks)
{
	uint64_t scale = unit->digits == 1 ? 10 : 100;

	return arena_printf(arena, "%s.%0*llu", figure_number(arena, ticks / scale),
			    (int)unit->digits, (unsigned long long)(ticks % scale));
}
