// SPDX-License-Identifier: Apache-2.0
// What each initializer cost, and which pages it needed.
#pragma once

#include "correlate/replay/rows.h"

/**
 * Fill the counts of every initializer of @rows, and of those that cannot be told, from @faults and
 * @runs as initiators_decide() leaves them.
 *
 * A page of code counts as seen to run when an ip or a frame of a stack lies on it; others may have
 * run as well, where nothing faulted. A page is one of an object, whatever process or address it
 * is mapped in; memory outside files is each process's own.
 * @page_size: a power of two. O(faults + frames of distinct stacks).
 */
void initcounts_fill(struct rows *rows, const struct all_faults *faults,
		     const struct init_runs *runs, uint64_t page_size);
