// SPDX-License-Identifier: Apache-2.0
#include "cli/number.h"

#include <errno.h>
#include <stdlib.h>

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
