// SPDX-License-Identifier: Apache-2.0
// Puts the events of a trace in order of time. They come almost sorted: each processor's events are
// in order, and the processors' streams are drained in turn.
#include "trace/private.h"

#include "base/cleanup.h"
#include "base/search.h"

#include <string.h>

enum { BLOCK_ITEMS = 16, ITEM_MAX = 256 };

/** Items of one size, with what they are sorted by at their start. */
struct table {
	uint8_t *items;
	size_t count;
	size_t item_size;
	size_t key_size;
};

static uint64_t key_at(const struct table *table, const uint8_t *items, size_t index)
{
	const uint8_t *item = items + index * table->item_size;
	uint64_t wide;
	uint32_t narrow;

	if (table->key_size == sizeof(wide)) {
		memcpy(&wide, item, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, item, sizeof(narrow));
	return narrow;
}

static void sort_block(struct table *table, size_t start, size_t end)
{
	uint8_t held[ITEM_MAX];
	size_t size = table->item_size;

	for (size_t i = start + 1; i < end; i++) {
		uint64_t key = key_at(table, table->items, i);
		size_t to = i;

		while (to > start && key_at(table, table->items, to - 1) > key)
			to--;
		if (to == i)
			continue;
		memcpy(held, table->items + i * size, size);
		memmove(table->items + (to + 1) * size, table->items + to * size, (i - to) * size);
		memcpy(table->items + to * size, held, size);
	}
}

/** Room for what a merge moves: little, as items come almost sorted. */
struct scratch {
	VEC(uint8_t) room;
};

/** Merge [start, middle) and [middle, end), touching only the part where they overlap. */
static void merge(struct table *table, size_t start, size_t middle, size_t end,
		  struct scratch *scratch)
{
	size_t size = table->item_size;
	uint8_t *items = table->items;
	uint64_t first_right = key_at(table, items, middle);

	// Of the left part only what is later than the right part's first has to move.
	size_t low = start +
		     search_first(middle - start, i, key_at(table, items, start + i) > first_right);
	size_t left_count = middle - low;
	if (left_count == 0)
		return;

	vec_reserve(&scratch->room, left_count * size);
	uint8_t *moved = scratch->room.items;

	memcpy(moved, items + low * size, left_count * size);
	size_t left = 0, right = middle, to = low;
	while (left < left_count && right < end) {
		if (key_at(table, items, right) < key_at(table, moved, left))
			memcpy(items + to++ * size, items + right++ * size, size);
		else
			memcpy(items + to++ * size, moved + left++ * size, size);
	}
	memcpy(items + to * size, moved + left * size, (left_count - left) * size);
}

static bool is_sorted(const struct table *table)
{
	uint64_t before = 0;

	for (size_t i = 0; i < table->count; i++) {
		uint64_t key = key_at(table, table->items, i);

		if (key < before)
			return false;
		before = key;
	}
	return true;
}

/** Bottom-up merge sort: n for sorted input, n log n at worst. */
static void sort_table(struct table table)
{
	if (is_sorted(&table))
		return;

	CLEANUP(vec_release) struct scratch scratch = { 0 };

	for (size_t start = 0; start < table.count; start += BLOCK_ITEMS) {
		size_t left = table.count - start;

		sort_block(&table, start, start + (left < BLOCK_ITEMS ? left : BLOCK_ITEMS));
	}
	for (size_t width = BLOCK_ITEMS; width < table.count; width *= 2) {
		for (size_t start = 0; start + width < table.count; start += 2 * width) {
			size_t left = table.count - start;

			merge(&table, start, start + width,
			      start + (left < 2 * width ? left : 2 * width), &scratch);
		}
	}
}

#define SORT(array, key)                                                                        \
	_Static_assert(offsetof(__typeof__(*trace->array.items), key) == 0, "key comes first"); \
	_Static_assert(sizeof(*trace->array.items) <= ITEM_MAX, "fits the held item");          \
	sort_table((struct table){ .items = (uint8_t *)trace->array.items,                      \
				   .count = trace->array.count,                                 \
				   .item_size = sizeof(*trace->array.items),                    \
				   .key_size = sizeof(trace->array.items->key) });

void trace_sort(struct trace *trace)
{
	TRACE_ARRAYS(SORT)
}
