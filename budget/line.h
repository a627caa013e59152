// SPDX-License-Identifier: Apache-2.0
// One line of a budget being read: where it is, what is wrong there.
#pragma once

#include "base/err.h"

#include <stdbool.h>

/** A line, NUL-terminated, and the place in it that was come to. */
struct line {
	const char *path;
	unsigned number; // from 1
	const char *text;
	const char *at;
};

/** The column of @at, a place in the line's text: from 1, in characters. */
unsigned line_column(const struct line *line, const char *at);

/** Fail with "path:line:column: " and the words. Returns false. */
bool line_refuse(const struct line *line, const char *at, struct err *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Is a comment or the end at the place? */
bool line_is_at_end(const struct line *line);

void line_skip_blanks(struct line *line);

/**
 * A number, digits with or without a fraction: false for anything else, and for what is larger than
 * 10^15, beyond which doubles are not exact. Nothing is read then.
 */
bool line_number(struct line *line, double *ret_number);

/** Skip @word if it stands at the place. */
bool line_word(struct line *line, const char *word);
