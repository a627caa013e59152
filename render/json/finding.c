// SPDX-License-Identifier: Apache-2.0
#include "render/json/finding.h"

/** null: not measured, or it is a bound. */
static struct json_object *error_new(const struct model_saving *saves)
{
	if (saves->is != MODEL_PREDICTION || (saves->error_faults == 0 && saves->error_ns == 0))
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "faults", saves->error_faults);
	node_add_number(object, "duration_ns", saves->error_ns);
	return object;
}

static struct json_object *saving_new(const struct model_saving *saves)
{
	struct json_object *object = node_object();

	node_add_number(object, "faults", saves->faults);
	node_add_number(object, "read_bytes", saves->read_bytes);
	node_add_number(object, "duration_ns", saves->duration_ns);
	node_add_number(object, "storage_ns", saves->storage_ns);
	node_add_text(object, "is", model_bound_name(saves->is));
	node_add(object, "error", error_new(saves));
	node_add_bool(object, "bound", saves->is != MODEL_PREDICTION);
	return object;
}

static struct json_object *cures_new(const struct model_finding *finding)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < finding->cure_count; i++) {
		struct json_object *object = node_object();

		node_add_text(object, "for", model_for_name(finding->cures[i].who));
		node_add_text(object, "advice", finding->cures[i].text);
		node_append(list, object);
	}
	return list;
}

static struct json_object *files_new(const struct model *model, const struct model_finding *finding)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < finding->file_count; i++) {
		const struct model_finding_file *file = &finding->files[i];
		struct json_object *object = node_object();

		node_add_text(object, "object", model->objects[file->object].path);
		node_add_number(object, "faults", file->faults);
		node_add_number(object, "pages", file->pages);
		node_add_number(object, "duration_ns", file->duration_ns);
		node_add(object, "saves", saving_new(&file->saves));
		node_add_text(object, "evidence", file->evidence);
		node_append(list, object);
	}
	return list;
}

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
	node_add_number(object, "storage_ns", finding->major_ns);
	node_add_number(object, "cpu_ns", finding->cpu_ns);
	node_add_number(object, "cpu_error_ns", finding->cpu_error_ns);
	node_add_number(object, "saves_faults", finding->saves.faults);
	node_add(object, "saves", saving_new(&finding->saves));
	node_add_text(object, "for",
		      finding->cure_count > 0 ? model_for_name(finding->cures[0].who) : NULL);
	node_add(object, "cures", cures_new(finding));
	node_add(object, "files", files_new(model, finding));
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
