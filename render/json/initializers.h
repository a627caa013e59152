// SPDX-License-Identifier: Apache-2.0
// One initializer as a JSON object; docs/schema/analysis.schema.json describes it.
#pragma once

#include "model/model.h"
#include "render/json/node.h"

/** @object: path of its object for a list of several objects' initializers; NULL: left out. */
struct json_object *initjson_new(const struct model *model,
				 const struct model_initializer *initializer, const char *object);
