// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault map`, and of two files compared, as text, JSON and CSV.
#pragma once

#include "model/map.h"
#include "model/mapdiff.h"
#include "render/terminal.h"

#include <stdio.h>

/** The parts shown in the text; the JSON always has everything that @model has. */
struct map_text_options {
	size_t initializer_limit; // SIZE_MAX: all
	size_t symbol_limit;	  // of a comparison, compile units and owners; SIZE_MAX: all
};

/** Print @model for people. False if writing to @out failed. */
bool render_map_text(const struct map_model *model, const struct map_text_options *options,
		     const struct terminal *terminal, FILE *out);

/** Print the owners of relocations of @model, which has them, one per row. */
bool render_owners_csv(const struct map_model *model, FILE *out);

/** The same of two files. CSV has a row for each that differs, of all tables. */
bool render_mapdiff_text(const struct mapdiff *diff, const struct map_text_options *options,
			 const struct terminal *terminal, FILE *out);
bool render_mapdiff_csv(const struct mapdiff *diff, FILE *out);
