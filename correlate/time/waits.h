// SPDX-License-Identifier: Apache-2.0
// What waits were for, added up.
#pragma once

#include "correlate/time/timeline.h"

/** Fill in @account.waiting; @process_count: of account.processes. O(n log n) in stays. */
void waits_fill(const struct rows *rows, const struct timeline *timeline, size_t process_count,
		struct model_account *account);
