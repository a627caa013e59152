// SPDX-License-Identifier: Apache-2.0
// A budget's file: its lines.
#include "budget/budget.h"

#include "base/lines.h"
#include "budget/line.h"

#include <string.h>

// What a person writes is far below these; what is beyond is no budget.
enum { LIMITS_MAX = 1000 };
static const struct lines_kind file_lines = {
	.name = "a budget",
	.line_max = 8192,
	.size_max = 1 << 20,
};

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

static bool read_lines(struct budget *budget, struct lines *lines, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; // of UTF-8, which some editors write first
	struct text_line line;

	while (lines_next(lines, &line)) {
		bool is_marked =
			line.number == 1 && strncmp(line.text, mark, sizeof(mark) - 1) == 0;

		// Within the limit of the whole no number is larger.
		if (!read_line(budget, (unsigned)line.number,
			       line.text + (is_marked ? sizeof(mark) - 1 : 0), err))
			return false;
	}
	if (!lines_ended(lines, err))
		return false;
	if (budget->limits.count == 0)
		return err_set(
			err, ERR_INPUT,
			"%s: contains no limits; for example: faults{initiator=relocation} <= 100",
			budget->path);
	return true;
}

static bool parse(const char *path, struct lines *lines, struct budget **ret_budget,
		  struct err *err)
{
	CLEANUP(budget_closep) struct budget *budget = xcalloc(1, sizeof(*budget));

	budget->path = arena_strdup(&budget->arena, path);
	if (!read_lines(budget, lines, err))
		return false;
	*ret_budget = TAKE(budget);
	return true;
}

bool budget_parse(const char *path, const char *text, size_t length, struct budget **ret_budget,
		  struct err *err)
{
	CLEANUP(lines_deinit) struct lines lines;

	lines_init_memory(&lines, path, text, length, &file_lines);
	return parse(path, &lines, ret_budget, err);
}

bool budget_read(const char *path, struct budget **ret_budget, struct err *err)
{
	CLEANUP(lines_deinit) struct lines lines;

	return lines_open(&lines, path, &file_lines, err) && parse(path, &lines, ret_budget, err);
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
