// SPDX-License-Identifier: Apache-2.0
// Survivable oddities, collected to be shown with the answer.
#pragma once

#include "base/strbuf.h"
#include "base/vec.h"

#include <stdint.h>

/** One oddity and how often it was seen. */
struct note {
	char *text;
	uint64_t count;
};

/** The beginning of a note that changes how the whole answer is read: it stands above it. */
#define NOTES_NOT_COLD "NOT COLD: "

/** Zero-initialise to use; notes keep the order in which they were first added. */
struct notes {
	VEC(struct note) list;
};

/** Add a note; the same text again only raises its count. O(notes). */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Add a note that was seen @count times, nothing for 0. Of what is counted the text says one and
 * not the number, so that notes of several runs can be told to be the same.
 */
void notes_add_counted(struct notes *notes, uint64_t count, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Add a note of any length, which is not a format. */
void notes_add_text(struct notes *notes, const char *text, uint64_t count);

/** Append every note of @from with its count. */
void notes_merge(struct notes *notes, const struct notes *from);

/** Append a note for display: "TEXT", plus " (4,007 times)" if it was added more than once. */
void note_print(const struct note *note, struct strbuf *buf);

/** Release all. */
void notes_deinit(struct notes *notes);
