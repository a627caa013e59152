// SPDX-License-Identifier: Apache-2.0
// A child that does what is recorded, again and again, and measures itself: what recording costs is
// measured by it.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** One kind of event that the child makes many of. */
enum costchild_part {
	COSTCHILD_FAULTS,
	COSTCHILD_CALLS,
	COSTCHILD_MAPPINGS, // each by two calls
	COSTCHILD_PAUSES,   // each by two calls
	COSTCHILD_LOOP,	    // nothing but computing: what interrupts it are gaps
	COSTCHILD_PARTS,
};

/** A part as the child did it once. */
struct costchild_run {
	uint64_t count;		   // of events; of COSTCHILD_LOOP: of gaps
	uint64_t event_ns;	   // the middle one's; of COSTCHILD_PAUSES without its wait
	uint64_t start_ns, end_ns; // CLOCK_MONOTONIC
};

/** A stretch of COSTCHILD_LOOP in which something interrupted it. CLOCK_MONOTONIC */
struct costchild_gap {
	uint64_t start_ns, end_ns;
	uint64_t excess_ns; // by how much it is longer than the middle stretch of the loop
};

enum { COSTCHILD_GAPS = 128 }; // of one loop: what comes later is left out

struct costchild {
	pid_t pid;		    // 0: none
	int go, done;		    // pipes
	struct costchild_run *runs; // of all parts, in memory that is shared
	struct costchild_gap *gaps; // of the last loop, there too
};

/** Start the child, which waits. Release with costchild_end(). */
bool costchild_start(struct costchild *child, struct err *err);

/** Let it do each part from @first on and before @end once; then child->runs has what they took. */
bool costchild_run(struct costchild *child, enum costchild_part first, enum costchild_part end,
		   struct err *err);
void costchild_end(struct costchild *child);
