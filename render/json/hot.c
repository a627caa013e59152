// SPDX-License-Identifier: Apache-2.0
#include "render/json/hot.h"

#include "derive/hot.h"

/** A function and the file that it is in. */
static struct json_object *function_new(const struct model *model, uint32_t index)
{
	if (index == MODEL_NONE)
		return NULL;
	const struct model_function *function = &model->functions[index];
	struct json_object *object = node_object();

	node_add_text(object, "function", function->name);
	node_add_text(object, "object",
		      function->object == MODEL_NONE ? NULL
						     : model->objects[function->object].path);
	node_add_text(object, "section", function->section);
	return object;
}

static struct json_object *initiators_new(const struct hot_row *row)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		if (row->by_initiator[i] > 0)
			node_add_number(object, model_initiator_name(i), row->by_initiator[i]);
	return object;
}

/** The part that the answer is narrowed to. */
static void add_shown(struct json_object *object, const struct model *model,
		      const struct hot_row *row)
{
	if (model->filter)
		node_add_known(object, "shown_ns", !model->account->only_of_faults, row->shown_ns);
}

static struct json_object *cpu_row_new(const struct model *model, const struct hot_row *row,
				       bool by_blame)
{
	uint32_t subject = by_blame ? row->blame : row->function;
	struct json_object *object = function_new(model, subject);

	if (!object) {
		object = node_object();
		node_add_text(object, "function", NULL);
		node_add_text(object, "object", NULL);
		node_add_text(object, "section", NULL);
	}
	node_add_text(object, "source", row->source);
	node_add_number(object, "cpu_ns", row->ns);
	node_add_known(object, "error_ns", row->moments > 0, row->error_ns);
	node_add_number(object, "main_ns", row->main_ns);
	node_add_number(object, "kernel_ns", row->kernel_ns);
	node_add_number(object, "samples", row->moments);
	add_shown(object, model, row);
	node_add(object, "by_initiator", initiators_new(row));
	node_add(object, by_blame ? "mostly" : "blame",
		 function_new(model, by_blame ? row->function : row->blame));
	return object;
}

struct json_object *hotjson_computed(const struct model *model, bool by_blame)
{
	struct json_object *list = node_array();
	struct hot hot;

	hot_init(&hot, model,
		 &(struct hot_question){ .by = by_blame ? HOT_BY_BLAME : HOT_BY_FUNCTION });
	vec_foreach (row, &hot.list)
		node_append(list, cpu_row_new(model, row, by_blame));
	hot_deinit(&hot);
	return list;
}

struct json_object *hotjson_waits(const struct model *model)
{
	struct json_object *list = node_array();
	struct hot hot;

	hot_init(&hot, model, &(struct hot_question){ .by = HOT_BY_BOTH, .waits = true });
	vec_foreach (row, &hot.list) {
		struct json_object *object = node_object();

		node_add(object, "at", function_new(model, row->function));
		node_add(object, "blame", function_new(model, row->blame));
		node_add_text(object, "source", row->source);
		node_add_text(object, "initiator", model_initiator_name(row->initiator));
		node_add_number(object, "wait_ns", row->ns - row->storage_ns);
		node_add_number(object, "file_io_ns", row->storage_ns);
		node_add_number(object, "main_ns", row->main_ns);
		node_add_number(object, "waits", row->moments);
		add_shown(object, model, row);
		node_append(list, object);
	}
	hot_deinit(&hot);
	return list;
}
