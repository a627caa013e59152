// SPDX-License-Identifier: Apache-2.0
// The static libraries of what a trace maps.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "depot/depot.h"

#include <string.h>

/** The length of @name up to ".so"; 0: it has none. */
static size_t stem_of(const char *name)
{
	const char *end = name ? strstr(name, ".so") : NULL;

	return end ? (size_t)(end - name) : 0;
}

static bool is_there(struct depot *depot, const char *path)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	size_t place = 0;

	return depot_next(depot, path, &place, &found) && found.fd >= 0;
}

void archives_fill(struct rows *rows)
{
	for (uint32_t i = 0; i < rows->object_rows.count; i++) {
		struct model_object *row = &rows->object_rows.items[i];
		const char *name = stem_of(row->soname) ? row->soname : path_file_name(row->path);
		const size_t folder = (size_t)(path_file_name(row->path) - row->path);

		if (!row->is_file || !objects_opened(rows->objects, i) || stem_of(name) == 0 ||
		    path_file_name(name) != name)
			continue;
		const char *path = arena_printf(&rows->model->arena, "%.*s%.*s.a", (int)folder,
						row->path, (int)stem_of(name), name);

		if (is_there(objects_depot(rows->objects), path))
			row->archive = path;
	}
}
