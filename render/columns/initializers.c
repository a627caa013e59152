// SPDX-License-Identifier: Apache-2.0
// The document of `analyze --initializers`.
#include "render/columns/objects.h"

#include "model/model.h"
#include "render/columns/node.h"

static struct json_object *object_path(const void *row, const void *context)
{
	const struct model *model = ((const struct object_context *)context)->model;

	return node_text(model->objects[((const struct model_initializer *)row)->object].path);
}

// clang-format off
const struct row_column initializers_columns[] = {
	DOCUMENT("initializers",
		 "What each initializer cost: elfault analyze --initializers --format json",
		 "The rows of elfault.analysis/1, with their object, most time first or as "
		 "--sort says. Keys may be added."),
	{ "schema", "elfault.initializers/1" },
	{ "initializers", "[object_initializer]" },

	ROW("object_initializer", NULL),
	{ "object", "text", NULL, BY(object_path) },
	{ "", "initializer", NULL, SAME },
	{ 0 },
};
// clang-format on
