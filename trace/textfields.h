// SPDX-License-Identifier: Apache-2.0
// The lines of the text form and their fields: one table from which textwrite.c writes and
// textread.c reads, so that the two cannot disagree.
#pragma once

#include "trace/trace.h"

#include <stddef.h>

enum { TEXT_VERSION = 1 };

/** How a field is written. */
enum text_type {
	TEXT_U64,
	TEXT_HEX64,
	TEXT_U32,
	TEXT_HEX32,
	TEXT_I32,
	TEXT_BOOL,   // yes, no
	TEXT_STRING, // quoted; NULL when it is not there
	TEXT_COMM,   // quoted, in place
	TEXT_WORDS,  // quoted, the key repeated: a list of struct trace_meta
	TEXT_CHOICE, // one of two words, by a bit of an uint32_t
	TEXT_ERROR_CODE,
	TEXT_PROTECTION, // rwxp, and is_shared with it
	TEXT_DEVICE,	 // major:minor
	TEXT_BUILD_ID,
	TEXT_FRAMES, // addresses with commas
	TEXT_BYTES,  // hexadecimal: of struct trace_content
	TEXT_READ_FLAGS,
};

/** When a field is written, and so the meaning of a missing one. */
enum text_show {
	TEXT_ALWAYS,
	TEXT_NONZERO,
	TEXT_UNLIKE_PREVIOUS, // missing: the value of the field before it
	TEXT_OVERRIDE,	      // only where the other fields would give another value
};

struct text_field {
	const char *key;
	enum text_type type;
	enum text_show show;
	size_t offset;
	// The presence of the field sets this: the bool at has_offset, or with has_mask, bits of
	// the uint32_t there. 0: nothing (no such member stands first).
	size_t has_offset;
	uint32_t has_mask;
	const char *choices[2]; // TEXT_CHOICE: bit clear, bit set
};

enum text_line_kind {
	TEXT_LINE_META,
	TEXT_LINE_FORK,
	TEXT_LINE_EXEC,
	TEXT_LINE_COMM,
	TEXT_LINE_EXIT,
	TEXT_LINE_MAP,
	TEXT_LINE_REMAP,
	TEXT_LINE_STACK,
	TEXT_LINE_FILE,
	TEXT_LINE_CONTENT,
	TEXT_LINE_FAULT,
	TEXT_LINE_PAUSE,
	TEXT_LINE_READ,
	TEXT_LINE_REQUEST,
	TEXT_LINE_PATH,
	TEXT_LINE_ROOT,
	TEXT_LINE_DEVICE,
	TEXT_LINE_SAMPLE,
	TEXT_LINE_CALL,
	TEXT_LINE_PREFAULT,
	TEXT_LINE_ARGUMENT,
	TEXT_LINE_OPEN,
	TEXT_LINE_MARK,
	TEXT_LINE_FLUSH,
	TEXT_LINE_NOTE,
	TEXT_LINE_SUMMARY,
	TEXT_LINE_INCOMPLETE,
	TEXT_LINE_KINDS,
};

struct text_line {
	const char *word;
	const struct text_field *fields; // up to one whose key is NULL
};

extern const struct text_line text_lines[TEXT_LINE_KINDS];

/** Names of the bits of an error code, or of the flags of a read. */
struct text_bit {
	const char *name;
	uint32_t bit;
};

enum { TEXT_ERROR_BITS = 4 };
extern const struct text_bit text_error_bits[TEXT_ERROR_BITS];

enum { TEXT_READ_BITS = 8 };
extern const struct text_bit text_read_bits[TEXT_READ_BITS];

/** The target of a `summary` line. */
struct text_summary {
	struct trace_summary summary;
	bool complete;
};

/** The list of @meta that @field stands for, of type TEXT_WORDS. */
static inline const char *const *text_words(const struct trace_meta *meta,
					    const struct text_field *field, size_t *ret_count)
{
	bool is_labels = field->offset == offsetof(struct trace_meta, labels);

	*ret_count = is_labels ? meta->label_count : meta->command_count;
	return is_labels ? meta->labels : meta->command;
}

/** Member of an event. */
static inline void *text_member(void *event, size_t offset)
{
	return (char *)event + offset;
}

static inline const void *text_const_member(const void *event, size_t offset)
{
	return (const char *)event + offset;
}
