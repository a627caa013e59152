// SPDX-License-Identifier: Apache-2.0
// The order of a file's code and faults as JSON.
#pragma once

#include "derive/locality.h"
#include "render/json/node.h"

/** Figures and both curves; null for NULL. */
struct json_object *localityjson_new(const struct locality *locality);
