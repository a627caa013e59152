// SPDX-License-Identifier: Apache-2.0
// States of each page of a file: the layout strip.
#pragma once

#include "model/model.h"

#include <stddef.h>
#include <stdint.h>

enum page_state {
	PAGE_COLD,    // not seen to be mapped
	PAGE_AROUND,  // mapped by the fault of a neighbour, not faulted itself
	PAGE_FAULTED, // faulted, not written
	PAGE_WRITTEN, // by a fault that wrote: the process has its own copy
	PAGE_STATES,
};

/** "cold", "mapped around", "faulted", "written". */
const char *page_state_name(enum page_state state);

/** Pages of one state, as page numbers; those between runs are cold. */
struct page_run {
	uint64_t first, end;
	enum page_state state;
};

struct pages {
	struct page_run *runs; // sorted, disjoint
	size_t count;
	uint64_t page_size;
	uint64_t size; // bytes of the file, rounded up to pages
	uint64_t totals[PAGE_STATES];
};

/**
 * How far the file @object of @model reaches in bytes: also where its size is not known, up to its
 * last fault.
 */
uint64_t pages_file_end(const struct model *model, uint32_t object);

/**
 * Find the states of the pages of @object of @model, a file, in all processes; release with
 * pages_deinit(). O(n log n) in its faults.
 */
void pages_init(struct pages *pages, const struct model *model, uint32_t object);
void pages_deinit(struct pages *pages);

/** Add up which parts of the @length bytes from @start on are in which state; sums to 1. */
void pages_shares(const struct pages *pages, double start, double length,
		  double ret_shares[PAGE_STATES]);

/** The state to show where there is room for one: the hottest of those that have a tenth of it, or
 * of what is not cold. */
enum page_state pages_state(const double shares[PAGE_STATES]);
