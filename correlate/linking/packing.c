// SPDX-License-Identifier: Apache-2.0
// How much room the functions of a list take in each file.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/range.h"
#include "base/symbolname.h"
#include "model/packing.h"

#include <xxhash.h>

/** The alignment that linkers give functions on x86-64 and AArch64. */
enum { FUNCTION_ALIGN = 16 };

static uint64_t hash_of(const char *name)
{
	return XXH3_64bits(name, symbolname_unversioned_length(name));
}

static struct model_packing count_file(struct elfmap *map, const struct u64map *wanted)
{
	struct model_packing packing = { .names = wanted->count };
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	array_foreach (symbol, symbols, count) {
		if (!elfmap_is_function(symbol) || !u64map_get(wanted, hash_of(symbol->name)))
			continue;
		packing.functions++;
		// Several names of one function: constructors, folded code.
		if (u64map_add(&seen, symbol->vaddr))
			packing.bytes += align_up(symbol->size, FUNCTION_ALIGN);
	}
	return packing;
}

void packing_fill(struct rows *rows, const char *const *names, size_t count)
{
	CLEANUP(u64map_deinit) struct u64map wanted = { 0 };

	for (size_t i = 0; i < count; i++)
		u64map_add(&wanted, hash_of(names[i]));
	for (size_t i = 0; i < rows->object_rows.count; i++) {
		struct elfmap *map = objects_opened(rows->objects, (uint32_t)i);

		if (!map)
			continue;
		const struct model_packing packing = count_file(map, &wanted);

		rows->object_rows.items[i].packing =
			arena_copy(&rows->model->arena, &packing, sizeof(packing));
	}
}
