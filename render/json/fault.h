// SPDX-License-Identifier: Apache-2.0
// One fault as a JSON object, for `--faults` and ndjson alike. docs/schema/fault.schema.json is its
// description.
#pragma once

#include "render/emit.h"

enum { FAULTJSON_DRAIN_BYTES = 1 << 18 };

/**
 * Append fault @index of @model, on one line without its end. @names were made with escape_json()
 * and "null".
 */
void faultjson_add(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   size_t index);
