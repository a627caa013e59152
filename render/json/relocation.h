// SPDX-License-Identifier: Apache-2.0
// An object's relocation as a node of the JSON document.
#pragma once

#include "model/relocation.h"
#include "render/json/node.h"

/** Ownership passes; null for NULL. */
struct json_object *relocationjson_new(const struct model_relocation *relocation);
