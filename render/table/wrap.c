// SPDX-License-Identifier: Apache-2.0
#include "render/table/wrap.h"

#include <stdbool.h>
#include <string.h>

/** Columns that @length bytes of @text take, as far as a character is one column. */
static size_t columns(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void wrap_print(FILE *out, const struct terminal *terminal, size_t indent, const char *line)
{
	size_t width = terminal->width, column = indent;
	bool is_first = true;

	fprintf(out, "%*s", (int)indent, "");
	while (*line) {
		size_t length = strcspn(line, " "), taken = columns(line, length);

		if (!is_first && width > 0 && column + 1 + taken > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			is_first = true;
		}
		if (!is_first) {
			fputc(' ', out);
			column++;
		}
		fwrite(line, 1, length, out);
		column += taken;
		is_first = false;
		line += length;
		line += strspn(line, " ");
	}
}
