// SPDX-License-Identifier: Apache-2.0
// The document of `order --verify`.
#include "render/columns/columns.h"

#include "render/order.h"

// clang-format off
const struct row_column order_columns[] = {
	CLOSED_ROW("order_object", NULL),
	{ "path", "text", NULL, AT(render_order_object, path) },
	{ "found", "number", "names of the order file that it has",
	  AT(render_order_object, check.found) },
	{ "functions", "number", "that these names stand for, each place once",
	  AT(render_order_object, check.functions) },
	{ "duplicates", "number",
	  "functions beyond the first of a name: local ones of the same name",
	  AT(render_order_object, check.duplicates) },
	{ "in_order", "number",
	  "functions in the order of the order file, when as few others as possible are left "
	  "out", AT(render_order_object, check.in_order) },
	{ "pages", "number", "distinct pages that these functions span",
	  AT(render_order_object, check.area.code_pages) },
	{ "bytes", "number", "of these functions, each byte once",
	  AT(render_order_object, check.area.code_bytes) },
	{ "area", "number",
	  "under the curve of pages over functions: distinct pages after each function in the "
	  "order of the order file, added up", AT(render_order_object, check.area.area) },
	{ "least_area", "number", "the same if the functions lay side by side in that order",
	  AT(render_order_object, check.area.least_area) },

	CLOSED_DOCUMENT("order", "elfault order --verify --format json",
		 "What linked files have of an order file, in the order of the command line."),
	{ "schema", "elfault.order/1" },
	{ "path", "text", "the order file", AT(render_order, path) },
	{ "names", "number>0", "in the order file, each once", AT(render_order, name_count) },
	{ "page_size", "number>0", NULL, AT(render_order, page_size) },
	{ "objects", "[order_object]", NULL, LIST_AT(render_order, objects, object_count) },
	{ 0 },
};
// clang-format on
