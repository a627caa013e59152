// SPDX-License-Identifier: Apache-2.0
// Orders of several starts: merged by how much each start counts, or kept apart as a profile of
// LLVM.
#pragma once

#include "cure/order.h"

/** The order of one start, and how often that start happens, in any unit. */
struct order_start {
	struct order order;
	uint32_t weight;
};

/** Put the names of all @starts into @ret_all, as they come. */
void order_add_starts(const struct order_start *starts, size_t count, struct order *ret_all);

/**
 * Put the names of all @starts into @ret_merged: of the greatest sum of weights first, since what
 * most starts enter belongs on the same pages; else as they come.
 */
void order_merge(const struct order_start *starts, size_t count, struct order *ret_merged);

/**
 * Write @starts as a temporal profile, in the text form of `llvm-profdata merge`: a trace for each
 * with its weight. `ld.lld --irpgo-profile=FILE --bp-startup-sort=function` (lld 20) finds an order
 * by it for all of them, `llvm-profdata order` likewise.
 */
bool order_write_profile(const struct order_start *starts, size_t count, FILE *file);
