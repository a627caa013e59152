// SPDX-License-Identifier: Apache-2.0
// The findings of an answer as nodes of a JSON document.
#pragma once

#include "model/model.h"
#include "render/json/node.h"

/** An array, in the model's order. */
struct json_object *findingjson_new(const struct model *model);
