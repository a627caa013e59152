// SPDX-License-Identifier: Apache-2.0
// The answer of `elfault whatif` as text, JSON, NDJSON and CSV.
#pragma once

#include "cure/whatif.h"
#include "render/terminal.h"

#include <stdio.h>

/** All return false if writing to @out failed. */
bool render_whatif_text(const struct model *model, const struct whatif_answer *answer,
			const struct terminal *terminal, FILE *out);
bool render_whatif_json(const struct model *model, const struct whatif_answer *answer, FILE *out);
bool render_whatif_ndjson(const struct whatif_answer *answer, FILE *out);
bool render_whatif_csv(const struct whatif_answer *answer, FILE *out);
