// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault map`, as text and as JSON.
#pragma once

#include "model/map.h"
#include "render/terminal.h"

#include <stdio.h>

/** The parts shown in the text; the JSON always has everything that @model has. */
struct map_text_options {
	size_t initializer_limit; // SIZE_MAX: all
};

/** Print @model for people. False if writing to @out failed. */
bool render_map_text(const struct map_model *model, const struct map_text_options *options,
		     const struct terminal *terminal, FILE *out);

/** Print @model as one document `elfault.map/1`. False if writing to @out failed. */
bool render_map_json(const struct map_model *model, FILE *out);
