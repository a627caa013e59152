// SPDX-License-Identifier: Apache-2.0
// Code of which only the function's first byte is known: how far it has moved sp.
#pragma once

#include "unwind/image.h"

struct spdepth {
	uint64_t bytes; // from sp to the return address
	bool has_frame; // it is known where the caller's frame pointer is:
	bool is_saved;	// on the stack, @frame_at bytes above sp; else still in its register
	uint64_t frame_at;
};

/**
 * How many bytes sp is below the return address where the function that begins at @start comes to
 * @vaddr: an instruction's, or behind a call.
 *
 * Every instruction between them is read in order; pushes, pops and constants that are added count,
 * and jumps carry the depth to where they lead. Returns: false if anything else moves sp, or if no
 * way leads to @vaddr but one that comes from behind it. Nothing is allocated; 16 KiB at most.
 */
bool spdepth_find(const struct image *image, uint64_t start, uint64_t vaddr,
		  struct spdepth *ret_depth);
