// SPDX-License-Identifier: Apache-2.0
// A text, line by line, however long they are.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A line without its end. Not terminated by a NUL; valid until the next one. */
struct line {
	const char *text;
	size_t length;
	uint64_t number; // from 1
	bool is_damaged; // has a NUL, or is longer than any that means something: text is a part
	bool is_open;	 // the input ended without a newline: it may be cut
};

struct lines {
	int fd;		    // -1: everything is in the buffer
	const char *buffer; // borrowed where fd is -1
	char *own;
	size_t start, end; // what is left in it
	bool is_end;	   // of the input
	bool is_within;	   // what is left begins within a line that was too long
	uint64_t number;
	struct err err; // the first
};

/** Begin; @fd -1: with @bytes, which are borrowed. Release with lines_deinit(). */
void lines_init(struct lines *lines, int fd, const char *bytes, size_t size);

/** The next line; false at the end, and where lines->err is set. */
bool lines_next(struct lines *lines, struct line *ret_line);

/** The beginning of the input, before the first line was taken: up to 64 KiB. */
bool lines_peek(struct lines *lines, const char **ret_bytes, size_t *ret_size);

void lines_deinit(struct lines *lines);
