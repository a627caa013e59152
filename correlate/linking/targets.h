// SPDX-License-Identifier: Apache-2.0
// What the relocations of an object are bound to: itself, libstdc++, the C library, another file.
#pragma once

#include "correlate/linking/relocation.h"

/** The names that the language's and the system's libraries of a trace define. */
struct targets;

/** Reads no file before the first question. */
struct targets *targets_create(const struct rows *rows);
void targets_destroy(struct targets *targets);

/** Fill of count->to what is bound to what, when all else is filled. O(slots). */
void targets_fill(struct targets *targets, const struct relocation_count *count);
