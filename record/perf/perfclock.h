// SPDX-License-Identifier: Apache-2.0
// Samples of the processor by perf events: a clock of each thread, inherited, with registers and
// stack. They have a ring of their own, so that no fault is lost for them.
#pragma once

#include "base/notes.h"
#include "bpf/backend.h"
#include "record/perf/execspan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfclock;

/** What the events of faults have as well. */
struct perfclock_config {
	uint32_t stack_bytes; // of each stack; 0: none
	uint64_t ring_bytes;  // at most; less where it is not allowed
	bool with_kernel;     // also of the kernel, on behalf of the program
};

/**
 * Open the clocks of @config's threads, stopped; after the rings of faults, which come first.
 * Returns: NULL on failure.
 */
struct perfclock *perfclock_open(const struct backend_config *config,
				 const struct perfclock_config *own, struct err *err);

/** Let @epoll_fd wake when a ring is partly full. */
bool perfclock_watch(const struct perfclock *clock, int epoll_fd);

void perfclock_start(struct perfclock *clock);

/**
 * Deliver samples, some of each ring; fewer are taken from some time on. @execs: of what
 * happened until now. Returns how many records; *@ret_is_behind is set where there may be more.
 */
size_t perfclock_drain(struct perfclock *clock, const struct execspans *execs, struct sink *sink,
		       bool *ret_is_behind);

/** Take no more samples. What is in the rings stays there. */
void perfclock_stop(struct perfclock *clock);

/** How many samples were lost; after the last drain. */
uint64_t perfclock_lost(const struct perfclock *clock);

/** Say what is to be known of the samples of this recording. */
void perfclock_note(const struct perfclock *clock, struct notes *notes);

/** Accepts NULL. */
void perfclock_close(struct perfclock *clock);
