// SPDX-License-Identifier: Apache-2.0
// Waits of threads, and the critical path, as JSON.
#pragma once

#include "model/waits.h"
#include "render/json/node.h"

/** { state: ns }, all states. */
struct json_object *timesjson_new(const struct model_times *times);

/** { kind: { count, wait, file-io } }, without kinds that nothing waited for. */
struct json_object *waitsjson_kinds(const struct model_waits *waits);

/** null where nothing is known. */
struct json_object *waitsjson_new(const struct model *model);
struct json_object *waitsjson_critical(const struct model *model);
