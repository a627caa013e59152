// SPDX-License-Identifier: Apache-2.0
#include "model/io.h"

#include "base/search.h"

#include <string.h>

/** The @count rows of @size bytes at @rows, and behind them those at @more. */
static void *joined(struct arena *arena, const void *rows, size_t count, const void *more,
		    size_t more_count, size_t size)
{
	char *all = arena_array(arena, count + more_count + 1, size);

	if (count > 0)
		memcpy(all, rows, count * size);
	if (more_count > 0)
		memcpy(all + count * size, more, more_count * size);
	return all;
}

struct model model_io_view(const struct model *model, struct arena *arena)
{
	static const struct model_ios none;
	const struct model_ios *ios = model->ios ? model->ios : &none;
	struct model view = *model;

	view.ios = ios;
	view.is_of_io = true;
	view.objects = joined(arena, model->objects, model->object_count, ios->files,
			      ios->file_count, sizeof(*view.objects));
	view.object_count += ios->file_count;
	view.threads = joined(arena, model->threads, model->thread_count, ios->threads,
			      ios->thread_count, sizeof(*view.threads));
	view.thread_count += ios->thread_count;
	view.sections = ios->sections;
	view.section_count = ios->section_count;
	return view;
}

const uint32_t *model_ios_of_fault(const struct model_ios *ios, const struct model_fault *fault,
				   size_t *ret_count)
{
	const struct model_io *items = ios->items;
	const uint32_t *by_fault = ios->by_fault;
	size_t first = search_first(ios->by_fault_count, i,
				    items[by_fault[i]].fault_ns > fault->time_ns ||
					    (items[by_fault[i]].fault_ns == fault->time_ns &&
					     items[by_fault[i]].what.thread >= fault->thread));
	size_t end = first;

	while (end < ios->by_fault_count && items[by_fault[end]].fault_ns == fault->time_ns &&
	       items[by_fault[end]].what.thread == fault->thread)
		end++;
	*ret_count = end - first;
	return by_fault + first;
}
