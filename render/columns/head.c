// SPDX-License-Identifier: Apache-2.0
#include "render/columns/head.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/missing.h"
#include "render/columns/node.h"

/** The process that ran already; NULL: a command was started. */
static struct json_object *process_new(const struct model_trace *trace)
{
	if (!trace->process)
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "pid", trace->process_pid);
	node_add_text(object, "comm", trace->process_comm);
	node_add_text(object, "cgroup", trace->cgroup);
	return object;
}

static struct json_object *plain_new(const struct model_plain *plain)
{
	if (!plain)
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "wall_ns", plain->wall_ns);
	node_add_number(object, "user_ns", plain->user_ns);
	node_add_number(object, "system_ns", plain->system_ns);
	node_add_number(object, "minor", plain->minor);
	node_add_number(object, "major", plain->major);
	return object;
}

static struct json_object *window_new(const struct model_window *window)
{
	if (!window->is_set)
		return NULL;
	struct json_object *object = node_object();

	node_add_number(object, "from_ns", window->from_ns);
	node_add_number(object, "until_ns", window->until_ns);
	return object;
}

struct json_object *headjson_trace(const struct model *model)
{
	const struct model_trace *trace = &model->trace;
	struct json_object *object = node_object();
	node_add_text(object, "path", trace->path);
	node_add(object, "command", node_texts(trace->command, trace->command_count));
	node_add(object, "process", process_new(trace));
	node_add_text(object, "backend", trace->backend);
	node_add_text(object, "kernel", trace->kernel);
	node_add_text(object, "machine", trace->machine);
	node_add_number(object, "page_size", trace->page_size);
	node_add_known(object, "duration_ns", !trace->times_are_order, trace->duration_ns);
	node_add(object, "window", window_new(&model->window));
	node_add_bool(object, "complete", model_is_complete(model));
	node_add_bool(object, "truncated", !trace->complete);
	node_add_bool(object, "has_stacks", trace->has_stacks);
	node_add_bool(object, "has_reads", trace->has_reads);
	node_add(object, "plain", plain_new(trace->plain));
	return object;
}

struct json_object *headjson_notes(const struct notes *notes)
{
	struct json_object *list = node_array();
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	vec_foreach (note, &notes->list) {
		strbuf_clear(&text);
		note_print(note, &text);
		node_append(list, node_text(strbuf_text(&text)));
	}
	return list;
}
