// SPDX-License-Identifier: Apache-2.0
// `elfault map --format json`: the document elfault.map/1, docs/schema/map.schema.json.
#include "render/map.h"

#include "base/cleanup.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"

bool render_map_json(const struct map_model *model, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	CLEANUP(node_putp) struct json_object *root = columns_new("map", model, NULL);
	const char *text = json_object_to_json_string_ext(root, STYLE);
	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
