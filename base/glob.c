// SPDX-License-Identifier: Apache-2.0
#include "base/glob.h"

#include <stddef.h>

/** The byte after one character; bytes that are not UTF-8 are a character each. */
static const char *after_character(const char *text)
{
	text++;
	while (((unsigned char)*text & 0xc0) == 0x80)
		text++;
	return text;
}

bool glob_match(const char *pattern, const char *text)
{
	// Only the last * has to be tried anew: what an earlier one took can stay as short as it
	// is.
	const char *after_star = NULL, *star_text = NULL;

	while (*text || *pattern) {
		const char *literal = *pattern == '\\' && pattern[1] ? pattern + 1 : pattern;

		if (*pattern == '*') {
			after_star = ++pattern;
			star_text = text;
		} else if (*pattern == '?' && *text) {
			pattern++;
			text = after_character(text);
		} else if (*text && *literal == *text && *pattern != '?') {
			pattern = literal + 1;
			text++;
		} else if (after_star && *star_text) {
			pattern = after_star;
			text = ++star_text;
		} else {
			return false;
		}
	}
	return true;
}
