// SPDX-License-Identifier: Apache-2.0
// Survivable oddities, collected for the person who reads the answer.
#pragma once

#include "base/vec.h"

#include <stdint.h>

/** One oddity and how often it was seen. */
struct note {
	char *text;
	uint64_t count;
};

/** Zero-initialise to use; notes keep the order in which they were first added. */
struct notes {
	VEC(struct note) list;
};

/** Add a note; the same text again only raises its count. O(notes). */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Append every note of @from with its count. */
void notes_merge(struct notes *notes, const struct notes *from);

/** Release all. */
void notes_deinit(struct notes *notes);
