// SPDX-License-Identifier: Apache-2.0
// The order of a file's code and faults as JSON.
#pragma once

#include "correlate/localitymodel.h"
#include "render/node.h"

/** Figures and both curves; null for NULL. */
struct json_object *localityjson_new(const struct locality *locality);
