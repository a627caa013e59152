// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include "base/path.h"

#include <stdlib.h>
#include <string.h>

void model_close(struct model *model)
{
	if (!model)
		return;
	free((void *)model->faults);
	notes_deinit(&model->notes);
	arena_deinit(&model->arena);
	free(model);
}

bool model_is_in_section(const struct model *model, const struct model_fault *fault,
			 const char *name)
{
	const char *section =
		fault->at.section == MODEL_NONE ? NULL : model->sections[fault->at.section].name;

	return section && strcmp(section, name) == 0;
}

const char *model_imported_from(const struct model_trace *trace)
{
	static const char *const formats[] = { "perf-script", "bpftrace", "offsets" };

	array_foreach (format, formats, sizeof(formats) / sizeof(formats[0]))
		if (trace->backend && strcmp(trace->backend, *format) == 0)
			return *format;
	return NULL;
}

const char *model_object_name(const struct model_object *object)
{
	return object->is_file ? path_file_name(object->path) : object->path;
}

const char *model_rooted_name(struct arena *arena, const char *name,
			      const struct model_object *object)
{
	return object->root ? arena_printf(arena, "%s of %s", name, object->root) : name;
}

uint64_t model_page(const struct model_fault *fault, uint64_t page_size, bool *ret_is_of_file)
{
	*ret_is_of_file = fault->at.has_vaddr || fault->at.has_offset;
	return (fault->at.has_vaddr    ? fault->at.vaddr
		: fault->at.has_offset ? fault->at.offset
				       : fault->addr) /
	       page_size;
}
