// SPDX-License-Identifier: Apache-2.0
#include "budget/line.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "model/account.h"

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

/** Check that a word is allowed: metrics not counted in faults have few of their words. */
static bool check_word(struct line *line, const char *at, enum budget_metric metric,
		       const struct field *field, struct err *err)
{
	static const struct {
		const char *words[4];
		const char *text;
	} allowed[BUDGET_METRICS] = {
		[BUDGET_RELOCATIONS] = { { "object", "section" },
					 "it is counted in files, by object and section" },
		[BUDGET_SIZE] = { { "object", "section" },
				  "it is counted in files, by object and section" },
		[BUDGET_INITIALIZERS] = { { "object", "initializer" },
					  "it is counted in files, by object and initializer" },
		[BUDGET_WALL] = { { NULL }, "it is one number" },
		[BUDGET_SPENT] = { { "initiator" }, "it is known by state and initiator" },
		[BUDGET_READ_BYTES] = { { "initiator", "object", "section" },
					"it is known by initiator, object and section" },
	};

	if (!allowed[metric].text || is_one_of(field->name, allowed[metric].words))
		return true;
	return line_refuse(line, at, err, "%s has no field '%s': %s", budget_metric_name(metric),
			   field->name, allowed[metric].text);
}

/** No such state: what may be meant. */
static bool refuse_state(struct line *line, const char *at, const char *value, size_t length,
			 struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	const char *names[MODEL_STATES];

	strbuf_add(&text, value, length);
	for (enum model_state i = 0; i < MODEL_STATES; i++) {
		names[i] = model_state_name(i);
		strbuf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	const char *near = nearest_word(strbuf_text(&text), names, MODEL_STATES);
	return line_refuse(line, at, err, "invalid value '%.60s' for state%s%s%s; values are %s",
			   strbuf_text(&text), near ? " (did you mean " : "", near ? near : "",
			   near ? "?)" : "", strbuf_text(&list));
}

/** The states of "state=fault|fault-io" or "state!=wait", which faults do not have. */
static bool read_states(struct line *line, const char *at, const char *text, unsigned *states,
			struct err *err)
{
	bool is_negated = strncmp(text, "state!=", strlen("state!=")) == 0;
	const char *value = strchr(text, '=') + 1;
	unsigned chosen = 0;

	for (;; value++) {
		size_t length = strcspn(value, "|");
		enum model_state i = 0;

		while (i < MODEL_STATES && (strlen(model_state_name(i)) != length ||
					    strncmp(model_state_name(i), value, length) != 0))
			i++;
		if (i == MODEL_STATES)
			return refuse_state(line, at, value, length, err);
		chosen |= 1u << i;
		value += length;
		if (!*value)
			break;
	}
	*states &= is_negated ? ~chosen : chosen;
	return true;
}

static bool is_of_state(const char *text)
{
	return strncmp(text, "state=", strlen("state=")) == 0 ||
	       strncmp(text, "state!=", strlen("state!=")) == 0;
}

/** The mark of "mark=listen", which faults do not have. */
static bool read_mark(struct line *line, const char *at, const char *text, struct strbuf *mark,
		      struct err *err)
{
	if (strncmp(text, "mark=", strlen("mark=")) != 0 || !text[strlen("mark=")])
		return line_refuse(line, at, err,
				   "until has no field '%.40s': its one is mark=NAME", text);
	strbuf_clear(mark);
	for (const char *byte = text + strlen("mark="); *byte; byte++)
		if (*byte != '"')
			strbuf_putc(mark, *byte == '\\' && byte[1] ? *++byte : *byte);
	return true;
}

/** Return the end of the condition at @at: a comma, a closing brace or the end of the line. */
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

/** Appends what it reads, without blanks, to @subject. */
static bool read_condition(struct line *line, enum budget_metric metric, struct filter *filter,
			   unsigned *states, struct strbuf *mark, struct strbuf *subject,
			   struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	size_t index = 0;
	const char *at = line->at;

	line->at = end_of(at);
	if (!*line->at)
		return line_refuse(
			line, at, err,
			"missing } after '%.60s'; quote a value that contains a brace or "
			"comma",
			at);
	condense(&text, at, line->at);
	strbuf_puts(subject, strbuf_text(&text));
	if (metric == BUDGET_SPENT && is_of_state(strbuf_text(&text)))
		return read_states(line, at, strbuf_text(&text), states, err);
	if (metric == BUDGET_UNTIL)
		return read_mark(line, at, strbuf_text(&text), mark, err);
	while (filter_field(filter, index))
		index++;
	if (!filter_add(filter, strbuf_text(&text), err))
		return err_prefix(err, "%s:%u:%u", line->path, line->number, line_column(line, at));
	return check_word(line, at, metric, filter_field(filter, index), err);
}

bool conditions_read(struct line *line, enum budget_metric metric, struct strbuf *subject,
		     struct filter **ret_filter, unsigned *ret_states, struct strbuf *ret_mark,
		     struct err *err)
{
	CLEANUP(filter_destroyp) struct filter *filter = NULL;

	*ret_filter = NULL;
	// A limit holds for the program: recording is no part of it unless it is asked for.
	*ret_states = ((1u << MODEL_STATES) - 1) & ~(1u << MODEL_STATE_RECORDING);
	if (*line->at != '{')
		return true;
	line->at++;
	line_skip_blanks(line);
	if (*line->at == '}') {
		line->at++;
		return true;
	}
	filter = filter_create();
	for (char separator = '{'; separator != '}';) {
		line_skip_blanks(line);
		strbuf_putc(subject, separator);
		if (!read_condition(line, metric, filter, ret_states, ret_mark, subject, err))
			return false;
		separator = *line->at++;
	}
	strbuf_putc(subject, '}');
	if (filter_field(filter, 0))
		*ret_filter = TAKE(filter);
	return true;
}
