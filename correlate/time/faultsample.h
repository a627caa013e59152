// SPDX-License-Identifier: Apache-2.0
// Which samples of the kernel are of faults whose duration is unknown: perf tells when a fault was
// done, not when it began.
#pragma once

#include "correlate/replay/rows.h"
#include "trace/trace.h"

#include <stdint.h>

/**
 * For each sample of @trace the initiator of the fault that it came upon, plus one; 0: none, or one
 * with a duration. On the heap. What the kernel does where the program is at an instruction that
 * faults, right before or behind, it does for the fault. Faults that a system call takes are not
 * told apart from the rest of the call. O(samples + faults).
 */
uint8_t *faultsamples_find(const struct trace *trace, const struct rows *rows,
			   const struct all_faults *faults);
