// SPDX-License-Identifier: Apache-2.0
#include "base/duration.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word;
	uint64_t ns;
} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

enum { UNITS = sizeof(units) / sizeof(units[0]) };

bool duration_parse(const char *text, uint64_t *ret_ns)
{
	const size_t digits = strspn(text, "0123456789.");
	const char *unit = text + digits;
	char *end;
	const double number = strtod(text, &end);

	// No sign, no exponent, no blank.
	if (digits == 0 || end != unit)
		return false;
	if (*unit == '\0' && number == 0) {
		*ret_ns = 0;
		return true;
	}
	for (size_t i = 0; i < UNITS; i++) {
		const double ns = number * (double)units[i].ns;

		if (strcmp(unit, units[i].word) != 0)
			continue;
		if (ns >= 1e18)
			return false;
		*ret_ns = (uint64_t)(ns + 0.5);
		return true;
	}
	return false;
}

const char *duration_text(struct arena *arena, uint64_t ns)
{
	size_t i = 0;

	if (ns == 0)
		return "0";
	while (i + 1 < UNITS && ns < units[i].ns)
		i++;

	char *text = arena_printf(arena, "%.3f", (double)ns / (double)units[i].ns);
	size_t length = strlen(text);

	while (text[length - 1] == '0')
		length--;
	length -= text[length - 1] == '.';
	text[length] = '\0';
	return arena_printf(arena, "%s %s", text, units[i].word);
}
