// SPDX-License-Identifier: Apache-2.0
#include "render/json/initializers.h"

#include "base/cleanup.h"
#include "model/account.h"
#include "render/initrows.h"

struct json_object *initjson_new(const struct model *model,
				 const struct model_initializer *initializer, const char *object)
{
	struct json_object *node = node_object();
	bool has_faults = initializer->count.faults > 0;

	if (object)
		node_add_text(node, "object", object);
	node_add_number(node, "index", initializer->index);
	node_add_text(node, "array", initializer->array);
	node_add_text(node, "function", initializer->function);
	node_add_known(node, "offset", initializer->has_offset, initializer->offset);
	node_add_text(node, "source", initializer->source);
	node_add_number(node, "faults", initializer->count.faults);
	node_add_number(node, "lazy_binding", initializer->lazy_binding);
	node_add_number(node, "major", initializer->count.major);
	node_add_number(node, "duration_ns", initializer->count.duration_ns);
	node_add_number(node, "pages", initializer->pages);
	node_add_number(node, "code_pages", initializer->code_pages);
	node_add_number(node, "code_pages_only", initializer->code_pages_only);
	node_add_known(node, "first_ns", has_faults, initializer->first_ns);
	node_add_known(node, "last_ns", has_faults, initializer->last_ns);
	node_add_number(node, "read_bytes", model_read_bytes(model, &initializer->count));
	node_add_known(node, "cpu_ns", model->account && model->account->samples > 0,
		       initializer->cpu_ns);
	node_add_known(node, "wait_ns", model->account, initializer->wait_ns);
	node_add_known(node, "storage_bytes", model->storage, initializer->storage_bytes);
	return node;
}

bool render_initializers_json(const struct model *model,
			      const struct render_initializers_options *options, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct initrows rows = initrows_select(model, options, &arena);

	// One row at a time: there may be a hundred thousand.
	fputs("{\"schema\":\"elfault.initializers/1\",\n\"initializers\":[", out);
	for (size_t i = 0; !ferror(out) && i < rows.count; i++) {
		const struct model_initializer *row = &model->initializers[rows.rows[i]];
		struct json_object *node =
			initjson_new(model, row, model->objects[row->object].path);
		const char *text = json_object_to_json_string_ext(node, JSON_C_TO_STRING_PLAIN);

		if (!text)
			oom();
		fputs(i > 0 ? ",\n" : "\n", out);
		fputs(text, out);
		json_object_put(node);
	}
	fputs("]}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
