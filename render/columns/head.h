// SPDX-License-Identifier: Apache-2.0
// The facts about a whole recording as JSON: its trace, its counts, its notes.
#pragma once

#include "model/model.h"

#include <json-c/json.h>

/** "trace" and "notes" of docs/schema/analysis.schema.json. The caller owns them. */
struct json_object *headjson_trace(const struct model *model);
struct json_object *headjson_notes(const struct notes *notes);
