// SPDX-License-Identifier: Apache-2.0
// Reads the value of one field of the text form into its event. Serves textread.c.
#pragma once

#include "base/strbuf.h"
#include "trace/textfields.h"

/** A piece of a line; not NUL-terminated. */
struct text_span {
	const char *start;
	size_t length;
};

/**
 * Store @value, with quotes already resolved, in @event.
 * @arena:   owns strings and frames
 * @ret_why: on failure, what was expected instead
 */
bool text_parse_value(const struct text_field *field, struct text_span value, void *event,
		      struct arena *arena, const char **ret_why);

/**
 * Resolve the C escapes of a quoted string. @text starts behind the opening quote.
 * Returns: the bytes up to and with the closing quote, 0 if it is malformed and *@ret_why is set.
 */
size_t text_unquote(struct text_span text, struct strbuf *ret_value, const char **ret_why);
