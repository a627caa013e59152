// SPDX-License-Identifier: Apache-2.0
// Calls of the dynamic linker that open files: which of those recorded are its own.
#include "correlate/replay/events.h"

#include <string.h>

/** Is @object the dynamic linker of @program, also where it was executed itself? */
static bool is_linker(struct objects *objects, const struct process_program *program,
		      uint32_t object)
{
	if (object == program->interpreter)
		return true;
	if (object != program->executable || program->interpreter != UINT32_MAX)
		return false;
	const struct elfmap *map = objects_map(objects, object);
	const char *soname = map ? elfmap_info(map)->soname : NULL;

	return soname && strncmp(soname, "ld", 2) == 0;
}

/** musl's linker is its C library: whose call it is does not follow from the instruction. */
static bool is_libc(struct objects *objects, uint32_t object)
{
	const struct elfmap *map = objects_map(objects, object);
	const char *soname = map ? elfmap_info(map)->soname : NULL;

	return soname && strncmp(soname, "libc.", 5) == 0;
}

void opens_add(struct opens *opens, struct objects *objects, const struct process *process,
	       const struct process_program *program, const struct trace_open *from)
{
	struct aspace_place place;

	if (!from->path || !aspace_find(process->aspace, from->ip, &place) ||
	    !is_linker(objects, program, place.object))
		return;
	if (is_libc(objects, place.object)) {
		opens->untold++;
		return;
	}
	vec_push(&opens->list, (struct found_open){ from, process->program });
}

void opens_fill(const struct opens *opens, const struct trace *trace, struct model *model)
{
	struct arena *arena = &model->arena;

	if (!trace->meta.has_opens)
		return;
	struct model_searches *searches = arena_alloc(arena, sizeof(*searches));
	struct model_search *rows = arena_array(arena, opens->list.count + 1, sizeof(*rows));

	*searches = (struct model_searches){
		.list = rows,
		.count = opens->list.count,
		.has_times = true,
		.untold = opens->untold,
		.lost = trace->summary.calls_lost,
	};
	vec_foreach (found, &opens->list) {
		const struct trace_open *open = found->open;

		*rows++ = (struct model_search){
			.program = found->program,
			.time_ns = open->time_ns - trace->meta.start_ns,
			.duration_ns = open->duration_ns,
			.call = trace_call_name(trace, open->call),
			.path = arena_strdup(arena, open->path),
			.error = open->error,
			.origin = MODEL_ORIGIN_UNKNOWN,
			.owner = MODEL_NONE,
		};
		searches->ns += open->duration_ns;
		searches->has_times &= open->duration_ns > 0;
	}
	model->searches = searches;
}
