// SPDX-License-Identifier: Apache-2.0
// Go's table of functions, written by hand as cmd/link writes it.
#pragma once

#include "elfmap/headers/gopclntab.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GOTABLE_SIZE = 512 };

static inline void gotable_put(uint8_t *at, uint64_t value, size_t size)
{
	memcpy(at, &value, size);
}

/**
 * Write the table of three functions of 32 bytes each, from @text on: with a frame of 24 bytes,
 * without one, the start. @magic: the version's
 */
static inline void gotable_write(uint8_t *bytes, uint64_t text, uint32_t magic)
{
	enum { NAMES = 0x60, DELTAS = 0xa0, FUNCTIONS = 0xc0 };
	bool has_addresses = magic == 0xfffffffa;
	size_t half = has_addresses ? 8 : 4;
	const uint64_t head[] = { 3, 1, text, NAMES, 0, 0, DELTAS, FUNCTIONS };
	// +1 to 0 for 4 bytes, +24 for 20, -24 for 8; and +1 for 32.
	static const uint8_t deltas[] = { 0, 2, 4, 48, 20, 47, 8, 0, 2, 32, 0 };
	static const char names[] = "main.main\0main.leaf\0runtime.rt0_go";
	static const uint8_t name_at[] = { 0, 10, 20 }, deltas_at[] = { 1, 8, 8 };

	memset(bytes, 0, GOTABLE_SIZE);
	gotable_put(bytes, magic, 4);
	bytes[6] = 1;
	bytes[7] = 8;
	for (size_t i = 0, at = 8; i < 8; i++)
		if (i != 2 || !has_addresses)
			gotable_put(bytes + at, head[i], 8), at += 8;
	memcpy(bytes + NAMES, names, sizeof(names));
	memcpy(bytes + DELTAS, deltas, sizeof(deltas));
	for (size_t i = 0; i <= 3; i++) {
		uint64_t entry = i * 32 + (has_addresses ? text : 0), function = 64 + i * 64;
		uint8_t *to = bytes + FUNCTIONS + function;

		gotable_put(bytes + FUNCTIONS + 2 * i * half, entry, half);
		if (i == 3)
			break;
		gotable_put(bytes + FUNCTIONS + (2 * i + 1) * half, function, half);
		gotable_put(to, entry, half);
		gotable_put(to + half, name_at[i], 4);
		gotable_put(to + half + 12, deltas_at[i], 4);
		to[half + 32 + (magic == 0xfffffff1 ? 4 : 0) + 1] =
			i == 2 ? GOPCLNTAB_OUTERMOST : 0;
	}
}
