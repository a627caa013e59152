// SPDX-License-Identifier: Apache-2.0
// A growable array of one type: VEC(struct foo) foos = { 0 };
#pragma once

#include "base/arena.h"
#include "base/cleanup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** Anonymous vector type; zero-initialise, read items[0..count). */
#define VEC(type)                \
	struct {                 \
		type *items;     \
		size_t count;    \
		size_t capacity; \
	}

/** Append @item (any expression of the item type). Amortised O(1). */
#define vec_push(vec, ...)                                    \
	do {                                                  \
		vec_reserve((vec), (vec)->count + 1);         \
		(vec)->items[(vec)->count++] = (__VA_ARGS__); \
	} while (0)

/** Make room for at least @wanted items in all. */
#define vec_reserve(vec, wanted)                                                                   \
	do {                                                                                       \
		size_t wanted_ = (wanted);                                                         \
		if (wanted_ > (vec)->capacity) {                                                   \
			size_t grown_ = (vec)->capacity ? (vec)->capacity * 2 : 16;                \
			if (grown_ < wanted_)                                                      \
				grown_ = wanted_;                                                  \
			(vec)->items = xreallocarray((vec)->items, grown_, sizeof(*(vec)->items)); \
			(vec)->capacity = grown_;                                                  \
		}                                                                                  \
	} while (0)

/** Make room for @wanted items in all, and no more, where there is less. */
#define vec_reserve_exactly(vec, wanted)                                                           \
	do {                                                                                       \
		size_t exact_ = (wanted);                                                          \
		if (exact_ > (vec)->capacity) {                                                    \
			(vec)->items = xreallocarray((vec)->items, exact_, sizeof(*(vec)->items)); \
			(vec)->capacity = exact_;                                                  \
		}                                                                                  \
	} while (0)

/** Visit every item: vec_foreach(item, &foos) { use(item); } */
#define vec_foreach(item, vec)                                 \
	for (__typeof__((vec)->items + 0) item = (vec)->items; \
	     item && item < (vec)->items + (vec)->count; item++)

/** Visit every item of an array: array_foreach(row, rows, row_count) { use(row); } */
#define array_foreach(item, items, count) \
	for (__typeof__((items) + 0) item = (items); item && item < (items) + (count); item++)

/** Move the items into @arena; the vector is empty afterwards. Returns them. */
#define vec_keep(vec, arena)                                                              \
	({                                                                                \
		size_t kept_count_ = (vec)->count;                                        \
		__typeof__((vec)->items) kept_ =                                          \
			arena_array((arena), kept_count_ + 1, sizeof(*(vec)->items));     \
		if (kept_count_ > 0)                                                      \
			memcpy(kept_, (vec)->items, kept_count_ * sizeof(*(vec)->items)); \
		vec_deinit(vec);                                                          \
		kept_;                                                                    \
	})

/** As vec_keep(), and put their number at @ret_count. */
#define vec_keep_counted(vec, arena, ret_count) \
	({                                      \
		*(ret_count) = (vec)->count;    \
		vec_keep(vec, arena);           \
	})

/** Sort the items by @compare, as qsort() has it. */
#define vec_sort(vec, compare)                                                             \
	do {                                                                               \
		if ((vec)->count > 0)                                                      \
			qsort((vec)->items, (vec)->count, sizeof(*(vec)->items), compare); \
	} while (0)

/** Cleanup for a vector whose items own nothing. */
static inline void vec_release(void *vec)
{
	freep(vec); // .items is its first member
}

/** Release the storage; the vector is empty and usable afterwards. */
#define vec_deinit(vec)                             \
	do {                                        \
		free((vec)->items);                 \
		(vec)->items = NULL;                \
		(vec)->count = (vec)->capacity = 0; \
	} while (0)
