// SPDX-License-Identifier: Apache-2.0
#include "cure/ordermerge.h"

#include "base/cleanup.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/** A name in the making of the merged order. */
struct ranked {
	uint64_t weight;
	size_t place; // in the order in which names came
};

ORDER_OF(compare_ranked, ranked, ORDER(y->weight, x->weight) ?: ORDER(x->place, y->place))

void order_add_starts(const struct order_start *starts, size_t count, struct order *ret_all)
{
	for (size_t i = 0; i < count; i++)
		vec_foreach (name, &starts[i].order.names)
			order_add(ret_all, *name);
}

void order_merge(const struct order_start *starts, size_t count, struct order *ret_merged)
{
	CLEANUP(order_deinit) struct order all = { 0 };

	order_add_starts(starts, count, &all);
	CLEANUP(freep) struct ranked *ranked = xcalloc(all.names.count, sizeof(*ranked));

	for (size_t i = 0; i < all.names.count; i++)
		ranked[i].place = i;
	for (size_t i = 0; i < count; i++)
		vec_foreach (name, &starts[i].order.names) {
			size_t at;

			if (order_find(&all, *name, &at))
				ranked[at].weight += starts[i].weight;
		}
	qsort(ranked, all.names.count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < all.names.count; i++)
		order_add(ret_merged, all.names.items[ranked[i].place]);
}

/** True if a trace of a profile can have @name: commas are between its names. */
static bool is_written(const char *name)
{
	return !strchr(name, ',');
}

static void write_trace(const struct order_start *start, FILE *file)
{
	fprintf(file, "# Weight:\n%u\n", start->weight);
	const char *comma = "";

	vec_foreach (name, &start->order.names) {
		if (!is_written(*name))
			continue;
		fprintf(file, "%s%s", comma, *name);
		comma = ",";
	}
	fputc('\n', file);
}

bool order_write_profile(const struct order_start *starts, size_t count, FILE *file)
{
	CLEANUP(order_deinit) struct order all = { 0 };

	order_add_starts(starts, count, &all);
	fprintf(file,
		":ir\n:temporal_prof_traces\n# Num Temporal Profile Traces:\n%zu\n"
		"# Temporal Profile Trace Stream Size:\n%zu\n",
		count, count);
	for (size_t i = 0; i < count; i++)
		write_trace(&starts[i], file);
	// Traces have hashes of names; the names themselves come with counters, here of one entry.
	vec_foreach (name, &all.names)
		if (is_written(*name))
			fprintf(file,
				"%s\n# Func Hash:\n0\n# Num Counters:\n1\n# Counter Values:\n1\n\n",
				*name);
	return !ferror(file);
}
