// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"

/**
 * Faults are timed from entry to end, so on a busy machine they also wait for a processor, which
 * no cure saves.
 *
 * @model: shows all faults
 * Returns: of that time of the faults of @kind the part without it, 0 to 1, by the account of
 * time; 1 where there is none. O(1).
 */
double faulttime_own(const struct model *model, enum model_kind kind);
