// SPDX-License-Identifier: Apache-2.0
// Findings of a trace: what to change, and the numbers that show it. The public header for traces.
#pragma once

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

/**
 * Make one finding of those that say the same of several files, and put all in order: what saves
 * most time first, then most faults. Strings lie in model->arena.
 */
void findings_join(struct model *model);
