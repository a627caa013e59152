// SPDX-License-Identifier: Apache-2.0
// Building blocks of comparisons for sorting. The first difference decides:
// return ORDER(x->page, y->page) ?: ORDER(y->faults, x->faults) ?: strcmp(x->name, y->name);
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Negative, 0 or positive as @a is below, equal to or above @b. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/**
 * Define @name(), for qsort() of an array of struct @type: @order compares *x with *y.
 * ORDER_OF(by_page, page_row, ORDER(x->page, y->page) ?: strcmp(x->name, y->name))
 */
#define ORDER_OF(name, type, order)                            \
	static int name(const void *left_, const void *right_) \
	{                                                      \
		const struct type *x = left_, *y = right_;     \
                                                               \
		return (order);                                \
	}

/** The same of an array of pointers to such structs. */
#define ORDER_OF_POINTERS(name, type, order)                                \
	static int name(const void *left_, const void *right_)              \
	{                                                                   \
		const struct type *x = *(const struct type *const *)left_;  \
		const struct type *y = *(const struct type *const *)right_; \
                                                                            \
		return (order);                                             \
	}

/** The same for qsort_r() of indexes into an array of such structs, which is its argument. */
#define ORDER_OF_INDEXES(name, type, order)                                                    \
	static int name(const void *left_, const void *right_, void *rows_)                    \
	{                                                                                      \
		const struct type *x = (const struct type *)rows_ + *(const uint32_t *)left_;  \
		const struct type *y = (const struct type *)rows_ + *(const uint32_t *)right_; \
                                                                                               \
		return (order);                                                                \
	}

/** By their bytes; NULL as if it were empty. */
static inline int order_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/** The same; NULL is behind every text. */
static inline int order_text_or_none(const char *a, const char *b)
{
	return !a || !b ? !a - !b : strcmp(a, b);
}

/** True if both are there and alike, or neither is. */
static inline bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/** For qsort(): pointers to texts, by their bytes. */
static inline int order_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** For qsort(): doubles, none of which is NaN, the smallest first. */
static inline int order_double(const void *a, const void *b)
{
	return ORDER(*(const double *)a, *(const double *)b);
}

/** For qsort(): numbers of 32 bits, the smallest first. */
static inline int order_u32(const void *a, const void *b)
{
	return ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/** For qsort(): numbers of 64 bits, the smallest first. */
static inline int order_u64(const void *a, const void *b)
{
	return ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}
