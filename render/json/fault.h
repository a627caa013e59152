// SPDX-License-Identifier: Apache-2.0
// One fault as a JSON object, for `--faults` and ndjson alike. docs/schema/fault.schema.json is its
// description.
#pragma once

#include "render/emit.h"
#include "render/json/stackids.h"

enum { FAULTJSON_DRAIN_BYTES = 1 << 18 };

/**
 * Append fault @index of @model, on one line without its end. @names were made with escape_json()
 * and "null". @ids: where its stack was defined, to be named by its number; NULL: it is written out
 */
void faultjson_add(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		   size_t index, const struct stackids *ids);

/** Append operation @index of @model, which is made by model_io_view(); the same otherwise. */
void faultjson_add_io(struct strbuf *buf, const struct model *model, const struct emit_names *names,
		      size_t index);

/** Append the members of a frame, each after a comma. */
void faultjson_add_frame(struct strbuf *buf, const struct model *model,
			 const struct emit_names *names, const struct model_frame *frame);
