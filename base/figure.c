// SPDX-License-Identifier: Apache-2.0
#include "base/figure.h"

#include <stdio.h>

const char *figure_number(struct arena *arena, uint64_t number)
{
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	char *text = arena_alloc(arena, sizeof(digits) + sizeof(digits) / 3);
	char *end = text;

	for (int i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			*end++ = ',';
		*end++ = digits[i];
	}
	return text;
}

uint64_t figure_whole(double number)
{
	// Casting what does not fit is undefined.
	if (!(number > 0))
		return 0;
	return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

const char *figure_median(struct arena *arena, double median)
{
	uint64_t whole = figure_whole(median);
	const char *text = figure_number(arena, whole);

	return median > (double)whole ? arena_printf(arena, "%s.5", text) : text;
}

const char *figure_percent(struct arena *arena, uint64_t part, uint64_t whole)
{
	double percent = whole > 0 ? 100.0 * (double)part / (double)whole : 0;

	if (part == 0)
		return "-";
	if (percent < 0.1)
		return "<0.1%";
	// What is not all of it never reads as all of it.
	if (percent > 99.9 && part < whole)
		percent = 99.9;
	return arena_printf(arena, "%.1f%%", percent);
}

const char *figure_size(struct arena *arena, uint64_t size)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double shown = (double)size / 1024;
	size_t unit = 0;

	if (size < 1024)
		return arena_printf(arena, "%llu B", (unsigned long long)size);
	while (shown >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		shown /= 1024;
		unit++;
	}
	return arena_printf(arena, "%.1f %s", shown, units[unit]);
}

const char *figure_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
