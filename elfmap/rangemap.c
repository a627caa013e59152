// SPDX-License-Identifier: Apache-2.0
#include "elfmap/rangemap.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "base/vec.h"

#include <stdlib.h>

bool rangemap_first_wins(const void *context, uint32_t a, uint32_t b)
{
	return a < b;
}

ORDER_OF(compare_starts, rangemap_item,
	 ORDER(x->range.start, y->range.start) ?: ORDER(x->id, y->id))

static void sort_by_start(struct rangemap_item *items, size_t count)
{
	// Symbols and segments mostly come sorted: then looking is all there is to do.
	for (size_t i = 1; i < count; i++) {
		if (compare_starts(&items[i - 1], &items[i]) > 0) {
			qsort(items, count, sizeof(*items), compare_starts);
			return;
		}
	}
}

/** The sweep's state: ranges that have started, the winner on top of a binary heap. */
struct sweep {
	VEC(struct rangemap_item) heap;
	VEC(struct rangemap_item) out;
	rangemap_beats *beats;
	const void *context;
};

static void sweep_deinit(struct sweep *sweep)
{
	vec_deinit(&sweep->heap);
	vec_deinit(&sweep->out);
}

static void heap_push(struct sweep *sweep, struct rangemap_item item)
{
	size_t at = sweep->heap.count;

	vec_push(&sweep->heap, item);
	struct rangemap_item *heap = sweep->heap.items;
	while (at > 0) {
		size_t parent = (at - 1) / 2;

		if (!sweep->beats(sweep->context, item.id, heap[parent].id))
			break;
		heap[at] = heap[parent];
		at = parent;
	}
	heap[at] = item;
}

static void heap_pop(struct sweep *sweep)
{
	struct rangemap_item *heap = sweep->heap.items;
	size_t count = --sweep->heap.count;

	if (count == 0)
		return;
	struct rangemap_item item = heap[count];
	size_t at = 0;
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    sweep->beats(sweep->context, heap[child + 1].id, heap[child].id))
			child++;
		if (!sweep->beats(sweep->context, heap[child].id, item.id))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = item;
}

static void emit(struct sweep *sweep, struct range range, uint32_t id)
{
	if (sweep->out.count) {
		struct rangemap_item *last = &sweep->out.items[sweep->out.count - 1];

		if (last->id == id && last->range.end == range.start) {
			last->range.end = range.end;
			return;
		}
	}
	vec_push(&sweep->out, (struct rangemap_item){ range, id });
}

/** Give out what the ranges on the heap own of [@from, @to). */
static void emit_until(struct sweep *sweep, uint64_t from, uint64_t to)
{
	while (sweep->heap.count && from < to) {
		struct rangemap_item top = sweep->heap.items[0];

		// Ranges that ended under a winner stay on the heap until they come to the top.
		if (top.range.end <= from) {
			heap_pop(sweep);
			continue;
		}
		uint64_t end = top.range.end < to ? top.range.end : to;
		emit(sweep, (struct range){ from, end }, top.id);
		from = end;
	}
}

void rangemap_build(struct rangemap *map, struct arena *arena, struct rangemap_item *items,
		    size_t count, rangemap_beats *beats, const void *context)
{
	CLEANUP(sweep_deinit) struct sweep sweep = { .beats = beats, .context = context };
	uint64_t from = 0;

	sort_by_start(items, count);
	for (size_t i = 0; i < count; i++) {
		if (items[i].range.start >= items[i].range.end)
			continue;
		emit_until(&sweep, from, items[i].range.start);
		from = items[i].range.start;
		heap_push(&sweep, items[i]);
	}
	emit_until(&sweep, from, UINT64_MAX);

	map->items = vec_keep_counted(&sweep.out, arena, &map->count);
}

const struct rangemap_item *rangemap_next(const struct rangemap *map, uint64_t value)
{
	size_t next = search_first(map->count, i, map->items[i].range.end > value);

	return next < map->count ? &map->items[next] : NULL;
}

const struct rangemap_item *rangemap_find(const struct rangemap *map, uint64_t value)
{
	const struct rangemap_item *item = rangemap_next(map, value);

	return item && item->range.start <= value ? item : NULL;
}
