// SPDX-License-Identifier: Apache-2.0
// Metrics of the account of time and of what storage delivered: wall, time, read_bytes.
#pragma once

#include "budget/parts.h"

/**
 * Measure @limit, whose metric is an amount, in @model; its rows are added to @parts, as of run
 * number @run. Names are owned by the model, or live in @arena.
 *
 * *@ret_lost is set to the number of records that are missing and may belong to it, *@ret_failure
 * to the reason where the trace cannot tell the value at all.
 */
uint64_t amounts_measure(const struct model *model, const struct budget_limit *limit,
			 struct filter_strangers *strangers, struct parts *parts, uint32_t run,
			 struct arena *arena, uint64_t *ret_lost, const char **ret_failure);
