// SPDX-License-Identifier: Apache-2.0
// The account of time, for the answer: by state and initiator, in single moments, of each
// initializer.
#pragma once

#include "correlate/replay/rows.h"
#include "correlate/time/lives.h"
#include "correlate/time/spots.h"
#include "trace/trace.h"

/**
 * Add pauses to @trace where a hypervisor or interrupts had the processor of a thread: for 0.1 ms
 * or more between two of its pauses by the kernel's own counts. The thread waited for a processor
 * there. Does nothing where it was done, or where pauses were lost. O(n log n) in events if there
 * are any, else O(pauses).
 */
void stolen_find(struct trace *trace);

/**
 * Fill in model.account, which stays NULL where the trace has no pauses. @faults: all of them, with
 * their initiators; their times are since the start of the recording; those whose duration is not
 * all their own learn it. @moments: likewise.
 * @program: the account's subject, by name or process id; where there is none of it, or NULL: by
 * the rule.
 * *@ret_lives: what it is made of; to be released with lives_deinit().
 */
void account_fill(struct rows *rows, const struct trace *trace, struct all_faults *faults,
		  const struct all_moments *moments, const char *program, struct lives *ret_lives);

/**
 * Set cpu_ns and wait_ns of each of @initializers that a sample or a pause fell into: their parts
 * of what their threads computed and waited. Nothing where @lives has none.
 */
void inittimes_fill(struct model_initializer *initializers, const struct all_moments *moments,
		    const struct lives *lives);

/** Fill in model.moments, if there is an account. Arguments are those of spots_fill(). */
void momentrows_fill(struct rows *rows, const struct trace *trace,
		     const struct all_moments *moments, const struct lives *lives,
		     const struct blame *blame, const bool *chosen);
