// SPDX-License-Identifier: Apache-2.0
#include "cure/whatiftables.h"

#include "base/range.h"
#include "model/layout.h"

#include <string.h>

static bool is_of_relocations(const struct model_object *object, const char *name)
{
	const struct model_relocation *relocation = object->relocation;

	array_foreach (table, relocation->tables, relocation->table_count)
		if (!table->is_lookup && strcmp(table->name, name) == 0)
			return true;
	return false;
}

struct whatif_table whatif_table_of(const struct model_object *object)
{
	struct whatif_table table = { 0 };

	if (!object->relocation || !object->layout)
		return table;
	array_foreach (section, object->layout->sections, object->layout->section_count) {
		if (!section->has_bytes || !section->is_loaded ||
		    !is_of_relocations(object, section->name))
			continue;
		if (!table.is_known || section->offset < table.start)
			table.start = section->offset;
		table.is_known = true;
		table.bytes += section->file_size;
	}
	table.left = table.bytes;
	return table;
}

bool whatif_table_has(const struct whatif_table *table, const struct model_fault *fault)
{
	return table->is_known && fault->at.has_offset && fault->at.offset >= table->start &&
	       fault->at.offset - table->start < table->bytes;
}

bool whatif_table_drops(const struct whatif_kit *kit, const struct whatif_table *table,
			const struct model_fault *fault)
{
	if (!whatif_table_has(table, fault) || !whatif_maps_around(fault) ||
	    table->left >= table->bytes)
		return false;
	uint64_t page = align_down(fault->at.offset, kit->page_size);
	// The page where it now ends is read as before, for what stands there instead.
	uint64_t end = table->left > 0 ? table->start + table->left : table->start;

	return page >= end;
}
