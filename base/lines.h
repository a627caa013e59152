// SPDX-License-Identifier: Apache-2.0
// Reads text line by line. Anyone may have written it, so a line, and the whole, have a limit, and
// a failure is never taken for the end.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Properties of a text that are known before it is read. */
struct lines_kind {
	const char *name;   // what it should be, "an order file", for messages; NULL: anything
	size_t line_max;    // bytes of a line without its end
	uint64_t size_max;  // bytes of the whole; 0: whatever comes
	bool keeps_damaged; // damaged lines are given out as such; else they are errors
};

/** Lines of the kernel, below /proc: of an overlay with hundreds of layers they are long. */
extern const struct lines_kind lines_of_kernel;

/** A line without its end. */
struct text_line {
	char *text; // followed by a NUL; the caller may change it; valid until the next line
	size_t length;
	const char *end; // "\n", "\r\n"; "", "\r": there is no newline
	uint64_t number; // from 1
	bool is_damaged; // has a NUL, or is longer than allowed: text is its beginning
	bool is_open;	 // the input ended without a newline: it may be cut
};

struct lines {
	const char *name; // for messages; borrowed
	struct lines_kind kind;
	int fd; // -1: memory
	bool owns_fd;
	const char *bytes; // memory that was not read yet; borrowed
	size_t byte_count;
	char *buffer;
	size_t capacity; // a NUL has room behind
	size_t start, end, searched;
	uint64_t size; // bytes read
	uint64_t number;
	bool is_end;	// of the input
	bool is_within; // what is left begins within a line that was too long
	struct err err; // the first
};

/** Begin with what can be read from @fd, which is the caller's. Release with lines_deinit(). */
void lines_init(struct lines *lines, const char *name, int fd, const struct lines_kind *kind);

/** The same with @size bytes of memory, which are borrowed. */
void lines_init_memory(struct lines *lines, const char *name, const char *bytes, size_t size,
		       const struct lines_kind *kind);

/** The same with the file at @path, which is borrowed. On failure lines_deinit() does no harm. */
bool lines_open(struct lines *lines, const char *path, const struct lines_kind *kind,
		struct err *err);

/** Take the next line; false at the end and on failure, which lines_ended() tells apart. */
bool lines_next(struct lines *lines, struct text_line *ret_line);

/**
 * True if lines_next() came to the end of the input.
 *
 * @err: ERR_OS where reading failed, ERR_INPUT where a limit was exceeded; with name and line
 */
bool lines_ended(const struct lines *lines, struct err *err);

/** The beginning of the input, before the first line was taken: up to a line's limit. */
bool lines_peek(struct lines *lines, const char **ret_bytes, size_t *ret_size);

void lines_deinit(struct lines *lines);
