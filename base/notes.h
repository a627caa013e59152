// SPDX-License-Identifier: Apache-2.0
// Survivable oddities, collected to be shown with the answer.
#pragma once

#include "base/arena.h"
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
/** The beginning of notes on call stacks that could not be unwound. */
#define NOTES_NO_CALLERS "a distinct call stack has no callers"

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

/** Effects of a note on the answer, the largest first. */
enum note_effect {
	NOTE_ALERT,  // all of it is read in another way
	NOTE_ANSWER, // a part of it
	NOTE_REMARK, // how it was found
	NOTE_DETAIL, // hardly any
};

/** Notes that say the same of several files, or several times. */
struct note_kind {
	const char *text; // one line, with their sum
	size_t first;	  // of them, in the list
	size_t notes;
	enum note_effect effect;
};

/**
 * Return a line for each kind of note in @notes, those that change most first: *@ret_count in
 * @arena. Notes are of one kind if they say the same behind the path or the figures that they
 * begin with, up to a colon or a figure. O(notes^2).
 */
const struct note_kind *notes_kinds(const struct notes *notes, struct arena *arena,
				    size_t *ret_count);

/** Put notes that change more first. */
void notes_sort(struct notes *notes);

/** Release all. */
void notes_deinit(struct notes *notes);
