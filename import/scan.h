// SPDX-License-Identifier: Apache-2.0
// Reads a line from left to right. Each function takes what it names and moves on, or leaves all as
// it was and returns false. Numbers that have no room in 64 bits are none.
#pragma once

#include "base/checked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scan {
	const char *at, *end;
};

static inline size_t scan_left(const struct scan *scan)
{
	return (size_t)(scan->end - scan->at);
}

static inline bool scan_is_end(const struct scan *scan)
{
	return scan->at == scan->end;
}

static inline bool scan_starts(const struct scan *scan, const char *text)
{
	size_t length = strlen(text);

	return scan_left(scan) >= length && memcmp(scan->at, text, length) == 0;
}

static inline bool scan_text(struct scan *scan, const char *text)
{
	if (!scan_starts(scan, text))
		return false;
	scan->at += strlen(text);
	return true;
}

static inline void scan_blanks(struct scan *scan)
{
	while (!scan_is_end(scan) && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
}

/** The value of a digit; 16 where it is none. */
static inline unsigned scan_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return (unsigned)(digit - '0');
	if (digit >= 'a' && digit <= 'f')
		return (unsigned)(digit - 'a') + 10;
	if (digit >= 'A' && digit <= 'F')
		return (unsigned)(digit - 'A') + 10;
	return 16;
}

static inline bool scan_digits(struct scan *scan, unsigned base, uint64_t *ret_number)
{
	const char *at = scan->at;
	uint64_t number = 0;

	for (; at < scan->end && scan_digit(*at) < base; at++)
		if (!checked_mul(number, base, &number) ||
		    !checked_add(number, scan_digit(*at), &number))
			return false;
	if (at == scan->at)
		return false;
	scan->at = at;
	*ret_number = number;
	return true;
}

/** Decimal. */
static inline bool scan_number(struct scan *scan, uint64_t *ret_number)
{
	return scan_digits(scan, 10, ret_number);
}

/** Hexadecimal, without 0x. */
static inline bool scan_hex(struct scan *scan, uint64_t *ret_number)
{
	return scan_digits(scan, 16, ret_number);
}

/** Decimal, or hexadecimal after 0x: also C's "%#x", which prints 0 as "0". */
static inline bool scan_c_number(struct scan *scan, uint64_t *ret_number)
{
	const char *start = scan->at;

	if (!scan_text(scan, "0x") && !scan_text(scan, "0X"))
		return scan_number(scan, ret_number);
	if (scan_hex(scan, ret_number))
		return true;
	scan->at = start;
	return false;
}

/** A decimal id of a process or thread. */
static inline bool scan_id(struct scan *scan, uint32_t *ret_id)
{
	const char *start = scan->at;
	uint64_t number;

	if (scan_number(scan, &number) && number <= INT32_MAX) {
		*ret_id = (uint32_t)number;
		return true;
	}
	scan->at = start;
	return false;
}

/** Find the first place of @text; NULL: there is none. */
static inline const char *scan_first(const struct scan *scan, const char *text)
{
	return scan_is_end(scan) ? NULL : memmem(scan->at, scan_left(scan), text, strlen(text));
}

/** Find its last place. */
static inline const char *scan_last(const struct scan *scan, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = scan->end - length; scan_left(scan) >= length && at >= scan->at; at--)
		if (memcmp(at, text, length) == 0)
			return at;
	return NULL;
}
