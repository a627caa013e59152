// SPDX-License-Identifier: Apache-2.0
// Weights of faults if there is room for one figure.
#pragma once

#include "model/model.h"

#include <stdbool.h>

/**
 * By their time: at least half of it is waiting for storage, so that their number says little.
 * O(faults).
 */
bool weigh_by_time(const struct model *model);
