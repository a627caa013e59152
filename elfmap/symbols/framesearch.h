// SPDX-License-Identifier: Apache-2.0
// Finding few FDEs by the code they describe without decoding all of them.
#pragma once

#include "elfmap/private.h"

/**
 * A search for FDEs: by the sorted search table of .eh_frame_hdr, or in all of elfmap_frames().
 * Both answer alike, as long as the table lists what .eh_frame has.
 */
struct frame_search {
	struct elfmap *map;

	// The search table; entry_count is 0 where all frames are searched instead.
	const uint8_t *entries;
	size_t entry_count;
	uint64_t header_vaddr; // what the entries count from
	struct range eh_frame;

	const struct elfmap_frame *frames;
	size_t frame_count;
};

/** By the search table if it is one to use, else by all frames. */
void frame_search_init(struct frame_search *search, struct elfmap *map);

/** By all frames. */
void frame_search_init_whole(struct frame_search *search, struct elfmap *map);

/**
 * The last frame whose code starts at or before @vaddr, and where the code of the next one starts
 * (UINT64_MAX: there is none). False if no frame starts there or before. O(log n).
 */
bool frame_search_last(struct frame_search *search, uint64_t vaddr, struct elfmap_frame *ret_frame,
		       uint64_t *ret_next);

/**
 * @end, or if it is less: the end of the first frame whose code starts at @vaddr, the start of the
 * next one behind it. How far a symbol at @vaddr without a size may reach.
 */
uint64_t frame_search_limit(struct frame_search *search, uint64_t vaddr, uint64_t end);
