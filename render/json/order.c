// SPDX-License-Identifier: Apache-2.0
// `elfault order --verify` as elfault.order/1: docs/schema/order.schema.json.
#include "render/order.h"

#include "render/json/node.h"

enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };

static struct json_object *object_node(const struct render_order_object *object)
{
	const struct order_check *check = &object->check;
	struct json_object *node = node_object();

	node_add_text(node, "path", object->path);
	node_add_number(node, "found", check->found);
	node_add_number(node, "functions", check->functions);
	node_add_number(node, "duplicates", check->duplicates);
	node_add_number(node, "in_order", check->in_order);
	node_add_number(node, "pages", check->area.code_pages);
	node_add_number(node, "bytes", check->area.code_bytes);
	node_add_number(node, "area", check->area.area);
	node_add_number(node, "least_area", check->area.least_area);
	return node;
}

bool render_order_json(const struct render_order *order, FILE *out)
{
	CLEANUP(node_putp) struct json_object *root = node_object();
	struct json_object *objects = node_array();

	node_add_text(root, "schema", "elfault.order/1");
	node_add_text(root, "path", order->path);
	node_add_number(root, "names", order->name_count);
	node_add_number(root, "page_size", order->page_size);
	node_add(root, "objects", objects);
	array_foreach (object, order->objects, order->object_count)
		node_append(objects, object_node(object));
	const char *text = json_object_to_json_string_ext(root, STYLE);

	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
