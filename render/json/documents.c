// SPDX-License-Identifier: Apache-2.0
// Documents that are one row of the tables in render/columns/: docs/schema/ has a schema of each.
#include "render/columns/columns.h"
#include "render/map.h"
#include "render/order.h"
#include "render/smaps.h"

bool render_map_json(const struct map_model *model, FILE *out)
{
	return columns_print("map", model, NULL, out);
}

bool render_mapdiff_json(const struct mapdiff *diff, FILE *out)
{
	return columns_print("map-diff", diff, NULL, out);
}

bool render_order_json(const struct render_order *order, FILE *out)
{
	return columns_print("order", order, NULL, out);
}

bool render_smaps_json(const struct smaps_model *model, FILE *out)
{
	return columns_print("smaps", model, NULL, out);
}

bool render_smaps_diff_json(const struct smaps_comparison *comparison, FILE *out)
{
	return columns_print("smaps-diff", comparison, NULL, out);
}
