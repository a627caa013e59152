// SPDX-License-Identifier: Apache-2.0
// A column of numbers as a report page stores them: docs/inside/page-format.md, "Columns".
#pragma once

#include "base/strbuf.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

enum column_encoding { COLUMN_PLAIN, COLUMN_DELTA, COLUMN_ZIGZAG, COLUMN_RECENT };

/** Values are kept as they were given, 32 bits each, and encoded when they are written. */
struct column {
	const char *name;
	unsigned width; // bytes of a stored number: 1, 2 or 4
	enum column_encoding encoding;
	VEC(uint32_t) values;
};

/** The words of the format: "plain" ..., "u8" .... */
const char *column_encoding_name(enum column_encoding encoding);
const char *column_type_name(const struct column *column);

static inline void column_push(struct column *column, uint32_t value)
{
	vec_push(&column->values, value);
}

/** Append the bytes. Numbers wider than the column are a mistake of the caller's; they are cut. */
void column_write(const struct column *column, struct strbuf *out);

void column_deinit(struct column *column);
