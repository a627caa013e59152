// SPDX-License-Identifier: Apache-2.0
#include "base/symbolname.h"

#include <ctype.h>
#include <string.h>

/** Suffixes that compilers append, and whether a number always follows. */
static const struct {
	const char *word;
	bool needs_number;
} suffixes[] = {
	{ "cold", false },     { "part", true }, { "isra", true },   { "constprop", true },
	{ "lto_priv", false }, { "llvm", true }, { "__uniq", true },
};

/** The length of @name without " [clone ...]" at its end; @length if it has none. */
static size_t without_clone(const char *name, size_t length)
{
	static const char start[] = "[clone ";
	size_t at = length;

	if (length < 2 || name[length - 1] != ']')
		return length;
	while (at > 0 && name[at - 1] != '[')
		at--;
	return at > 2 && name[at - 2] == ' ' &&
			       strncmp(name + at - 1, start, sizeof(start) - 1) == 0
		       ? at - 2
		       : length;
}

/** The same without one of the suffixes and its numbers. */
static size_t without_suffix(const char *name, size_t length)
{
	size_t end = length, numbers = 0;

	for (;;) {
		size_t digits = end;

		while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
			digits--;
		if (digits == end || digits < 2 || name[digits - 1] != '.')
			break;
		end = digits - 1;
		numbers++;
	}
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t word = strlen(suffixes[i].word);

		if (end > word + 1 && name[end - word - 1] == '.' &&
		    strncmp(name + end - word, suffixes[i].word, word) == 0 &&
		    (numbers > 0 || !suffixes[i].needs_number))
			return end - word - 1;
	}
	return length;
}

size_t symbolname_length(const char *name)
{
	size_t length = strlen(name), before;

	do {
		before = length;
		length = without_suffix(name, without_clone(name, length));
	} while (length < before);
	return length;
}

size_t symbolname_entry_length(const char *name)
{
	size_t length = strlen(name), at;

	if (length < 3 || name[length - 1] != ']')
		return length;
	for (at = length - 1; at > 0 && isdigit((unsigned char)name[at - 1]); at--)
		;
	return at < length - 1 && at > 1 && name[at - 1] == '[' ? at - 1 : length;
}

size_t symbolname_unversioned_length(const char *name)
{
	const char *version = name[0] ? strchr(name + 1, '@') : NULL;

	return version ? (size_t)(version - name) : strlen(name);
}

bool symbolname_is_address(const char *name)
{
	const char *at = strchr(name, '@');

	return at && (strncmp(name, "fn@0x", 5) == 0 || strncmp(name, "data@0x", 7) == 0) &&
	       strspn(at + 3, "0123456789abcdef") == strlen(at + 3);
}
