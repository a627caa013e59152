// SPDX-License-Identifier: Apache-2.0
// Names that the dynamic linker binds, as one document.
#include "model/binding.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"
#include "render/render.h"

bool render_bindings_json(const struct model *model, FILE *out)
{
	const struct model_bindings *bindings = model->bindings;

	// One program at a time: its names may be a hundred thousand.
	fputs("{\"schema\":\"elfault.bindings/1\",\n\"loadings\":[", out);
	for (size_t i = 0; bindings && !ferror(out) && i < bindings->count; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		node_print(columns_new("named_loading", &bindings->loadings[i], model), out);
	}
	fputs("]}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
