// SPDX-License-Identifier: Apache-2.0

#include "base/cleanup.h"
#include "base/nearest.h"
#include "budget/line.h"

#include <ctype.h>
#include <string.h>

/** Units that may follow a number. */
static const struct {
	const char *word;
	enum budget_unit unit;
	double factor;
} units[] = {
	{ "ns", BUDGET_TIME, 1 },	  { "us", BUDGET_TIME, 1e3 },
	{ "\u00b5s", BUDGET_TIME, 1e3 }, // the micro sign
	{ "\u03bcs", BUDGET_TIME, 1e3 }, // the Greek letter
	{ "ms", BUDGET_TIME, 1e6 },	  { "s", BUDGET_TIME, 1e9 },
	{ "B", BUDGET_BYTES, 1 },	  { "KiB", BUDGET_BYTES, 1 << 10 },
	{ "MiB", BUDGET_BYTES, 1 << 20 }, { "GiB", BUDGET_BYTES, 1 << 30 },
};

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalpha((unsigned char)at[length]) || at[length] == '_' || (at[length] & 0x80))
		length++;
	return length;
}

static bool read_metric(struct line *line, enum budget_metric *ret_metric, struct err *err)
{
	const char *names[BUDGET_METRICS], *at = line->at;
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf word = { 0 };

	strbuf_add(&word, at, word_length(at));
	for (int i = 0; i < BUDGET_METRICS; i++) {
		names[i] = budget_metric_name((enum budget_metric)i);
		if (strcmp(names[i], strbuf_text(&word)) == 0) {
			line->at += word.length;
			*ret_metric = (enum budget_metric)i;
			return true;
		}
		strbuf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	const char *near = nearest_word(strbuf_text(&word), names, BUDGET_METRICS);
	return line_refuse(line, at, err, "unknown metric '%.40s'%s%s%s; metrics are %s",
			   word.length > 0 ? strbuf_text(&word) : at, near ? " (did you mean " : "",
			   near ? near : "", near ? "?)" : "", strbuf_text(&list));
}

static bool read_comparator(struct line *line, enum budget_comparator *ret_comparator,
			    struct err *err)
{
	static const struct {
		const char *sign;
		enum budget_comparator comparator;
	} signs[] = { { "<=", BUDGET_AT_MOST },
		      { ">=", BUDGET_AT_LEAST },
		      { "==", BUDGET_EQUAL },
		      { "<", BUDGET_LESS },
		      { ">", BUDGET_MORE } };
	const char *at = line->at;

	line_skip_blanks(line);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (line_word(line, signs[i].sign)) {
			*ret_comparator = signs[i].comparator;
			return true;
		}
	if (line_is_at_end(line))
		return line_refuse(
			line, at, err,
			"missing operator and value: <=, <, >=, > or ==, then a number or "
			"`baseline`");
	return line_refuse(line, line->at, err,
			   "invalid operator '%.40s' (expected <=, <, >=, > or ==)", line->at);
}

/** A number and its unit, or its sign of percent where a share makes sense. */
static bool read_amount(struct line *line, enum budget_metric metric, bool may_be_share,
			struct budget_amount *ret_amount, struct err *err)
{
	enum budget_unit unit = budget_metric_unit(metric);
	const char *start, *at;

	line_skip_blanks(line);
	start = line->at;
	*ret_amount = (struct budget_amount){ 0 };
	if (!line_number(line, &ret_amount->number))
		return line_refuse(line, start, err,
				   "expected a number%s, not '%.40s'; digits and a decimal point, "
				   "at most 10^15",
				   may_be_share ? "" : " or `baseline`", start);
	line_skip_blanks(line);
	at = line->at;
	if (may_be_share && line_word(line, "%")) {
		ret_amount->is_percent = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t length = strlen(units[i].word);

		if (units[i].unit == unit && strncmp(at, units[i].word, length) == 0 &&
		    !isalnum((unsigned char)at[length])) {
			line->at += length;
			ret_amount->number *= units[i].factor;
			return true;
		}
	}
	// It may also be the sign of a tolerance, which is not ASCII.
	if (word_length(at) > 0 && strncmp(at, "\u00b1", strlen("\u00b1")) != 0)
		return line_refuse(line, at, err, "invalid unit '%.*s' for %s (%s)", 20, at,
				   budget_metric_name(metric),
				   unit == BUDGET_TIME	  ? "expected ns, us, ms or s"
				   : unit == BUDGET_BYTES ? "expected B, KiB, MiB or GiB"
							  : "expected a plain number");
	if (unit == BUDGET_TIME && ret_amount->number != 0)
		return line_refuse(line, at, err, "missing unit: ns, us, ms or s");
	return true;
}

static bool is_tolerance(struct line *line)
{
	return line_word(line, "\u00b1") || line_word(line, "+-") || line_word(line, "+/-");
}

/** "40 ms", "baseline", each with "+ 5 %", "- 3", "± 5 %" behind it. */
static bool read_bound(struct line *line, struct budget_limit *limit, struct err *err)
{
	struct budget_amount amount;

	line_skip_blanks(line);
	limit->baseline_column = line_column(line, line->at);
	limit->is_of_baseline = line_word(line, "baseline");
	if (!limit->is_of_baseline) {
		if (!read_amount(line, limit->metric, false, &amount, err))
			return false;
		limit->value = amount.number;
	}
	line_skip_blanks(line);
	bool is_tolerated = is_tolerance(line);
	if (!is_tolerated && (*line->at == '+' || *line->at == '-')) {
		bool is_less = *line->at++ == '-';

		if (!read_amount(line, limit->metric, true, &limit->offset, err))
			return false;
		if (is_less)
			limit->offset.number = -limit->offset.number;
		line_skip_blanks(line);
		is_tolerated = is_tolerance(line);
	}
	if (is_tolerated && !read_amount(line, limit->metric, true, &limit->tolerance, err))
		return false;
	line_skip_blanks(line);
	if (!line_is_at_end(line))
		return line_refuse(line, line->at, err,
				   "unexpected '%.40s'; only + or - and ± with a number or a share "
				   "in %% may follow the value",
				   line->at);
	return true;
}

/** The text between, with single blanks. */
static const char *condense(struct arena *arena, const char *at, const char *end)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	for (; at < end; at++) {
		if (!isblank((unsigned char)*at))
			strbuf_putc(&text, *at);
		else if (at + 1 < end && !isblank((unsigned char)at[1]))
			strbuf_putc(&text, ' ');
	}
	return arena_strdup(arena, strbuf_text(&text));
}

bool limit_read(struct line *line, struct arena *arena, struct budget_limit *ret_limit,
		struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf subject = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf mark = { 0 };
	struct budget_limit limit = { .line = line->number };

	if (!read_metric(line, &limit.metric, err))
		return false;
	strbuf_puts(&subject, budget_metric_name(limit.metric));
	line_skip_blanks(line);
	if (!conditions_read(line, limit.metric, &subject, &limit.filter, &limit.states, &mark,
			     err))
		return false;
	line_skip_blanks(line);
	const char *bound = line->at;
	if (!read_comparator(line, &limit.comparator, err) || !read_bound(line, &limit, err)) {
		filter_destroy(limit.filter);
		return false;
	}
	limit.subject = arena_strdup(arena, strbuf_text(&subject));
	if (mark.length > 0)
		limit.mark = arena_strdup(arena, mark.text);
	limit.bound = condense(arena, bound, line->at);
	*ret_limit = limit;
	return true;
}
