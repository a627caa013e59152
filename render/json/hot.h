// SPDX-License-Identifier: Apache-2.0
// Functions that took the time outside faults, as members of the account's node.
#pragma once

#include "model/model.h"
#include "render/json/node.h"

/** Functions that computed, or with @by_blame those to blame. */
struct json_object *hotjson_computed(const struct model *model, bool by_blame);

/** Functions that waited. */
struct json_object *hotjson_waits(const struct model *model);
