// SPDX-License-Identifier: Apache-2.0
// The chain of threads that the end of the command waited for.
#pragma once

#include "correlate/time/timeline.h"

/**
 * Fill in @account.critical, whose wall_ns is known; it stays NULL without the command's first
 * thread. O(n log n) in stays and faults.
 */
void critical_fill(const struct rows *rows, const struct timeline *timeline,
		   struct model_account *account);
