// SPDX-License-Identifier: Apache-2.0
// Faults that system calls took without an event: by call, and by file where the call was for one.
#include "correlate/replay/events.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { LOOKED_MAX = 1 << 22 }; // pages of a trace: 16 GiB

/** A place among the pages of a call. */
struct spot {
	const char *file, *section; // NULL: unknown
};

static struct spot spot_at(struct objects *objects, struct aspace *aspace, uint64_t addr)
{
	struct aspace_place place;
	size_t count;

	if (!aspace_find(aspace, addr, &place))
		return (struct spot){ 0 };
	struct spot spot = { .file = objects_all(objects, &count)[place.object].path };
	struct elfmap *map = place.has_vaddr ? objects_map(objects, place.object) : NULL;
	const struct elfmap_section *section = map ? elfmap_section_at(map, place.vaddr) : NULL;

	spot.section = section ? section->name : NULL;
	return spot;
}

static void add(struct prefaults *prefaults, const char *call, struct spot spot, uint64_t faults)
{
	const char *words[] = { call, spot.file, spot.section };
	uint64_t key = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		key = XXH3_64bits_withSeed(words[i], words[i] ? strlen(words[i]) : 0, key + i);
	uint32_t row = u64map_row(&prefaults->by_key, key, &prefaults->rows,
				  (struct model_prefault){ call, spot.file, spot.section, 0 });

	prefaults->rows.items[row].faults += faults;
}

/** One fault for each page: it is known which. */
static void add_pages(struct prefaults *prefaults, struct objects *objects, struct aspace *aspace,
		      const struct trace_prefault *from, const char *call, uint64_t page_size)
{
	for (uint64_t page = 0; page < from->count; page++)
		add(prefaults, call, spot_at(objects, aspace, from->addr + page * page_size), 1);
}

void prefaults_add(struct prefaults *prefaults, struct objects *objects, struct aspace *aspace,
		   const struct trace_prefault *from, const char *call, uint64_t page_size)
{
	struct spot first = { 0 }, last;

	if (call && strcmp(call, "execve") == 0)
		return;
	if (call && strcmp(call, "brk") == 0)
		first.file = "[heap]";
	if (from->size > 0 && from->addr + (from->size - 1) >= from->addr) {
		uint64_t pages = from->size / page_size + (from->size % page_size > 0);

		if (from->addr % page_size == 0 && pages == from->count &&
		    pages <= LOOKED_MAX - prefaults->looked) {
			prefaults->looked += pages;
			add_pages(prefaults, objects, aspace, from, call, page_size);
			return;
		}
		// Fewer faults than pages: which of them is unknown, and of several files as well.
		first = spot_at(objects, aspace, from->addr);
		last = spot_at(objects, aspace, from->addr + (from->size - 1));
		if (order_text(first.file, last.file) != 0)
			first.file = NULL;
		if (!first.file || order_text(first.section, last.section) != 0)
			first.section = NULL;
	}
	add(prefaults, call, first, from->count);
}

ORDER_OF(compare_rows, model_prefault,
	 ORDER(y->faults, x->faults) ?: order_text(x->call, y->call) ?: order_text(x->file, y->file)
		 ?: order_text(x->section, y->section))

void prefaults_fill(struct prefaults *prefaults, struct model *model)
{
	struct model_prefault *rows = arena_copy(&model->arena, prefaults->rows.items,
						 prefaults->rows.count * sizeof(*rows));

	for (size_t i = 0; i < prefaults->rows.count; i++) {
		rows[i].file = arena_strdup(&model->arena, rows[i].file);
		rows[i].section = arena_strdup(&model->arena, rows[i].section);
		model->counts.call_unsampled += rows[i].faults;
	}
	if (prefaults->rows.count > 0)
		qsort(rows, prefaults->rows.count, sizeof(*rows), compare_rows);
	model->prefaults = rows;
	model->prefault_count = prefaults->rows.count;
}

void prefaults_deinit(struct prefaults *prefaults)
{
	vec_deinit(&prefaults->rows);
	u64map_deinit(&prefaults->by_key);
}
