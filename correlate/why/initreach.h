// SPDX-License-Identifier: Apache-2.0
// Which functions the code of initializers jumps to and calls. An initializer that ends by a jump
// is not on the stack while the function that it jumps to runs: only its code tells whose that is.
#pragma once

#include "correlate/replay/rows.h"

#include <stdbool.h>
#include <stdint.h>

struct initreach;

/** How code gets from an initializer to a function. */
enum initreach_way {
	INITREACH_BRANCH_WITHIN, // a jump or call to where its own file has the function
	INITREACH_JUMP_WITHIN,	 // a jump to there, or a few, each from where the last one led to
	INITREACH_JUMP, // the same, the last by a symbol that is bound to any file's function
	INITREACH_WAYS,
};

/** Initializers that may have led to a function. */
struct initreach_found {
	VEC(uint32_t) list; // into rows->initializers, in the order they run
	bool is_seen;	    // the code of at least one shows it
};
void initreach_found_deinit(struct initreach_found *found);

/** @rows is borrowed and has its initializers. The code is read when it is first asked for. */
struct initreach *initreach_create(const struct rows *rows);
void initreach_destroy(struct initreach *reach);

/**
 * Whether the code of an initializer leads to the function at @vaddr of @object this way.
 *
 * What symbols bind to is decided when the process runs: a function that did run is one that a jump
 * through a symbol led to if its file defines a symbol of that name there. How elfmap_branch_next()
 * follows code, and what of it, stands there; of each function the first 64 KiB are read.
 */
bool initreach_leads(struct initreach *reach, uint32_t object, uint64_t vaddr,
		     enum initreach_way way);

/**
 * All that do, and for jumps those of @object besides that may jump anywhere, as far as their code
 * shows. @found is filled anew; zero-initialise it before the first use.
 */
void initreach_find(struct initreach *reach, uint32_t object, uint64_t vaddr,
		    enum initreach_way way, struct initreach_found *found);
