// SPDX-License-Identifier: Apache-2.0
// A budget's file: its lines.
#include "budget/budget.h"

#include "base/cleanup.h"
#include "budget/file.h"
#include "budget/limit.h"

#include <string.h>

// What a person writes is far below these; what is beyond is no budget.
enum { BYTES_MAX = 1 << 20, LINE_MAX_BYTES = 8192, LIMITS_MAX = 1000 };

static bool read_line(struct budget *budget, unsigned number, const char *text, struct err *err)
{
	struct line line = { .path = budget->path, .number = number, .text = text, .at = text };
	struct budget_limit limit;

	line_skip_blanks(&line);
	if (line_is_at_end(&line))
		return true;
	if (budget->limits.count == LIMITS_MAX)
		return line_refuse(&line, line.at, err, "more than %d limits", LIMITS_MAX);
	if (!limit_read(&line, &budget->arena, &limit, err))
		return false;
	vec_push(&budget->limits, limit);
	budget->needs_baseline |= limit.is_of_baseline;
	return true;
}

static bool read_lines(struct budget *budget, const char *text, size_t length, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; // of UTF-8, which some editors write first
	const char *end = text + length;
	unsigned number = 0;

	if (length >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0)
		text += sizeof(mark) - 1;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t size = (size_t)((newline ? newline : end) - text);
		CLEANUP(strbuf_deinit) struct strbuf line = { 0 };

		number++;
		if (size > LINE_MAX_BYTES || memchr(text, '\0', size))
			return err_set(err, ERR_INPUT, "%s:%u: %s: not a budget?", budget->path,
				       number,
				       size > LINE_MAX_BYTES ? "a line of more than 8 KiB"
							     : "a zero byte");
		strbuf_add(&line, text, size > 0 && text[size - 1] == '\r' ? size - 1 : size);
		if (!read_line(budget, number, strbuf_text(&line), err))
			return false;
		text += size + (newline != NULL);
	}
	if (budget->limits.count == 0)
		return err_set(
			err, ERR_INPUT,
			"%s: contains no limits; for example: faults{initiator=relocation} <= 100",
			budget->path);
	return true;
}

bool budget_parse(const char *path, const char *text, size_t length, struct budget **ret_budget,
		  struct err *err)
{
	CLEANUP(budget_closep) struct budget *budget = xcalloc(1, sizeof(*budget));

	budget->path = arena_strdup(&budget->arena, path);
	if (!read_lines(budget, text, length, err))
		return false;
	*ret_budget = TAKE(budget);
	return true;
}

bool budget_read(const char *path, struct budget **ret_budget, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	return file_read(path, BYTES_MAX, &text, err) &&
	       budget_parse(path, strbuf_text(&text), text.length, ret_budget, err);
}

void budget_close(struct budget *budget)
{
	if (!budget)
		return;
	vec_foreach (limit, &budget->limits)
		filter_destroy(limit->filter);
	vec_deinit(&budget->limits);
	arena_deinit(&budget->arena);
	free(budget);
}
