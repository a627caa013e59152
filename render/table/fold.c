// SPDX-License-Identifier: Apache-2.0
#include "render/table/fold.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/table/table.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 16 }; // "  mechanism  ": what follows stays in its column

struct fold {
	FILE *out;
	size_t width;
	struct strbuf line;
};

/** Bytes of the escape sequence that @text begins with, 0: none. */
static size_t escape_length(const char *text)
{
	if (text[0] != '\033' || text[1] != '[')
		return 0;
	size_t length = 2 + strcspn(text + 2, "m");

	return text[length] ? length + 1 : length;
}

/** Columns of the @length bytes at @text, which take none where they are escape sequences. */
static size_t columns_of(const char *text, size_t length)
{
	CLEANUP(strbuf_deinit) struct strbuf plain = { 0 };

	for (size_t i = 0; i < length;) {
		size_t escape = escape_length(text + i);

		if (escape == 0)
			strbuf_add(&plain, text + i, 1);
		i += escape > 0 ? escape : 1;
	}
	return table_columns(strbuf_text(&plain));
}

/**
 * Return the indent of the rest of @line: below the text behind its label, else a little further
 * in.
 */
static size_t indent_of(const char *line)
{
	size_t indent = strspn(line, " ");
	const char *label_end = strstr(line + indent, "  ");

	if (indent > 0 && label_end) {
		size_t value = (size_t)(label_end - line) + strspn(label_end, " ");

		size_t column = columns_of(line, value); // without what only colours

		if (column <= LABEL_MAX && line[value])
			return column;
	}
	return indent + 2;
}

static void write_line(struct fold *fold, const char *line)
{
	size_t indent = indent_of(line), at = strspn(line, " "), column = at;
	bool is_first = true;

	if (columns_of(line, strlen(line)) <= fold->width) {
		fputs(line, fold->out);
		return;
	}
	fprintf(fold->out, "%*s", (int)at, "");
	while (line[at]) {
		size_t spaces = strspn(line + at, " "), word = strcspn(line + at + spaces, " ");
		size_t taken = columns_of(line + at + spaces, word);

		if (!is_first && column + spaces + taken > fold->width && column > indent) {
			fprintf(fold->out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			fprintf(fold->out, "%*s", (int)spaces, "");
			column += spaces;
		}
		fwrite(line + at + spaces, 1, word, fold->out);
		column += taken;
		at += spaces + word;
		is_first = false;
	}
}

static ssize_t fold_write(void *cookie, const char *text, size_t size)
{
	struct fold *fold = cookie;

	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\n') {
			strbuf_add(&fold->line, text + i, 1);
			continue;
		}
		write_line(fold, strbuf_text(&fold->line));
		fputc('\n', fold->out);
		strbuf_clear(&fold->line);
	}
	return ferror(fold->out) ? 0 : (ssize_t)size;
}

static int fold_end(void *cookie)
{
	CLEANUP(freep) struct fold *fold = cookie;

	if (fold->line.length > 0)
		write_line(fold, strbuf_text(&fold->line));
	strbuf_deinit(&fold->line);
	return 0;
}

FILE *fold_open(FILE *out, const struct terminal *terminal)
{
	static const cookie_io_functions_t functions = { .write = fold_write, .close = fold_end };

	if (terminal->width == 0)
		return out;
	struct fold *fold = xcalloc(1, sizeof(*fold));

	*fold = (struct fold){ .out = out, .width = terminal->width };
	FILE *folded = fopencookie(fold, "w", functions);

	if (!folded)
		free(fold);
	return folded ? folded : out;
}

bool fold_close(FILE *folded, FILE *out)
{
	if (folded != out)
		fclose(folded);
	return fflush(out) == 0 && !ferror(out);
}
