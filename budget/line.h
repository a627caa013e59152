// SPDX-License-Identifier: Apache-2.0
// Lines of a budget, read from left to right: words and numbers, conditions, a limit.
#pragma once

#include "base/err.h"
#include "base/strbuf.h"
#include "budget/budget.h"

#include <stdbool.h>

/** A NUL-terminated line and the current position in it. */
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

/** Whether a comment or the end is at the current position. */
bool line_is_at_end(const struct line *line);

void line_skip_blanks(struct line *line);

/**
 * A number, digits with or without a fraction: false for anything else, and for what is larger than
 * 10^15, beyond which doubles are not exact. Nothing is read then.
 */
bool line_number(struct line *line, double *ret_number);

/** Skip @word if it is at the current position. */
bool line_word(struct line *line, const char *word);

/**
 * Read "{...}" where @line is; nothing where no brace is. *@ret_filter is then NULL, as for empty
 * braces. The conditions are appended to @subject with no blanks between them. *@ret_states has the
 * states of time that count, which only BUDGET_SPENT has conditions on; @ret_mark the mark that
 * BUDGET_UNTIL asks for, if any.
 */
bool conditions_read(struct line *line, enum budget_metric metric, struct strbuf *subject,
		     struct filter **ret_filter, unsigned *ret_states, struct strbuf *ret_mark,
		     struct err *err);

/** Read the limit that @line is; texts go to @arena. Its filter, which may be NULL, is the
 * caller's. */
bool limit_read(struct line *line, struct arena *arena, struct budget_limit *ret_limit,
		struct err *err);
