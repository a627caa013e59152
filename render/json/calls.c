// SPDX-License-Identifier: Apache-2.0
#include "render/json/calls.h"

static struct json_object *rows_new(const struct model *model, const struct model_call *rows,
				    size_t count)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < count; i++) {
		const struct model_call *row = &rows[i];
		struct json_object *object = node_object();

		if (row->process != MODEL_NONE) {
			const struct model_process_times *process =
				&model->account->processes[row->process];

			node_add_number(object, "pid", process->pid);
			node_add_text(object, "comm", model->comms[process->comm]);
			node_add_number(object, "start_ns", process->start_ns);
		}
		node_add_text(object, "call", row->name);
		node_add_number(object, "count", row->count);
		node_add_number(object, "duration_ns", row->ns);
		node_add_number(object, "wait_ns", row->wait_ns);
		node_add_number(object, "file_io_ns", row->file_io_ns);
		node_add_number(object, "runnable_ns", row->runnable_ns);
		node_add_number(object, "storage_bytes", row->bytes);
		node_append(list, object);
	}
	return list;
}

struct json_object *callsjson_new(const struct model *model)
{
	const struct model_calls *calls = model->calls;

	if (!calls)
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "lost", calls->lost);
	node_add_number(object, "count", calls->count);
	node_add_number(object, "duration_ns", calls->ns);
	node_add(object, "all", rows_new(model, calls->all, calls->all_count));
	node_add(object, "by_process", rows_new(model, calls->by_process, calls->by_process_count));
	return object;
}
