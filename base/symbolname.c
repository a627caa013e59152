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

/** Does a name that people use end here, whatever follows? Rust appends a hash. */
static bool ends_here(const char *at)
{
	enum { HASH = 16 };
	size_t depth = 0;

	if (*at == '<') { // of a scope, if more of the name follows
		do
			depth += (*at == '<') - (*at == '>');
		while (*++at && depth > 0);
		return *at != ':';
	}
	if (!*at || strchr("( .[@", *at))
		return true;
	return strncmp(at, "::h", 3) == 0 && strlen(at) == 3 + HASH &&
	       strspn(at + 3, "0123456789abcdef") == HASH;
}

/** The bytes at @at that hold no name of a scope: brackets of an operator, a nameless scope. */
static size_t opaque_length(const char *at)
{
	static const char scope[] = "(anonymous namespace)", operator[] = "operator";

	if (strncmp(at, scope, sizeof(scope) - 1) == 0)
		return sizeof(scope) - 1;
	if (strncmp(at, operator, sizeof(operator) - 1) != 0)
		return 0;
	at += sizeof(operator) - 1;
	return sizeof(operator) - 1 +
	       (strncmp(at, "()", 2) == 0 ? 2 : strspn(at, "<>=-!+*&|^%/~,[]"));
}

bool symbolname_is_called(const char *name, const char *called)
{
	const size_t length = strlen(called);
	size_t depth = 0; // of template arguments

	for (const char *at = name; *at;) {
		const bool begins = depth == 0 && (at == name || strchr(" :*&", at[-1]));

		if (begins && length > 0 && strncmp(at, called, length) == 0 &&
		    ends_here(at + length))
			return true;
		const size_t opaque = opaque_length(at);

		if (opaque == 0 && depth == 0 && *at == '(')
			return false; // parameters
		depth += opaque == 0 && *at == '<';
		depth -= opaque == 0 && *at == '>' && depth > 0;
		at += opaque > 0 ? opaque : 1;
	}
	return false;
}
