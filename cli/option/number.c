// SPDX-License-Identifier: Apache-2.0
#include "cli/option/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_parse(const char *text, size_t *ret_number)
{
	char *end;

	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	// strtoul would also accept a sign and leading spaces.
	if (errno || text[0] < '0' || text[0] > '9' || *end != '\0')
		return false;
	*ret_number = number;
	return true;
}

bool number_parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "KkMmGgTt";
	char *end;

	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (errno || text[0] < '0' || text[0] > '9')
		return false;
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)((unit - units) / 2 + 1) : 0;
	if ((*end && (!unit || end[1])) || number == 0 || number > UINT64_MAX >> shift)
		return false;
	*ret_bytes = (uint64_t)number << shift;
	return true;
}
