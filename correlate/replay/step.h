// SPDX-License-Identifier: Apache-2.0
// In which direction a process goes through a file, fault by fault.
#pragma once

#include "correlate/replay/rows.h"

/** Fill step of every fault. @page_size: a power of two. O(faults). */
void steps_decide(const struct rows *rows, struct all_faults *faults, uint64_t page_size);
