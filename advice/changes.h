// SPDX-License-Identifier: Apache-2.0
// Findings that accompany the differences of a comparison, as sentences. The public header for
// comparisons.
#pragma once

#include "compare/compare.h"

/**
 * Try every rule on @comparison and fill comparison->findings, the largest difference first.
 * Strings lie in comparison->arena. Call once, after compare_finish().
 *
 * A rule states what was measured on both sides and what the layouts say of it (docs/diff.md), and
 * never speaks of a difference that lies within noise. Time O(rules * objects + rows).
 */
void changes_find(struct comparison *comparison);
