// SPDX-License-Identifier: Apache-2.0
#include "import/imported.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/range.h"

#include <string.h>

bool imported_next(struct imported *imported, struct lines *lines, struct text_line *ret_line)
{
	if (!lines_next(lines, ret_line))
		return false;
	imported->lines++;
	if (ret_line->is_open)
		imported->cut_line = ret_line->number;
	return true;
}

void imported_count_odd(struct imported_odd *odd, const struct text_line *line)
{
	if (odd->count++ == 0)
		odd->first = line->number;
}

const char *imported_string(struct imported *imported, const char *text, size_t length)
{
	return intern_bytes(&imported->strings, text, length);
}

bool imported_map(struct imported *imported, struct trace_mapping mapping)
{
	const uint64_t page = imported->meta.page_size;
	uint64_t end;

	if (mapping.addr % page != 0 || mapping.size == 0 ||
	    !checked_add(mapping.size, page - 1, &mapping.size))
		return false;
	mapping.size = align_down(mapping.size, page);
	if (!checked_add(mapping.addr, mapping.size, &end) ||
	    !checked_add(mapping.offset, mapping.size, &end))
		return false;
	vec_push(&imported->mappings, mapping);
	return true;
}

void imported_name_task(struct imported *imported, struct trace_task task, const char *comm,
			size_t length)
{
	memcpy(task.comm, comm, length < sizeof(task.comm) ? length : sizeof(task.comm) - 1);
	vec_push(&imported->tasks, task);
}

void imported_attach(struct imported *imported)
{
	CLEANUP(u64map_deinit) struct u64map counts = { 0 };
	uint32_t most = 0;

	imported->meta.attached = true;
	vec_foreach (fault, &imported->faults) {
		uint32_t *count = u64map_put(&counts, fault->pid, NULL);

		if (++*count <= most)
			continue;
		most = *count;
		imported->meta.root_pid = fault->pid;
	}
}

uint32_t imported_stack(struct imported *imported, const uint64_t *frames, uint32_t count)
{
	bool is_new;

	if (count == 0)
		return 0;
	frames = intern_bytes(&imported->strings, frames, count * sizeof(*frames));
	uint32_t *id = u64map_put(&imported->by_frames, (uintptr_t)frames, &is_new);
	if (!is_new)
		return *id;
	*id = (uint32_t)imported->stacks.count + 1;
	vec_push(&imported->stacks,
		 (struct trace_stack){
			 .id = *id,
			 .frame_count = count,
			 .frames = frames,
			 // No log says that it is whole, and callers may be missing.
			 .is_truncated = true,
		 });
	return *id;
}
