// SPDX-License-Identifier: Apache-2.0
// The notes of several runs of one command: each text once, with its counts.
#pragma once

#include "base/notes.h"
#include "base/strbuf.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

struct runnote {
	char *text;
	uint64_t least, most; // note.count in those runs that have it
	size_t runs;	      // that have it
};

/** Zero-initialise to use; in the order in which they were first added. */
struct runnotes {
	VEC(struct runnote) list;
	size_t run_count;
};

/** Add the notes of one more run. O(notes of all runs) for each. */
void runnotes_add(struct runnotes *notes, const struct notes *run);

/** The note with that text, NULL: no run has it. */
const struct runnote *runnotes_find(const struct runnotes *notes, const char *text);

/**
 * Append @note of @notes as it is shown. Of one run: as note_print() does. Of several: "TEXT" if
 * each has it once, "TEXT (in 5 of 7 runs)", "TEXT (10 to 14 times in each of 7 runs)", "TEXT (10
 * to 14 times, in 5 of 7 runs)".
 */
void runnote_print(const struct runnotes *notes, const struct runnote *note, struct strbuf *buf);

void runnotes_deinit(struct runnotes *notes);
