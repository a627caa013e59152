// SPDX-License-Identifier: Apache-2.0
// The graphs of a report page's data, laid out: docs/inside/page-format.md, "Graphs".
#pragma once

#include "model/model.h"

#include <json-c/json.h>
#include <stdbool.h>

/** Both graphs of @model; where one cannot be laid out, why. The caller owns it. */
struct json_object *graphjson_new(const struct model *model);
