// SPDX-License-Identifier: Apache-2.0
// How much of a file and of its sections was read, mapped and touched, for the header of a report
// page.
#include "render/page/data.h"

#include "model/storage.h"
#include "render/columns/node.h"
#include "render/page/parts.h"

#include <string.h>

/** [bytes, ..]. */
static struct json_object *bytes_new(const uint64_t *bytes, size_t count)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < count; i++)
		node_append(list, json_object_new_int64((int64_t)bytes[i]));
	return list;
}

struct json_object *pageheader_file_usage(const struct model *model, uint32_t object)
{
	const struct model_storage *storage = model->storage;

	for (size_t i = 0; storage && i < storage->file_count; i++) {
		const struct model_storage_file *row = &storage->files[i];

		if (row->object == object)
			return bytes_new(
				(uint64_t[]){ row->read, row->mapped, row->touched, row->unused },
				4);
	}
	return NULL;
}

struct json_object *pageheader_section_usage(const struct model *model, uint32_t object,
					     const char *name)
{
	const struct model_storage *storage = model->storage;

	for (size_t i = 0; storage && name && i < storage->section_count; i++) {
		const struct model_storage_section *row = &storage->sections[i];

		if (row->object == object && row->section && strcmp(row->section, name) == 0)
			return bytes_new((uint64_t[]){ row->read, row->mapped, row->touched }, 3);
	}
	return NULL;
}
