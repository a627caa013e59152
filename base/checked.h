// SPDX-License-Identifier: Apache-2.0
// Arithmetic on numbers that a file or the kernel supplied.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** *@ret_sum = a + b; false on overflow, when *@ret_sum must not be used. */
static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *ret_sum)
{
	return !__builtin_add_overflow(a, b, ret_sum);
}

/** *@ret_product = a * b; false on overflow. */
static inline bool checked_mul(uint64_t a, uint64_t b, uint64_t *ret_product)
{
	return !__builtin_mul_overflow(a, b, ret_product);
}

/** Return @a without @b; 0 if @b is more. */
static inline uint64_t checked_rest(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/** True if [offset, offset + size) lies within [0, limit). */
static inline bool checked_within(uint64_t offset, uint64_t size, uint64_t limit)
{
	return offset <= limit && size <= limit - offset;
}
