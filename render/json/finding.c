// SPDX-License-Identifier: Apache-2.0
#include "render/json/finding.h"

static struct json_object *finding_new(const struct model *model,
				       const struct model_finding *finding)
{
	struct json_object *object = node_object();

	node_add_text(object, "id", finding->id);
	node_add_text(object, "title", finding->title);
	node_add_text(object, "object",
		      finding->object == MODEL_NONE ? NULL : model->objects[finding->object].path);
	node_add_text(object, "where", finding->where);
	node_add_number(object, "faults", finding->faults);
	node_add_number(object, "pages", finding->pages);
	node_add_number(object, "duration_ns", finding->duration_ns);
	node_add_number(object, "saves_faults", finding->saves_faults);
	node_add_text(object, "evidence", finding->evidence);
	node_add_text(object, "advice", finding->advice);
	return object;
}

struct json_object *findingjson_new(const struct model *model)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < model->finding_count; i++)
		node_append(list, finding_new(model, &model->findings[i]));
	return list;
}
