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

/** "at-most", "at-least": what is saved; NULL: it is no bound. */
const char *render_whatif_bound(enum model_bound bound);

/** "link", "system", "cold-start". */
const char *render_whatif_group(enum whatif_group group);
