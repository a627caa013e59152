// SPDX-License-Identifier: Apache-2.0
#include "base/order.h"
#include "base/rangeset.h"

#include "base/search.h"

enum { LEAST_LIMIT = 1024 };

ORDER_OF(compare_ranges, range, ORDER(x->start, y->start))

void rangeset_settle(struct rangeset *set)
{
	size_t kept = 0, count = set->list.count;
	struct range *items = set->list.items;

	if (count == 0)
		return;
	qsort(items, count, sizeof(*items), compare_ranges);
	for (size_t i = 1; i < count; i++) {
		if (items[i].start > items[kept].end)
			items[++kept] = items[i];
		else if (items[i].end > items[kept].end)
			items[kept].end = items[i].end;
	}
	set->list.count = kept + 1;
}

void rangeset_add(struct rangeset *set, uint64_t start, uint64_t size)
{
	uint64_t end = start + size < start ? UINT64_MAX : start + size;

	if (end == start)
		return;
	if (set->list.count > 0) { // mostly they come in order
		struct range *last = &set->list.items[set->list.count - 1];

		if (start >= last->start && start <= last->end) {
			if (end > last->end)
				last->end = end;
			return;
		}
	}
	if (set->list.count >= set->limit) {
		rangeset_settle(set);
		set->limit = set->list.count * 2 + LEAST_LIMIT;
	}
	vec_push(&set->list, (struct range){ start, end });
}

uint64_t rangeset_count(const struct rangeset *set, struct range within)
{
	const struct range *items = set->list.items;
	size_t count = set->list.count;
	uint64_t found = 0;

	for (size_t i = search_first(count, r, items[r].end > within.start);
	     i < count && items[i].start < within.end; i++) {
		uint64_t start = items[i].start > within.start ? items[i].start : within.start;
		uint64_t end = items[i].end < within.end ? items[i].end : within.end;

		found += end - start;
	}
	return found;
}

uint64_t rangeset_common(const struct rangeset *a, const struct rangeset *b)
{
	uint64_t found = 0;

	vec_foreach (range, &a->list)
		found += rangeset_count(b, *range);
	return found;
}

void rangeset_deinit(struct rangeset *set)
{
	vec_deinit(&set->list);
}
