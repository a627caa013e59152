// SPDX-License-Identifier: Apache-2.0
// What initializers computed and waited for outside their faults.
#pragma once

#include "correlate/time/lives.h"

/**
 * Set cpu_ns and wait_ns of each initializer that a sample or a pause fell into: their parts of
 * what their threads computed and waited. Nothing where @lives has none.
 */
void inittimes_fill(struct rows *rows, const struct all_moments *moments,
		    const struct lives *lives);
