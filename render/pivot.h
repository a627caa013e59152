// SPDX-License-Identifier: Apache-2.0
// Faults counted by their words, as bytes. Each function returns false with errno set if @out
// failed.
#pragma once

#include "model/pivotmodel.h"
#include "render/render.h"

/**
 * A table for a person: the rows with most faults; for two words, where it fits the width, also a
 * table of the first word's values against the second's.
 */
bool render_pivot_text(const struct model *model, const struct pivot *pivot,
		       const struct render_text_options *options, FILE *out);

/** One document, docs/schema/pivot.schema.json. */
bool render_pivot_json(const struct model *model, const struct pivot *pivot, FILE *out);

/** The rows of that document, one a line. */
bool render_pivot_ndjson(const struct pivot *pivot, FILE *out);

/**
 * A heading with the words, then one line a row; nothing stands for null.
 * @terminal: names show control characters as escapes where @out is a terminal.
 */
bool render_pivot_csv(const struct pivot *pivot, FILE *out);
