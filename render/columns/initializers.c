// SPDX-License-Identifier: Apache-2.0
// The document of `analyze --initializers`.
#include "render/columns/columns.h"

// clang-format off
const struct column initializers_columns[] = {
	DOCUMENT("initializers",
		 "What each initializer cost: elfault analyze --initializers --format json",
		 "The rows of elfault.analysis/1, with their object, most time first or as "
		 "--sort says. Keys may be added."),
	{ "schema", "elfault.initializers/1" },
	{ "initializers", "[object_initializer]" },

	ROW("object_initializer", NULL),
	{ "object", "text" },
	{ "", "initializer" },
	{ 0 },
};
// clang-format on
