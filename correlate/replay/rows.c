// SPDX-License-Identifier: Apache-2.0
#include "correlate/replay/rows.h"

#include <stdlib.h>

void rows_deinit(struct rows *rows)
{
	vec_deinit(&rows->object_rows);
	vec_deinit(&rows->sections);
	vec_deinit(&rows->symbols);
	vec_deinit(&rows->symbol_sources);
	vec_deinit(&rows->functions);
	vec_deinit(&rows->function_sources);
	vec_deinit(&rows->comms);
	vec_deinit(&rows->threads);
	vec_deinit(&rows->initializers);
	vec_deinit(&rows->stacks);
	vec_deinit(&rows->frames);
	vec_deinit(&rows->ips);
}

void all_faults_deinit(struct all_faults *faults)
{
	vec_deinit(&faults->list);
	vec_deinit(&faults->program_ns);
}

void all_moments_deinit(struct all_moments *moments)
{
	vec_deinit(&moments->list);
	vec_deinit(&moments->sources);
}

void shown_faults_deinit(struct shown_faults *faults)
{
	free(faults->items);
	*faults = (struct shown_faults){ 0 };
}

void init_runs_deinit(struct init_runs *runs)
{
	vec_deinit(&runs->list);
	free(runs->is_of_fault);
}

const char *rows_name(const struct rows *rows, uint32_t object, const struct row_source *source)
{
	struct arena *arena = &rows->model->arena;
	struct elfmap *map = objects_map(rows->objects, object);

	if (!map)
		return NULL;
	if (source->symbol)
		return arena_strdup(arena, rows->demangle
						   ? elfmap_symbol_display(map, source->symbol)
						   : source->symbol->name);
	if (source->entry.kind == ELFMAP_ENTRY_NONE)
		return NULL;
	return arena_strdup(arena, elfmap_entry_name(map, &source->entry, rows->demangle));
}

struct model rows_fields(const struct rows *rows)
{
	struct model model = *rows->model;

	model.objects = rows->object_rows.items;
	model.object_count = rows->object_rows.count;
	model.sections = rows->sections.items;
	model.section_count = rows->sections.count;
	model.symbols = rows->symbols.items;
	model.symbol_count = rows->symbols.count;
	model.functions = rows->functions.items;
	model.function_count = rows->functions.count;
	model.initializers = rows->initializers.items;
	model.initializer_count = rows->initializers.count;
	model.comms = rows->comms.items;
	model.comm_count = rows->comms.count;
	model.threads = rows->threads.items;
	model.thread_count = rows->threads.count;
	model.stacks = rows->stacks.items;
	model.stack_count = rows->stacks.count;
	return model;
}
