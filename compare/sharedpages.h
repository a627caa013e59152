// SPDX-License-Identifier: Apache-2.0
// Faults of a model that share a page: rows count a page once, however often it faulted.
#pragma once

#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A fault on a page that has several. */
struct sharedpages_fault {
	uint32_t page; // a number that the faults of one page have in common
	uint32_t fault;
};

/** Zero-initialise; release with sharedpages_deinit(). */
struct sharedpages {
	bool *is_shared;		  // by fault: are there others on its page?
	struct sharedpages_fault *faults; // those that share theirs: page by page, then in time
	size_t fault_count;
	uint32_t page_count; // of all pages
};

/** A page of a file is the same for all processes; memory of no file is of one process. */
void sharedpages_find(struct sharedpages *pages, const struct model *model);
void sharedpages_deinit(struct sharedpages *pages);
