// SPDX-License-Identifier: Apache-2.0
// The header of a report page's data: docs/inside/page-format.md, "Header".
#pragma once

#include "render/page/faults.h"

#include <json-c/json.h>
#include <stdbool.h>

/**
 * The header for @model, whose faults are in @page. @no_graphs: there are none. The
 * caller owns it.
 */
struct json_object *pageheader_new(const struct model *model, const struct pagefaults *page,
				   bool no_graphs);
