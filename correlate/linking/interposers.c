// SPDX-License-Identifier: Apache-2.0
#include "correlate/linking/interposers.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <elf.h>
#include <string.h>

static void add_program(struct interposers *interposers, const struct relocation_count *count,
			uint32_t program)
{
	const struct rows *rows = count->rows;
	const char *path = rows->model->programs[program].executable;

	if (!path)
		return;
	for (size_t i = 0; i < rows->object_rows.count; i++) {
		struct elfmap *map = objects_opened(rows->objects, (uint32_t)i);

		if (!map || map == count->map || strcmp(rows->object_rows.items[i].path, path) != 0)
			continue;
		vec_foreach (known, &interposers->programs)
			if (known->map == map)
				return;
		vec_push(&interposers->programs, (struct interposer){ map, path_file_name(path) });
		return;
	}
}

void interposers_find(struct interposers *interposers, const struct relocation_count *count)
{
	const struct model *model = count->rows->model;
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };

	vec_foreach (index, &count->faults->indexes) {
		const struct model_fault *fault = &count->faults->all[*index];
		const struct rows *rows = count->rows;
		const uint32_t program = fault->thread < rows->threads.count
						 ? rows->threads.items[fault->thread].program
						 : MODEL_NONE;

		if (program < model->program_count && u64map_add(&seen, program))
			add_program(interposers, count, program);
	}
}

static bool is_copy(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_relocation *slot = elfmap_relocation_at(map, vaddr);

	return slot && slot->vaddr == vaddr && slot->class == ELFMAP_RELOCATION_COPY;
}

bool interposers_have(const struct interposers *interposers,
		      const struct elfmap_dynamic_symbol *symbol,
		      struct interposition *ret_interposition)
{
	vec_foreach (program, &interposers->programs) {
		struct elfmap_dynamic_symbol found;

		if (!elfmap_dynamic_symbol_named(program->map, symbol->name, &found))
			continue;
		*ret_interposition =
			(struct interposition){ program->name, is_copy(program->map, found.vaddr) };
		if (ret_interposition->is_copy || found.binding != STB_WEAK ||
		    symbol->binding != STB_WEAK)
			return true;
	}
	return false;
}
