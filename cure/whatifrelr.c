// SPDX-License-Identifier: Apache-2.0
// Relative relocations packed: their tables shrink to almost nothing, and so do the faults on them.
// The pages that relocation writes stay.
#include "base/cleanup.h"
#include "cure/whatiftables.h"

#include <stdlib.h>

/** Packing less than this is not worth a link. */
enum { MIN_SAVED = 4 << 10 };

static bool is_worth(const struct model_object *object)
{
	const struct model_relocation *relocation = object->relocation;

	return relocation && !relocation->uses_relr &&
	       relocation->relative_bytes > relocation->packed_bytes &&
	       relocation->relative_bytes - relocation->packed_bytes >= MIN_SAVED;
}

void whatif_relr(struct whatif_kit *kit)
{
	const struct model *model = kit->model;
	struct whatif row = {
		.group = WHATIF_LINK,
		.cure = "relr",
		.title = "RELR",
		.how = "-Wl,-z,pack-relative-relocs",
		.has_time = true,
		.error_percent = 1,
	};
	struct whatif_table *tables = xcalloc(model->object_count + 1, sizeof(*tables));
	CLEANUP(freep) uint32_t *changed = xcalloc(model->object_count + 1, sizeof(*changed));
	struct whatif_change change = { 0 };

	for (uint32_t i = 0; i < model->object_count; i++) {
		const struct model_object *object = &model->objects[i];

		if (!whatif_is_asked(kit, i) || !is_worth(object))
			continue;
		tables[i] = whatif_table_of(object);
		tables[i].left -= object->relocation->relative_bytes < tables[i].left
					  ? object->relocation->relative_bytes
					  : tables[i].left;
		tables[i].left += object->relocation->packed_bytes;
		changed[row.file_count++] = i;
	}
	array_foreach (fault, model->faults, model->fault_count)
		if (fault->at.object != MODEL_NONE &&
		    whatif_table_drops(kit, &tables[fault->at.object], fault))
			whatif_drop(&change, kit, fault);
	if (row.file_count == 0) {
		whatif_refuse(kit, row, "no file has relative relocations that take much room");
	} else {
		row.object = row.file_count == 1 ? model->objects[changed[0]].path : NULL;
		row.reason = arena_printf(kit->arena, "relinks %s; needs glibc 2.36",
					  whatif_files(kit, changed, row.file_count));
		whatif_add(kit, row, &change);
	}
	free(tables);
}
