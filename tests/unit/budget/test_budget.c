// SPDX-License-Identifier: Apache-2.0
// The language of budgets: what each line means, and what is said of one that means nothing.
#include "base/cleanup.h"
#include "budget/budget.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct budget *parsed(const char *text)
{
	struct budget *budget = NULL;
	struct err err = { 0 };

	if (!budget_parse("b", text, strlen(text), &budget, &err))
		fail_msg("%s: %s", text, err.message);
	return budget;
}

/** Return the message that refuses @length bytes at @text. */
static const char *refused(const char *text, size_t length)
{
	static struct err err;
	struct budget *budget = NULL;

	memset(&err, 0, sizeof(err));
	if (budget_parse("b", text, length, &budget, &err))
		fail_msg("accepted: %s", text);
	assert_null(budget);
	assert_int_equal(err.code, ERR_INPUT);
	return err.message;
}

/** @text and every initiator, with commas between them. */
static const char *initiators_after(const char *text)
{
	static char list[1000];
	size_t length = (size_t)snprintf(list, sizeof(list), "%s", text);

	for (int i = 0; i < MODEL_INITIATORS; i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s",
					   i > 0 ? ", " : " ",
					   model_initiator_name((enum model_initiator)i));
	return list;
}

TEST(a_limit_is_read_whole)
{
	CLEANUP(budget_closep)
	struct budget *budget =
		parsed("# start-up\r\n\n"
		       "  faults{ object = libfoo.so , initiator != exec | loader } "
		       "<=  baseline  - 3  \u00b1  2.5 %   # why\n");
	const struct budget_limit *limit = budget->limits.items;

	assert_int_equal(budget->limits.count, 1);
	assert_true(budget->needs_baseline);
	assert_int_equal(limit->line, 3);
	assert_int_equal(limit->metric, BUDGET_FAULTS);
	assert_string_equal(limit->subject, "faults{object=libfoo.so,initiator!=exec|loader}");
	assert_string_equal(limit->bound, "<= baseline - 3 \u00b1 2.5 %");
	assert_int_equal(limit->comparator, BUDGET_AT_MOST);
	assert_true(limit->is_of_baseline);
	assert_true(limit->offset.number == -3 && !limit->offset.is_percent);
	assert_true(limit->tolerance.number == 2.5 && limit->tolerance.is_percent);
}

TEST(every_way_to_write_a_value)
{
	static const struct {
		const char *text;
		enum budget_metric metric;
		enum budget_comparator comparator;
		double value, offset, tolerance;
	} cases[] = {
		{ "faults<=40", BUDGET_FAULTS, BUDGET_AT_MOST, 40, 0, 0 },
		{ "major == 0", BUDGET_MAJOR, BUDGET_EQUAL, 0, 0, 0 },
		{ "minor < 1000 +- 10", BUDGET_MINOR, BUDGET_LESS, 1000, 0, 10 },
		{ "pages >= 5 +/- 1", BUDGET_PAGES, BUDGET_AT_LEAST, 5, 0, 1 },
		{ "pages > 5 + 2", BUDGET_PAGES, BUDGET_MORE, 5, 2, 0 },
		{ "duration <= 1.5 ms", BUDGET_DURATION, BUDGET_AT_MOST, 1.5e6, 0, 0 },
		{ "duration <= 20us+-500ns", BUDGET_DURATION, BUDGET_AT_MOST, 2e4, 0, 500 },
		{ "duration <= 3 \u00b5s\u00b11 \u03bcs", BUDGET_DURATION, BUDGET_AT_MOST, 3e3, 0,
		  1e3 },
		{ "duration < 2 s + 1 s", BUDGET_DURATION, BUDGET_LESS, 2e9, 1e9, 0 },
		{ "size <= 4096", BUDGET_SIZE, BUDGET_AT_MOST, 4096, 0, 0 },
		{ "read <= 2 KiB", BUDGET_READ, BUDGET_AT_MOST, 2048, 0, 0 },
		{ "size{} <= 2 MiB - 1 KiB", BUDGET_SIZE, BUDGET_AT_MOST, 2 << 20, -1024, 0 },
		{ "size <= 1 GiB \u00b1 3 B", BUDGET_SIZE, BUDGET_AT_MOST, 1 << 30, 0, 3 },
		{ "relocations <= 12#no comment", BUDGET_METRICS, 0, 0, 0, 0 },
		{ "relocations <= 12 #a comment", BUDGET_RELOCATIONS, BUDGET_AT_MOST, 12, 0, 0 },
		{ "initializers <= 1000000000000000", BUDGET_INITIALIZERS, BUDGET_AT_MOST, 1e15, 0,
		  0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		if (cases[i].metric == BUDGET_METRICS) {
			assert_non_null(strstr(refused(cases[i].text, strlen(cases[i].text)),
					       "unexpected"));
			continue;
		}
		CLEANUP(budget_closep) struct budget *budget = parsed(cases[i].text);
		const struct budget_limit *limit = budget->limits.items;

		assert_int_equal(limit->metric, cases[i].metric);
		assert_int_equal(limit->comparator, cases[i].comparator);
		assert_true(limit->value == cases[i].value);
		assert_true(limit->offset.number == cases[i].offset);
		assert_true(limit->tolerance.number == cases[i].tolerance);
		assert_null(limit->filter);
	}
}

TEST(values_keep_their_quotes_commas_and_braces)
{
	CLEANUP(budget_closep)
	struct budget *budget =
		parsed("faults{symbol = \"f(int, T<{}>) # x\" | a\\,b\\} , section=.bss} < 4");
	const struct budget_limit *limit = budget->limits.items;

	assert_string_equal(limit->subject,
			    "faults{symbol=\"f(int, T<{}>) # x\"|a\\,b\\},section=.bss}");
	assert_string_equal(filter_field(limit->filter, 0)->name, "symbol");
	assert_string_equal(filter_field(limit->filter, 1)->name, "section");
	assert_null(filter_field(limit->filter, 2));
	assert_null(filter_pinned(limit->filter, "symbol"));
	assert_string_equal(filter_pinned(limit->filter, "section"), ".bss");
}

TEST(what_means_nothing_is_named_at_its_place)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "b: contains no limits; for example: faults{initiator=relocation} <= 100" },
		{ "# only\n\n",
		  "b: contains no limits; for example: faults{initiator=relocation} <= 100" },
		{ "faults <= 1\n  falts <= 4",
		  "b:2:3: unknown metric 'falts' (did you mean faults?); metrics are faults, "
		  "major, minor, pages, duration, read, relocations, initializers, size, wall, "
		  "time, read_bytes, until" },
		{ "{object=x} <= 4",
		  "b:1:1: unknown metric '{object=x} <= 4'; metrics are faults, major, minor, "
		  "pages, duration, read, relocations, initializers, size, wall, time, "
		  "read_bytes, until" },
		{ "faults",
		  "b:1:7: missing operator and value: <=, <, >=, > or ==, then a number or "
		  "`baseline`" },
		{ "faults = 4", "b:1:8: invalid operator '= 4' (expected <=, <, >=, > or ==)" },
		{ "faults <= ",
		  "b:1:11: expected a number or `baseline`, not ''; digits and a decimal point, "
		  "at most 10^15" },
		{ "faults <= -4",
		  "b:1:11: expected a number or `baseline`, not '-4'; digits and a decimal point, "
		  "at most 10^15" },
		{ "faults <= 1000000000000001",
		  "b:1:11: expected a number or `baseline`, not '1000000000000001'; digits and a "
		  "decimal point, at most 10^15" },
		{ "faults <= 4 ms",
		  "b:1:13: invalid unit 'ms' for faults (expected a plain number)" },
		{ "faults <= 4 %",
		  "b:1:13: unexpected '%'; only + or - and \u00b1 with a number or a share in % "
		  "may follow the value" },
		{ "faults <= 4 \u00b1",
		  "b:1:14: expected a number, not ''; digits and a decimal point, at most 10^15" },
		{ "faults <= 4 4",
		  "b:1:13: unexpected '4'; only + or - and \u00b1 with a number or a share in % "
		  "may follow the value" },
		{ "faults <= 4 + 2 + 2",
		  "b:1:17: unexpected '+ 2'; only + or - and \u00b1 with a number or a share in % "
		  "may follow the value" },
		{ "duration <= 4", "b:1:14: missing unit: ns, us, ms or s" },
		{ "duration <= 4 min",
		  "b:1:15: invalid unit 'min' for duration (expected ns, us, ms or s)" },
		{ "size <= 4 kB",
		  "b:1:11: invalid unit 'kB' for size (expected B, KiB, MiB or GiB)" },
		{ "faults{object=libfoo.so <= 4",
		  "b:1:8: missing } after 'object=libfoo.so <= 4'; quote a value that contains a "
		  "brace or comma" },
		{ "relocations{symbol=x} <= 4", "b:1:13: relocations has no field 'symbol': it is "
						"counted in files, by object and "
						"section" },
		{ "initializers{section=.text} <= 4",
		  "b:1:14: initializers has no field 'section': it is counted in files, by object "
		  "and initializer" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(refused(cases[i].text, strlen(cases[i].text)),
				    cases[i].message);
	const char *text = "faults{object=\u00e4, initiator=relocaton} <= 4";

	assert_string_equal(refused(text, strlen(text)),
			    initiators_after("b:1:18: invalid value 'relocaton' for initiator (did "
					     "you mean relocation?); values are"));
	assert_non_null(strstr(refused("faults{objekt=x} <= 4", 21), "did you mean object?"));
	assert_non_null(strstr(refused("faults{object} <= 4", 19), "is not FIELD=VALUE"));
}

TEST(what_is_no_text_is_no_budget)
{
	static char line[10000];

	assert_string_equal(refused("faults\0 <= 4", 12), "b: line 1 has a NUL byte: not a budget");
	memset(line, ' ', sizeof(line));
	assert_string_equal(refused(line, sizeof(line)),
			    "b: line 1 is longer than 8.0 KiB: not a budget");
	assert_string_equal(refused("\x7f"
				    "ELF\2\1\1",
				    7),
			    "b:1:1: unknown metric '\x7f"
			    "ELF\2\1\1'; metrics are faults, major, "
			    "minor, pages, duration, read, relocations, initializers, size, wall, "
			    "time, read_bytes, until");
}

TEST(a_mark_of_utf8_is_no_text)
{
	CLEANUP(budget_closep)
	struct budget *budget = parsed("\xef\xbb\xbf"
				       "faults <= 4");

	assert_int_equal(budget->limits.count, 1);
}
