// SPDX-License-Identifier: Apache-2.0
// Single samples and pauses as rows of the model, for outputs that show time as it passes.
#pragma once

#include "correlate/time/lives.h"
#include "correlate/replay/rows.h"
#include "correlate/time/spots.h"
#include "trace/trace.h"

/** Fill in model.moments, if there is an account. Arguments are those of spots_fill(). */
void momentrows_fill(struct rows *rows, const struct trace *trace,
		     const struct all_moments *moments, const struct lives *lives,
		     const struct spots_shown *shown);
