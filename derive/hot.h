// SPDX-License-Identifier: Apache-2.0
// Functions that took the time outside faults: the spots of the account, added up.
#pragma once

#include "base/vec.h"
#include "model/account.h"

#include <stdbool.h>
#include <stdint.h>

/** The sums to make. */
struct hot_question {
	enum {
		HOT_BY_FUNCTION, // that ran, or called into the kernel
		HOT_BY_BLAME,
		HOT_BY_BOTH,
	} by;
	bool waits;	   // in wait and file-io; false: in cpu
	bool subject_only; // of the first thread of the account's subject
	bool shown_only;   // what the answer is narrowed to
};

/** Of fewer samples nobody knows whether there is a part worth a row. */
enum { HOT_LEAST_SAMPLES = 5 };

struct hot_row {
	uint32_t function; // into model.functions; MODEL_NONE: unknown
	uint32_t blame;	   // likewise: nobody. Of what is not asked for: that of most of its time
	enum model_initiator initiator; // of most of its time
	const char *source;  // line of most of its time, in what is asked for; NULL: unknown
	uint64_t ns;	     // all of it
	uint64_t main_ns;    // of these, by the command's first thread
	uint64_t subject_ns; // likewise, by the subject's
	uint64_t kernel_ns;  // of cpu: in the kernel
	uint64_t storage_ns; // of waits: for storage
	uint64_t shown_ns;   // of these: what the answer is narrowed to
	uint64_t moments;    // samples or pauses
	uint64_t error_ns;   // of cpu: the true time is nearer than this in 19 of 20 cases
	uint64_t by_initiator[MODEL_INITIATORS];
	uint64_t source_ns, other_ns; // of these that line, and what was not asked for
	double squares;
};

struct hot {
	VEC(struct hot_row) list; // most time first, then by name
	uint64_t ns;		  // all of it together
	uint64_t moments;
	uint64_t whole_ns; // with what shown_only leaves out
	uint64_t whole_moments;
};

/**
 * Code without a function has a row for each initiator, so that exec's is one of its own, and what
 * no sample was taken of another. Nothing without an account. O(n log n). Release with
 * hot_deinit().
 */
void hot_init(struct hot *hot, const struct model *model, const struct hot_question *question);
void hot_deinit(struct hot *hot);
