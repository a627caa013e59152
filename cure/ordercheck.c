// SPDX-License-Identifier: Apache-2.0
#include "cure/order.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>

/** A function that the order file names, and where. */
struct row {
	size_t index; // into the order's names
	struct range code;
};

ORDER_OF(compare_rows, row, ORDER(x->index, y->index) ?: ORDER(x->code.start, y->code.start))

/** Of functions of several names the first one counts. Places come sorted by vaddr. */
static size_t find_rows(const struct order *order, const struct order_place *places, size_t count,
			struct row *rows, bool *is_found)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t index;

		if (!order_find(order, places[i].name, &index))
			continue;
		is_found[index] = true;
		if (used == 0 || rows[used - 1].code.start != places[i].code.start)
			rows[used++] = (struct row){ index, places[i].code };
		else if (index < rows[used - 1].index)
			rows[used - 1].index = index;
	}
	if (used > 0)
		qsort(rows, used, sizeof(*rows), compare_rows);
	return used;
}

/**
 * The length of the longest rising sequence of starts. @ends: room for @count: the least start that
 * a rising sequence of each length ends with.
 */
static size_t longest_rise(const struct range *ranges, size_t count, uint64_t *ends)
{
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = search_first(longest, n, ends[n] >= ranges[i].start);

		ends[at] = ranges[i].start;
		longest += at == longest;
	}
	return longest;
}

void order_verify(const struct order *order, const struct order_place *places, size_t count,
		  uint64_t page_size, struct order_check *ret_check)
{
	CLEANUP(freep) struct row *rows = xcalloc(count, sizeof(*rows));
	CLEANUP(freep) struct range *ranges = xcalloc(count, sizeof(*ranges));
	CLEANUP(freep) uint64_t *ends = xcalloc(count, sizeof(*ends));
	CLEANUP(freep) bool *is_found = xcalloc(order->names.count, sizeof(*is_found));
	size_t used = find_rows(order, places, count, rows, is_found);

	*ret_check = (struct order_check){ .functions = used };
	for (size_t i = 0; i < order->names.count; i++)
		ret_check->found += is_found[i];
	for (size_t i = 0; i < used; i++) {
		ranges[i] = rows[i].code;
		ret_check->duplicates += i > 0 && rows[i].index == rows[i - 1].index;
	}
	ret_check->in_order = longest_rise(ranges, used, ends);
	ret_check->area = locality_area_of(ranges, used, page_size, NULL);
}
