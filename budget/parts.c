// SPDX-License-Identifier: Apache-2.0
#include "budget/parts.h"

#include "base/cleanup.h"
#include "base/median.h"
#include "base/order.h"

#include <string.h>

int parts_compare_values(const char *const *a, const char *const *b)
{
	int order = 0;

	for (size_t i = 0; !order && i < BUDGET_WORDS_MAX; i++)
		order = order_text_or_none(a[i], b[i]);
	return order;
}

ORDER_OF(compare_parts, part, parts_compare_values(x->values, y->values))

ORDER_OF(compare_rows, budget_row,
	 ORDER(y->value, x->value) ?: parts_compare_values(x->values, y->values))

struct budget_table parts_table(struct parts *parts, size_t run_count, size_t limit,
				struct arena *arena)
{
	struct budget_table table = { .word_count = parts->word_count };
	struct budget_row *rows = arena_array(arena, parts->list.count + 1, sizeof(*rows));
	CLEANUP(freep) uint64_t *runs = xcalloc(run_count + 1, sizeof(*runs));
	size_t count = 0;

	memcpy(table.words, parts->words, sizeof(table.words));
	vec_sort(&parts->list, compare_parts);
	for (size_t i = 0, end; i < parts->list.count; i = end) {
		const struct part *first = &parts->list.items[i];
		struct budget_row row = { .value = 0 };

		memset(runs, 0, run_count * sizeof(*runs));
		for (end = i;
		     end < parts->list.count && compare_parts(first, &parts->list.items[end]) == 0;
		     end++)
			runs[parts->list.items[end].run] += parts->list.items[end].value;
		memcpy(row.values, first->values, sizeof(row.values));
		row.value = median_of(runs, run_count);
		if (row.value > 0)
			rows[count++] = row;
	}
	qsort(rows, count, sizeof(*rows), compare_rows);
	table.rows = rows;
	table.row_count = count < limit ? count : limit;
	table.least = count > limit ? rows[limit].value : 0;
	parts_deinit(parts);
	return table;
}

void parts_deinit(struct parts *parts)
{
	vec_deinit(&parts->list);
}
