// SPDX-License-Identifier: Apache-2.0
// The model's "file:line", which other tools want apart.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The length of the file's name in @source; *@ret_line: 0 where no number of a line follows. */
static inline size_t source_split(const char *source, uint32_t *ret_line)
{
	const char *colon = strrchr(source, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	*ret_line = 0;
	if (digits == 0 || digits > 9 || colon[1 + digits] != '\0')
		return strlen(source);
	*ret_line = (uint32_t)strtoul(colon + 1, NULL, 10);
	return (size_t)(colon - source);
}
