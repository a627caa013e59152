// SPDX-License-Identifier: Apache-2.0
// Functions that took the time outside faults, as members of the account's node.
#pragma once

#include "model/model.h"
#include "render/json/node.h"

/** Add by_function, by_blame and waits to @account, the node of a model that has an account. */
void hotjson_add(struct json_object *account, const struct model *model);
