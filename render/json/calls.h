// SPDX-License-Identifier: Apache-2.0
// System calls as JSON.
#pragma once

#include "model/calls.h"
#include "render/json/node.h"

/** The key "calls" of an account; NULL where calls were not recorded. */
struct json_object *callsjson_new(const struct model *model);
