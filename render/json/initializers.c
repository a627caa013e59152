// SPDX-License-Identifier: Apache-2.0
#include "base/cleanup.h"
#include "render/columns/objects.h"
#include "render/initrows.h"
#include "render/columns/node.h"

bool render_initializers_json(const struct model *model,
			      const struct render_initializers_options *options, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct initrows rows = initrows_select(model, options, &arena);

	const struct object_context context = { .model = model };

	// One row at a time: there may be a hundred thousand.
	fputs("{\"schema\":\"elfault.initializers/1\",\n\"initializers\":[", out);
	for (size_t i = 0; !ferror(out) && i < rows.count; i++) {
		const struct model_initializer *row = &model->initializers[rows.rows[i]];
		struct json_object *node = columns_new("object_initializer", row, &context);

		fputs(i > 0 ? ",\n" : "\n", out);
		node_print(node, out);
	}
	fputs("]}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
