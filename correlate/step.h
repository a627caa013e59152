// SPDX-License-Identifier: Apache-2.0
// In which direction a process goes through a file, fault by fault.
#pragma once

#include "correlate/builder.h"

/** Fill step of every fault kept in @builder. @page_size: a power of two. O(faults). */
void steps_decide(struct builder *builder, uint64_t page_size);
