// SPDX-License-Identifier: Apache-2.0
// Links of a program that would save faults, for who builds it.
#pragma once

#include "base/arena.h"
#include "compare/tunedstart.h"

struct model;

/** Predict them of a recorded start: most faults saved first, in @arena. */
const struct tunedstart_link *links_find(const struct model *model, struct arena *arena,
					 size_t *ret_count);
