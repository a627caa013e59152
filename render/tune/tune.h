// SPDX-License-Identifier: Apache-2.0
// Tuned starts for people and programs.
#pragma once

#include "compare/tunedstart.h"
#include "render/terminal.h"

#include <stdio.h>

/** One screen of each: what was tried, predicted, measured, kept; how to start it, how to undo. */
bool render_tune_text(const struct tunedstarts *starts, const struct terminal *terminal, FILE *out);

/** One line of each: what it is, where, what it gained, whether it starts plainly by now. */
bool render_tune_list(const struct tunedstarts *starts, const struct terminal *terminal, FILE *out);

/** One document, docs/schema/tune.schema.json. */
bool render_tune_json(const struct tunedstarts *starts, FILE *out);
