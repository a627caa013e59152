// SPDX-License-Identifier: Apache-2.0
// Memory that is new, in larger pieces: one fault for each piece instead of one for each page. How
// much of it the kernel can give so is not known, so that the saving is at most this.
#include "base/cleanup.h"
#include "base/u64map.h"
#include "cure/whatifkit.h"

#include <string.h>

/** Memory of malloc() and mmap(); the heap of some programs is known as memory without a name. */
static bool is_heap(const struct model_object *object)
{
	return strcmp(object->path, "[heap]") == 0 || strcmp(object->path, "[anon]") == 0;
}

static void predict(struct whatif_kit *kit, struct whatif row, uint64_t bytes, bool heap_only)
{
	const struct model *model = kit->model;
	CLEANUP(u64map_deinit) struct u64map filled = { 0 };
	struct whatif_change change = { 0 };

	array_foreach (fault, model->faults, model->fault_count) {
		uint64_t program = model_thread(model, fault)->program;
		bool is_on_heap = fault->at.object != MODEL_NONE &&
				  is_heap(&model->objects[fault->at.object]);

		if (fault->mechanism != MODEL_ZERO_FILL || (heap_only && !is_on_heap))
			continue;
		if (!u64map_add(&filled, program << 48 ^ fault->addr / bytes))
			whatif_drop(&change, kit, fault);
	}
	if (change.faults > 0)
		whatif_add(kit, row, &change);
}

void whatif_huge(struct whatif_kit *kit)
{
	predict(kit,
		(struct whatif){
			.group = WHATIF_SYSTEM,
			.cure = "folios-64k",
			.title = "new memory by 64 KiB",
			.how = "echo always > /sys/kernel/mm/transparent_hugepage/"
			       "hugepages-64kB/enabled",
			.reason = "Linux 6.8 or later",
			.saves.is = MODEL_AT_MOST,
		},
		UINT64_C(64) << 10, false);
	predict(kit,
		(struct whatif){
			.group = WHATIF_SYSTEM,
			.cure = "huge-heap",
			.title = "heap on huge pages",
			.how = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
			.reason =
				"glibc 2.35 or later, transparent huge pages at madvise or always",
			.saves.is = MODEL_AT_MOST,
		},
		UINT64_C(2) << 20, true);
}
