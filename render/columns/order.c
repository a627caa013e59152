// SPDX-License-Identifier: Apache-2.0
// The document of `order --verify`.
#include "render/columns/columns.h"

// clang-format off
const struct column order_columns[] = {
	CLOSED_ROW("order_object", NULL),
	{ "path", "text" },
	{ "found", "number", "names of the order file that it has" },
	{ "functions", "number", "that these names stand for, each place once" },
	{ "duplicates", "number",
	  "functions beyond the first of a name: local ones of the same name" },
	{ "in_order", "number",
	  "functions in the order of the order file, when as few others as possible are left "
	  "out" },
	{ "pages", "number", "distinct pages that these functions span" },
	{ "bytes", "number", "of these functions, each byte once" },
	{ "area", "number",
	  "under the curve of pages over functions: distinct pages after each function in the "
	  "order of the order file, added up" },
	{ "least_area", "number", "the same if the functions lay side by side in that order" },

	CLOSED_DOCUMENT("order", "elfault order --verify --format json",
		 "What linked files have of an order file, in the order of the command line."),
	{ "schema", "elfault.order/1" },
	{ "path", "text", "the order file" },
	{ "names", "number>0", "in the order file, each once" },
	{ "page_size", "number>0" },
	{ "objects", "[order_object]" },
	{ 0 },
};
// clang-format on
