// SPDX-License-Identifier: Apache-2.0
// The last stack of each task as its memory had it. The kernel side leaves out outer frames that
// are as they were, and they are added again here.
#pragma once

#include "base/u64map.h"
#include "base/vec.h"
#include "unwind/secretblocks.h"

#include <stddef.h>
#include <stdint.h>

/** Ends where its block ends. */
struct stackimage {
	struct secretblock block;
	uint64_t time_ns; // of the stack
	uint64_t end;	  // address
	uint32_t size;	  // known of it
};

/** A task that has ended, and when. */
struct stackimage_ended {
	uint64_t time_ns;
	uint32_t tid;
};

/** Zero-initialise. */
struct stackimages {
	VEC(struct stackimage) list;
	struct u64map of_tasks; // number in the list, plus one; 0: it has ended
	VEC(struct stackimage_ended) ended;
	VEC(uint32_t) unused; // places in the list
};

/**
 * Return the stack that @tid had at @time_ns, and that ends at @end: @size bytes from @bytes, and
 * @equal_size bytes further out as in the one before. Valid until the next call for @tid. NULL:
 * those are not known, or there is no memory.
 */
const uint8_t *stackimages_put(struct stackimages *images, uint32_t tid, uint64_t time_ns,
			       uint64_t end, const uint8_t *bytes, uint32_t size,
			       uint32_t equal_size);

/**
 * The task @tid has ended at @time_ns; what the ring has of it still follows. Another may have its
 * number from then on: a thread that executes a program has that of the leader.
 */
void stackimages_end(struct stackimages *images, uint32_t tid, uint64_t time_ns);

/** Nothing of tasks that have ended is in the ring any more: forget their stacks. */
void stackimages_forget_ended(struct stackimages *images);

void stackimages_deinit(struct stackimages *images);
