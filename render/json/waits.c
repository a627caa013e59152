// SPDX-License-Identifier: Apache-2.0
#include "render/json/waits.h"

struct json_object *timesjson_new(const struct model_times *times)
{
	struct json_object *object = node_object();

	for (enum model_state i = 0; i < MODEL_STATES; i++)
		node_add_number(object, model_state_name(i), times->ns[i]);
	return object;
}

struct json_object *waitsjson_kinds(const struct model_waits *waits)
{
	struct json_object *object = node_object();

	for (enum model_wait i = 0; i < MODEL_WAITS; i++) {
		if (waits->count[i] == 0)
			continue;
		struct json_object *kind = node_object();

		node_add_number(kind, "count", waits->count[i]);
		node_add_number(kind, "wait", waits->wait_ns[i]);
		node_add_number(kind, "file-io", waits->file_io_ns[i]);
		node_add(object, model_wait_name(i), kind);
	}
	return object;
}

static void add_process(struct json_object *object, const struct model *model, uint32_t process)
{
	const struct model_process_times *row =
		process == MODEL_NONE ? NULL : &model->account->processes[process];

	node_add_known(object, "pid", row, row ? row->pid : 0);
	node_add_text(object, "comm", row ? model->comms[row->comm] : NULL);
}

static struct json_object *awaited_new(const struct model *model)
{
	const struct model_waiting *waiting = model->account->waiting;
	struct json_object *list = node_array();

	for (size_t i = 0; i < waiting->awaited_count; i++) {
		const struct model_awaited *row = &waiting->awaited[i];
		struct json_object *object = node_object();

		node_add_text(object, "wait", model_wait_name(row->wait));
		node_add_text(object, "state", model_state_name(row->state));
		node_add_text(object, "call", row->call);
		node_add_text(object, "waker", model_waker_name(row->waker));
		add_process(object, model, row->process);
		node_add_number(object, "count", row->count);
		node_add_number(object, "duration_ns", row->ns);
		node_add(object, "meanwhile",
			 row->process == MODEL_NONE ? NULL : timesjson_new(&row->meanwhile));
		node_append(list, object);
	}
	return list;
}

struct json_object *waitsjson_new(const struct model *model)
{
	const struct model_waiting *waiting = model->account->waiting;

	if (!waiting)
		return NULL;
	struct json_object *object = node_object();

	node_add(object, "main", waitsjson_kinds(&waiting->main));
	node_add(object, "all", waitsjson_kinds(&waiting->all));
	node_add(object, "by_waker", awaited_new(model));
	return object;
}

static struct json_object *part_new(const struct model *model,
				    const struct model_critical_part *part)
{
	struct json_object *object = node_object();

	add_process(object, model, part->process);
	node_add_number(object, "tid", part->tid);
	node_add_text(object, "thread", part->thread);
	node_add_number(object, "start_ns", part->start_ns);
	node_add_number(object, "end_ns", part->end_ns);
	node_add_number(object, "stays", part->stays);
	node_add_number(object, "duration_ns", part->ns);
	node_add(object, "times", timesjson_new(&part->times));
	node_add(object, "waits", waitsjson_kinds(&part->waits));
	return object;
}

struct json_object *waitsjson_critical(const struct model *model)
{
	const struct model_critical *critical = model->account->critical;

	if (!critical)
		return NULL;
	struct json_object *object = node_object();
	struct json_object *parts = node_array(), *steps = node_array();

	for (size_t i = 0; i < critical->part_count; i++)
		node_append(parts, part_new(model, &critical->parts[i]));
	for (size_t i = 0; i < critical->step_count; i++)
		node_append(steps, part_new(model, &critical->steps[i]));
	node_add(object, "parts", parts);
	node_add(object, "steps", steps);
	return object;
}
