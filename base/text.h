// SPDX-License-Identifier: Apache-2.0
// Parts of texts.
#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool text_starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}
