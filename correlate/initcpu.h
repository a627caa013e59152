// SPDX-License-Identifier: Apache-2.0
// What initializers computed, by samples of the processor.
#pragma once

#include "correlate/rows.h"
#include "trace/trace.h"

/**
 * Set cpu_ns of each initializer that samples outside faults were taken in, scaled as the account
 * is to the processor time that is known. Nothing without an account or samples.
 */
void initcpu_fill(struct rows *rows, const struct trace *trace, const struct all_moments *moments);
