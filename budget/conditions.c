// SPDX-License-Identifier: Apache-2.0
#include "budget/conditions.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <string.h>

CLEANUP_POINTER(filter_destroy, struct filter)

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

/** Files are counted without faults: few words choose among them. */
static bool check_word(struct line *line, const char *at, enum budget_metric metric,
		       const struct field *field, struct err *err)
{
	static const char *const by_section[] = { "object", "section", NULL };
	static const char *const by_function[] = { "object", "initializer", NULL };
	bool is_by_function = metric == BUDGET_INITIALIZERS;

	if (!budget_metric_is_of_files(metric) ||
	    is_one_of(field->name, is_by_function ? by_function : by_section))
		return true;
	return line_refuse(line, at, err, "%s has no field '%s': it is counted in files, by %s",
			   budget_metric_name(metric), field->name,
			   is_by_function ? "object and initializer" : "object and section");
}

/** Where the condition at @at ends: at a comma, a closing brace or the end of the line. */
static const char *end_of(const char *at)
{
	bool is_quoted = false;

	for (; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && (*at == ',' || *at == '}'))
			break;
	}
	return at;
}

/** The condition from @at to @end with no blanks at its ends, its sign and its bars. */
static void condense(struct strbuf *text, const char *at, const char *end)
{
	bool is_quoted = false, is_value = false, is_start = true;
	size_t kept = 0; // blanks behind this are between separators

	for (; at < end; at++) {
		bool is_separator =
			!is_quoted && (is_value ? *at == '|' : strchr("=!", *at) != NULL);

		if (!is_quoted && isblank((unsigned char)*at)) {
			if (!is_start)
				strbuf_putc(text, *at);
			continue;
		}
		if (is_separator) {
			is_value |= *at == '=';
			while (text->length > kept)
				text->text[--text->length] = '\0';
		}
		if (*at == '"')
			is_quoted = !is_quoted;
		strbuf_putc(text, *at);
		if (*at == '\\' && at + 1 < end)
			strbuf_putc(text, *++at);
		is_start = is_separator;
		kept = text->length;
	}
	while (text->length > kept)
		text->text[--text->length] = '\0';
}

static bool read_condition(struct line *line, enum budget_metric metric, struct filter *filter,
			   size_t index, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	const char *at = line->at;

	line->at = end_of(at);
	if (!*line->at)
		return line_refuse(
			line, at, err,
			"missing } after '%.60s'; quote a value that contains a brace or "
			"comma",
			at);
	condense(&text, at, line->at);
	if (!filter_add(filter, strbuf_text(&text), err))
		return err_prefix(err, "%s:%u:%u", line->path, line->number, line_column(line, at));
	return check_word(line, at, metric, filter_field(filter, index), err);
}

bool conditions_read(struct line *line, enum budget_metric metric, struct strbuf *subject,
		     struct filter **ret_filter, struct err *err)
{
	CLEANUP(filter_destroyp) struct filter *filter = NULL;

	*ret_filter = NULL;
	if (*line->at != '{')
		return true;
	line->at++;
	line_skip_blanks(line);
	if (*line->at == '}') {
		line->at++;
		return true;
	}
	filter = filter_create();
	for (size_t i = 0;; i++) {
		line_skip_blanks(line);
		if (!read_condition(line, metric, filter, i, err))
			return false;
		if (*line->at++ == '}')
			break;
	}
	strbuf_printf(subject, "{%s}", filter_text(filter));
	*ret_filter = TAKE(filter);
	return true;
}
