// SPDX-License-Identifier: Apache-2.0
// `elfault whatif` as JSON: docs/schema/whatif.schema.json.
#include "render/whatif.h"

#include "render/columns/columns.h"
#include "render/columns/node.h"
#include "render/columns/objects.h"

bool render_whatif_json(const struct model *model, const struct whatif_answer *answer, FILE *out)
{
	return columns_print("whatif", answer, &(struct whatif_context){ model, answer }, out);
}

bool render_whatif_ndjson(const struct whatif_answer *answer, FILE *out)
{
	array_foreach (row, answer->items, answer->count) {
		node_print(columns_new("whatif_cure", row,
				       &(struct whatif_context){ .answer = answer }),
			   out);
		fputc('\n', out);
	}
	return fflush(out) == 0 && !ferror(out);
}
