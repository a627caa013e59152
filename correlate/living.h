// SPDX-License-Identifier: Apache-2.0
// Tasks that still ran when the recording ended: no count of the kernel has their faults yet.
#pragma once

#include "trace/trace.h"

/** How many of @trace's faults are of tasks that were not seen to end. O(tasks + faults). */
uint64_t living_faults(const struct trace *trace);
