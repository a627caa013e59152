// SPDX-License-Identifier: Apache-2.0
// What each initializer cost, and which pages it needed.
#pragma once

#include "correlate/builder.h"

/**
 * Fill the counts of every initializer of @builder, and of those that cannot be told, from all its
 * faults, whose initializer and initiator are decided, and from builder->runs.
 *
 * A page of code counts as seen to run when an ip or a frame of a stack lies on it; others may have
 * run as well, where nothing faulted. A page is one of an object, whatever process or address it
 * is mapped in; memory outside files is each process's own.
 * @page_size: a power of two. O(faults + frames of distinct stacks).
 */
void initcounts_fill(struct builder *builder, uint64_t page_size);
