// SPDX-License-Identifier: Apache-2.0
// Bytes that storage delivered, as JSON.
#pragma once

#include "model/storage.h"
#include "render/json/node.h"

/** The document's storage; null where it was not recorded. */
struct json_object *storagejson_new(const struct model_storage *storage);
