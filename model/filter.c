// SPDX-License-Identifier: Apache-2.0
#include "model/filter.h"

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/symbolname.h"
#include "model/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** One value of a condition. */
struct value {
	char *pattern; // for glob_match(); NULL: null
	char *text;    // the same without its escapes
	bool has_wildcard;
	bool is_name; // what people call a function will do
};

struct condition {
	const struct field *field;
	bool is_negated;
	VEC(struct value) values;
};

struct filter {
	VEC(struct condition) conditions;
	bool has_seq; // one fault alone
	uint64_t seq;
	struct strbuf text;
};

struct filter *filter_create(void)
{
	return xcalloc(1, sizeof(struct filter));
}

void filter_destroy(struct filter *filter)
{
	if (!filter)
		return;
	vec_foreach (condition, &filter->conditions) {
		vec_foreach (value, &condition->values) {
			free(value->pattern);
			free(value->text);
		}
		vec_deinit(&condition->values);
	}
	vec_deinit(&filter->conditions);
	strbuf_deinit(&filter->text);
	free(filter);
}

void filter_add_name(struct filter *filter, const char *word, const char *name)
{
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	struct err err;

	strbuf_printf(&text, "%s=\"", word);
	for (; *name; name++)
		if (*name == '"')
			strbuf_puts(&text, "\"\\\"\"");
		else
			strbuf_putc(&text, *name);
	strbuf_putc(&text, '"');
	if (filter_add(filter, strbuf_text(&text), &err)) // a word that there is
		filter->conditions.items[filter->conditions.count - 1].values.items[0].is_name =
			true;
}

void filter_set_fault(struct filter *filter, uint64_t seq)
{
	filter->has_seq = true;
	filter->seq = seq;
	strbuf_printf(&filter->text, "%sseq=%llu", filter->text.length > 0 ? "," : "",
		      (unsigned long long)seq);
}

const char *filter_text(const struct filter *filter)
{
	return strbuf_text(&filter->text);
}

// ---- Reading --------------------------------------------------------------------------------

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\n");
}

/** Reads the value at *@at and leaves *@at behind it, at a comma, a bar or the end. */
static bool read_value(const char **at, const char *whole, struct value *ret_value, struct err *err)
{
	CLEANUP(strbuf_deinit) struct strbuf pattern = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	const char *quote = NULL;
	bool is_plain = true, has_wildcard = false;
	const char *c = skip_blanks(*at);

	for (; *c && (quote || (*c != ',' && *c != '|')); c++) {
		bool is_literal = quote;

		if (*c == '"') {
			quote = quote ? NULL : c;
			is_plain = false;
			continue;
		}
		if (*c == '\\' && c[1]) {
			c++;
			is_literal = true;
			is_plain = false;
		}
		if (is_literal && strchr("*?\\", *c))
			strbuf_putc(&pattern, '\\');
		has_wildcard |= !is_literal && (*c == '*' || *c == '?');
		strbuf_putc(&pattern, *c);
		strbuf_putc(&text, *c);
	}
	if (quote)
		return err_set(err, ERR_INPUT,
			       "%s: the quotation mark before '%.40s' is not closed", whole,
			       quote + 1);
	*at = c;
	if (is_plain && text.length == 0)
		return err_set(
			err, ERR_INPUT,
			"%s: a value is missing before '%.40s'; null stands for none, \"\" for "
			"an empty name",
			whole, c);
	*ret_value = (struct value){ .has_wildcard = has_wildcard };
	if (is_plain && strcmp(text.text, "null") == 0)
		return true;
	ret_value->pattern = xstrdup(strbuf_text(&pattern));
	ret_value->text = xstrdup(strbuf_text(&text));
	return true;
}

/** The contract has a fixed set of these values: one that is none of them is misspelled. */
static bool check_word(const struct field *field, const struct value *value, struct err *err)
{
	enum { WORDS_MAX = 32 };
	const char *words[WORDS_MAX];
	size_t count = 0;
	CLEANUP(strbuf_deinit) struct strbuf list = { 0 };

	for (uint32_t key = 0; key < field->word_count && count < WORDS_MAX; key++) {
		const char *word = field->word(key);

		if (!word)
			continue;
		if (glob_match(value->pattern, word))
			return true;
		strbuf_printf(&list, "%s%s", count > 0 ? ", " : "", word);
		words[count++] = word;
	}
	const char *near = nearest_word(value->text, words, count);
	return err_set(err, ERR_INPUT, "invalid value '%.60s' for %s%s%s%s; values are %s",
		       value->text, field->name, near ? " (did you mean " : "", near ? near : "",
		       near ? "?)" : "", strbuf_text(&list));
}

static bool check_value(const struct field *field, const struct value *value, struct err *err)
{
	if (!value->pattern || field->domain == FIELD_ROWS)
		return true;
	if (field->domain == FIELD_WORDS)
		return check_word(field, value, err);
	if (value->text[strspn(value->text, value->has_wildcard ? "0123456789*?" : "0123456789")])
		return err_set(err, ERR_INPUT, "%s is a number, not '%.60s'", field->name,
			       value->text);
	return true;
}

static bool read_condition(const char **at, const char *whole, struct condition *condition,
			   struct err *err)
{
	const char *word = skip_blanks(*at);
	size_t length = strcspn(word, "=!,|");
	const char *after = word + length;
	struct value value;

	if (*after == '!' && after[1] == '=') {
		condition->is_negated = true;
		after++;
	}
	while (length > 0 && strchr(" \t\n", word[length - 1]))
		length--;
	if (*after != '=')
		return err_set(err, ERR_INPUT,
			       "%s: '%.40s' is not FIELD=VALUE; quote a value that contains a "
			       "comma: symbol=\"foo(int, char)\"",
			       whole, word);
	condition->field = field_find(word, length, err);
	if (!condition->field)
		return false;
	do {
		after++;
		if (!read_value(&after, whole, &value, err))
			return false;
		vec_push(&condition->values, value);
		if (!check_value(condition->field, &value, err))
			return false;
	} while (*after == '|');
	*at = after;
	return true;
}

bool filter_add(struct filter *filter, const char *text, struct err *err)
{
	const char *at = text;

	for (;;) {
		vec_push(&filter->conditions, (struct condition){ 0 });
		if (!read_condition(&at, text,
				    &filter->conditions.items[filter->conditions.count - 1], err))
			return false;
		if (!*at)
			break;
		at++; // the comma
	}
	strbuf_printf(&filter->text, "%s%s", filter->text.length > 0 ? "," : "", text);
	return true;
}

// ---- Choosing -------------------------------------------------------------------------------

/** A condition while faults are looked at. */
struct test {
	const struct condition *condition;
	bool *by_key;	   // words and rows: whether the fault is shown, by key
	size_t key_count;  // of by_key
	bool for_null;	   // the same where the fault has no value
	uint32_t last_key; // numbers: the last one looked at; few differ from their neighbour
	bool for_last;
};

/** All conditions while faults of a model are looked at. */
struct tests {
	const struct model *model;
	struct test *items;
	size_t count;
};

static bool matches_row(const struct field *field, const struct tests *tests, uint32_t row,
			const struct value *value)
{
	const struct model *model = tests->model;
	const char *name = field->row_name(model, row);
	struct naming naming;

	if (!name || !value->pattern)
		return !name && !value->pattern;
	if (value->is_name && symbolname_is_called(name, value->text))
		return true;
	if (!field->row_naming)
		return naming_text_matches(name, value->pattern);
	field->row_naming(&naming, model, row);
	return naming_matches(&naming, value->pattern);
}

static bool matches_word(const struct field *field, uint32_t key, const struct value *value)
{
	const char *word = field->word(key);

	if (!word || !value->pattern)
		return !word && !value->pattern;
	return glob_match(value->pattern, word);
}

/** Set up @test, whose condition is known. */
static void prepare(struct test *test, const struct tests *tests,
		    struct filter_strangers *strangers)
{
	const struct condition *condition = test->condition;
	const struct field *field = condition->field;

	test->last_key = MODEL_NONE;
	if (field->domain != FIELD_NUMBERS) {
		test->key_count = field->domain == FIELD_WORDS ? field->word_count
							       : field->row_count(tests->model);
		test->by_key = xcalloc(test->key_count + 1, sizeof(*test->by_key));
	}
	vec_foreach (value, &condition->values) {
		bool is_found = false;

		test->for_null |= !value->pattern;
		for (uint32_t key = 0; key < test->key_count; key++) {
			bool is_match = field->domain == FIELD_WORDS
						? matches_word(field, key, value)
						: matches_row(field, tests, key, value);

			test->by_key[key] |= is_match;
			is_found |= is_match;
		}
		if (strangers && field->domain == FIELD_ROWS && value->pattern && !is_found)
			vec_push(&strangers->list, (struct filter_stranger){ field, value->text,
									     value->has_wildcard });
	}
	for (uint32_t key = 0; key < test->key_count; key++)
		test->by_key[key] ^= condition->is_negated;
	test->for_null ^= condition->is_negated;
	test->for_last = test->for_null; // last_key starts as "no value"
}

static bool holds_for_number(struct test *test, uint32_t number)
{
	char digits[16];
	bool is_match = false;

	if (number == test->last_key)
		return test->for_last;
	snprintf(digits, sizeof(digits), "%u", number);
	vec_foreach (value, &test->condition->values)
		is_match |= value->pattern && glob_match(value->pattern, digits);
	test->last_key = number;
	test->for_last = is_match ^ test->condition->is_negated;
	return test->for_last;
}

static bool holds(struct test *test, uint32_t key)
{
	if (key == MODEL_NONE)
		return test->for_null;
	if (!test->by_key)
		return holds_for_number(test, key);
	return key < test->key_count && test->by_key[key];
}

/** Prepare every condition of @filter; to be released with tests_deinit(). */
static void tests_prepare(struct tests *tests, const struct filter *filter,
			  struct filter_strangers *strangers)
{
	tests->count = filter->conditions.count;
	tests->items = xcalloc(tests->count + 1, sizeof(*tests->items));
	for (size_t i = 0; i < tests->count; i++) {
		tests->items[i].condition = &filter->conditions.items[i];
		prepare(&tests->items[i], tests, strangers);
	}
}

static void tests_deinit(struct tests *tests)
{
	array_foreach (test, tests->items, tests->count)
		free(test->by_key);
	free(tests->items);
}

static bool all_hold(const struct tests *tests, const struct model_fault *fault)
{
	array_foreach (test, tests->items, tests->count)
		if (!holds(test, test->condition->field->key(tests->model, fault)))
			return false;
	return true;
}

size_t filter_apply(const struct filter *filter, const struct model *model,
		    struct model_fault *faults, size_t count, struct notes *notes)
{
	struct filter_strangers strangers = { 0 };
	CLEANUP(tests_deinit) struct tests tests = { .model = model };
	size_t kept = 0;

	tests_prepare(&tests, filter, &strangers);
	for (size_t i = 0; i < count; i++)
		if ((!filter->has_seq || i == filter->seq) && all_hold(&tests, &faults[i]) &&
		    kept++ != i)
			faults[kept - 1] = faults[i];
	vec_foreach (stranger, &strangers.list)
		notes_add(notes, "filter: no %s in the trace is named %s", stranger->field->name,
			  stranger->text);
	vec_deinit(&strangers.list);
	return kept;
}

size_t filter_choose(const struct filter *filter, const struct model *model,
		     const struct model_fault *faults, size_t count, bool *ret_chosen,
		     struct filter_strangers *strangers)
{
	CLEANUP(tests_deinit) struct tests tests = { .model = model };
	size_t chosen = 0;

	tests_prepare(&tests, filter, strangers);
	for (size_t i = 0; i < count; i++)
		chosen += ret_chosen[i] = !filter->has_seq && all_hold(&tests, &faults[i]);
	return chosen;
}

void filter_leave_out_ios(const struct filter *filter, const struct model *view,
			  struct model_io *ios, size_t count)
{
	CLEANUP(tests_deinit) struct tests tests = { .model = view };

	tests_prepare(&tests, filter, NULL);
	array_foreach (io, ios, count)
		io->is_left_out |= !all_hold(&tests, &io->what);
}

const struct field *filter_field(const struct filter *filter, size_t index)
{
	return index < filter->conditions.count ? filter->conditions.items[index].field : NULL;
}

const char *filter_pinned(const struct filter *filter, const char *word)
{
	vec_foreach (condition, &filter->conditions)
		if (!condition->is_negated && condition->values.count == 1 &&
		    !condition->values.items[0].has_wildcard &&
		    strcmp(condition->field->name, word) == 0)
			return condition->values.items[0].text;
	return NULL;
}
