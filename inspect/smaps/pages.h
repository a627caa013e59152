// SPDX-License-Identifier: Apache-2.0
// The page table of a process: the page of a mapping that is in memory, whether another process
// maps it, and whether it is the process's own copy.
#pragma once

#include "inspect/smaps/text.h"

#include <sys/types.h>

enum smaps_page_bit {
	SMAPS_PAGE_PRESENT = 1 << 0,
	SMAPS_PAGE_SWAPPED = 1 << 1,
	SMAPS_PAGE_EXCLUSIVE = 1 << 2, // mapped once
	SMAPS_PAGE_FILE = 1 << 3,      // of a file or shared memory; otherwise anonymous
	SMAPS_PAGE_DIRTY = 1 << 4,     // by the page's own flags; the page table's are not shown
};

/** A page of a mapping. */
struct smaps_page {
	uint8_t bits;
	uint32_t mapped; // how often; 0: unknown
};

/** Open files of a page table. -1: not open. */
struct smaps_pagefiles {
	int pagemap;	 // of the process; the bits above, but for DIRTY
	int page_counts; // root's: how often
	int page_flags;	 // root's: DIRTY
};

/** Open what this process may; without pagemap nothing is known. */
struct smaps_pagefiles smaps_pagefiles_open(pid_t pid);
void smaps_pagefiles_close(struct smaps_pagefiles *files);

/**
 * Read the pages of the mappings of @text that may hold several sections: those of files, and
 * memory behind them. To be called as soon as the text was read, since the process may go on.
 * Returns whether any could be read.
 */
bool smaps_pages_read(const struct smaps_pagefiles *files, struct smaps_text *text,
		      uint64_t page_size);
