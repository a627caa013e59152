// SPDX-License-Identifier: Apache-2.0
// `elfault order --verify` as elfault.order/1: docs/schema/order.schema.json.
#include "render/order.h"

#include "render/columns/columns.h"
#include "render/columns/node.h"

enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };

bool render_order_json(const struct render_order *order, FILE *out)
{
	CLEANUP(node_putp) struct json_object *root = columns_new("order", order, NULL);
	const char *text = json_object_to_json_string_ext(root, STYLE);

	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
