// SPDX-License-Identifier: Apache-2.0
// An object's data pages as a node of the JSON document.
#pragma once

#include "model/data.h"
#include "render/json/node.h"

/** Ownership passes; null for NULL. */
struct json_object *datajson_new(const struct model_data *data);
