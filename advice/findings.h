// SPDX-License-Identifier: Apache-2.0
// What the numbers of an answer show, and what to change. The public header for traces.
#pragma once

#include "model/model.h"

/**
 * Try every rule on @model and fill model->findings: those that the numbers carry, what costs most
 * first. Strings lie in model->arena. Call once, after correlate().
 *
 * A rule speaks from a share of the faults on (docs/findings.md), so that a small program gets no
 * lecture. Time O(faults + frames of distinct stacks).
 */
void findings_find(struct model *model);
