// SPDX-License-Identifier: Apache-2.0
// The account of time as a node of the JSON document.
#pragma once

#include "model/model.h"
#include "render/json/node.h"

/** Ownership passes; null where no time was recorded. */
struct json_object *accountjson_new(const struct model *model);
