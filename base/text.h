// SPDX-License-Identifier: Apache-2.0
// Parts of texts.
#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool text_starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static inline bool text_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/** Count the characters of UTF-8. */
static inline size_t text_letters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}
