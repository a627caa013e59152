// SPDX-License-Identifier: Apache-2.0
// Hash keys made of numbers and texts. Different items may share a key: compare them.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Spreads every bit of @value over all bits; one to one. */
static inline uint64_t hash_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/** @seed and @value, in this order. */
static inline uint64_t hash_number(uint64_t seed, uint64_t value)
{
	return hash_mix(hash_mix(seed + 0x9e3779b97f4a7c15) ^ value);
}

/** @seed and @length bytes (FNV-1a). */
static inline uint64_t hash_bytes(uint64_t seed, const char *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3;
	return hash_number(hash_number(seed, length), hash);
}

static inline uint64_t hash_text(uint64_t seed, const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return hash_bytes(seed, text, length);
}
