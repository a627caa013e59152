// SPDX-License-Identifier: Apache-2.0
// The history of each page of one process, by its faults: only it tells the copy of a page that a
// fork shared from the first write to a page that was merely mapped.
#pragma once

#include "base/u64map.h"

#include <stdbool.h>
#include <stdint.h>

/** State of a page before a fault on it. */
enum page_history {
	HISTORY_UNSEEN,	 // no fault was recorded: mapped around another fault, or by the kernel
	HISTORY_READ,	 // mapped for reading
	HISTORY_WRITTEN, // private copy, made since the last fork
	HISTORY_WRITTEN_SHARED, // private copy that a fork has shared since
};

/** History of one process image. Links to its parent's, which must outlive it. */
struct pagehistory {
	struct u64map pages; // page number -> first and last write, see pagehistory.c
	const struct pagehistory *parent;
	uint32_t parent_forks; // how often the parent had forked when this image came to be
	uint32_t forks;
};

struct pagehistory *pagehistory_create(void);

/** The child's history when @parent forks; counts the fork. */
struct pagehistory *pagehistory_fork(struct pagehistory *parent);

/** True if the process shares pages with a parent or child. */
bool pagehistory_has_forked(const struct pagehistory *history);

/** State of page @page (addr / page size). O(generations of processes). */
enum page_history pagehistory_state(const struct pagehistory *history, uint64_t page);

/** A fault mapped @page; @is_fresh: nothing was mapped there before (the present bit was clear). */
void pagehistory_note(struct pagehistory *history, uint64_t page, bool is_write, bool is_fresh);

void pagehistory_destroy(struct pagehistory *history);
