// SPDX-License-Identifier: Apache-2.0
// Findings of a trace and of a comparison: what to change, and the numbers that show it. The public
// header.
#pragma once

#include "compare/compare.h"
#include "model/model.h"

/**
 * Try every rule on @model and fill model->findings: those that the numbers carry, what saves most
 * first. Strings lie in model->arena. Call once, after correlate().
 *
 * A rule speaks from a share of the faults on (docs/findings.md), so that a small program gets no
 * lecture. Time O(faults + frames of distinct stacks).
 */
void findings_find(struct model *model);

/** The same, but what concerns several files is a finding of each: findings_join() puts it
 * together. */
void findings_find_apart(struct model *model);

/** Keep the findings of the files that @model shows, now that faults of others are left out. */
void findings_narrow(struct model *model);

/**
 * Make one finding of those that say the same of several files, and put all in order: what saves
 * most time first, then most faults. Strings lie in model->arena.
 */
void findings_join(struct model *model);

/**
 * Set beside_ns of @findings, in their order: what is left of each if those before it are followed
 * as well. They add up to no more than the time of their causes.
 */
void findings_share(const struct model *model, struct model_finding *findings, size_t count);

/**
 * Try every rule on @comparison and fill comparison->findings, the largest difference first.
 * Strings lie in comparison->arena. Call once, after compare_finish().
 *
 * A rule states what was measured on both sides and what the layouts say of it (docs/diff.md), and
 * never speaks of a difference that lies within noise. Time O(rules * objects + rows).
 */
void changes_find(struct comparison *comparison);
