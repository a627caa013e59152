// SPDX-License-Identifier: Apache-2.0
// Pauses from perf's records of context switches. A thread may leave on one CPU and come back on
// another, each of which has a ring of its own: the two halves are joined when all have been read.
#pragma once

#include "base/vec.h"
#include "bpf/sink.h"

#include <stdbool.h>
#include <stdint.h>

struct switch_half;

/** Zero-initialise; release with switchjoin_deinit(). */
struct switchjoin {
	VEC(struct switch_half) halves;
	uint64_t start_ns; // of the recording, where the process ran already; 0: it did not
	uint64_t dropped;  // halves beyond what is kept
};

/** A thread left the processor (@is_out), preempted or not, or came back. */
void switchjoin_add(struct switchjoin *join, uint64_t time_ns, uint32_t pid, uint32_t tid,
		    bool is_out, bool is_preempted);

/** Whether thread @tid was seen to leave or come back. */
bool switchjoin_has(const struct switchjoin *join, uint32_t tid);

/**
 * Deliver all pauses; @end_ns: when the recording ended, which those end that are off still. When
 * a thread was woken is not known: it waited until it came back.
 */
void switchjoin_finish(struct switchjoin *join, uint64_t end_ns, struct sink *sink);

void switchjoin_deinit(struct switchjoin *join);
