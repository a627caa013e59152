// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault smaps`, and of two of them compared, as text, JSON and CSV.
#pragma once

#include "model/smaps.h"
#include "render/terminal.h"

#include <stdio.h>

/** The parts shown in the text; JSON and CSV have everything. */
struct smaps_text_options {
	enum smaps_key key; // first column; the tables are sorted by it already
	size_t top;	    // rows of a table; 0: all
};

/** All return false if writing to @out failed. */
bool render_smaps_text(const struct smaps_model *model, const struct smaps_text_options *options,
		       const struct terminal *terminal, FILE *out);
bool render_smaps_csv(const struct smaps_model *model, FILE *out);

bool render_smaps_diff_text(const struct smaps_comparison *comparison,
			    const struct smaps_text_options *options,
			    const struct terminal *terminal, FILE *out);
bool render_smaps_diff_csv(const struct smaps_comparison *comparison, FILE *out);
