// SPDX-License-Identifier: Apache-2.0
// Faults that wait for their stacks. Faults and stacks come in separate rings, so that a stack
// is lost before its fault is; here each fault gets its stack again, or goes on without one.
#pragma once

#include "base/vec.h"
#include "bpf/sink.h"

#include <stdbool.h>
#include <stdint.h>

/** What a fault and its stack have in common. */
struct stackjoin_key {
	uint64_t order;	   // never falls along the ring of a CPU
	uint64_t identity; // the same of a fault and its stack
};

struct stackjoin_waiting;

/** Waiting faults of one CPU, oldest first. Zero-initialise, set slack; release with _deinit. */
struct stackjoin {
	VEC(struct stackjoin_waiting) waiting;
	size_t first;	  // those before it have been delivered
	uint64_t slack;	  // by how much the orders of a fault and its stack may differ
	uint64_t without; // faults that were delivered without the stack they waited for
};

/** Let @fault wait. O(1). */
void stackjoin_add(struct stackjoin *join, struct stackjoin_key key,
		   const struct trace_fault *fault);

/**
 * The fault with @key, which has waited longest of those with it; NULL if none is waiting. All that
 * came before it are delivered to @sink without a stack: theirs would have come before this one.
 * The fault itself is taken out and valid until the next call. O(1) but for what is delivered, and
 * for as many waiting faults as are not later than @key.
 */
const struct trace_fault *stackjoin_take(struct stackjoin *join, struct stackjoin_key key,
					 struct sink *sink);

/** Deliver, without stacks, faults that have waited since before @order. */
void stackjoin_settle(struct stackjoin *join, uint64_t order, struct sink *sink);

void stackjoin_deinit(struct stackjoin *join);
