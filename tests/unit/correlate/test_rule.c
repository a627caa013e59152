// SPDX-License-Identifier: Apache-2.0
// Table of rules, and its twin in the docs.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "correlate/why/rule.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const char *const certainties[] = {
	[MODEL_CERTAINTY_NONE] = "none",
	[MODEL_STACK] = "`stack`",
	[MODEL_RULE] = "`rule`",
};

/** The row of the docs for a rule, up to where it holds. */
static void print_row(struct strbuf *text, const struct rule *rule)
{
	static const char *const evidence[] = { "stack", "place", "order", "code" };
	bool is_first = true;

	strbuf_printf(text, "| `%s` | `%s` | %s | ", rule->name,
		      model_initiator_name(rule->initiator), certainties[rule->certainty]);
	for (size_t i = 0; i < sizeof(evidence) / sizeof(evidence[0]); i++)
		if (rule->evidence & 1U << i) {
			strbuf_printf(text, "%s%s", is_first ? "" : " ", evidence[i]);
			is_first = false;
		}
	strbuf_printf(text, "%s | %s | ", is_first ? "none" : "",
		      rule->of == OF_FRAMES ? "frames" : "faults");
}

TEST(the_docs_draw_the_rules_in_their_order)
{
	FILE *docs = fopen(FIXTURES "/../docs/initiators.md", "re");
	char line[1024] = "";
	size_t count;
	const struct rule *rules = rules_all(&count);

	assert_non_null(docs);
	while (strncmp(line, "| rule | initiator |", 20) != 0)
		assert_non_null(fgets(line, sizeof(line), docs));
	assert_non_null(fgets(line, sizeof(line), docs)); // below the head of the table
	for (size_t i = 0; i < count; i++) {
		CLEANUP(strbuf_deinit) struct strbuf row = { 0 };

		print_row(&row, &rules[i]);
		assert_non_null(fgets(line, sizeof(line), docs));
		if (strlen(line) > row.length)
			line[row.length] = '\0';
		assert_string_equal(line, strbuf_text(&row));
	}
	assert_non_null(fgets(line, sizeof(line), docs));
	assert_string_equal(line, "\n");
	fclose(docs);
}

TEST(a_rule_is_as_certain_as_its_evidence)
{
	size_t count;
	const struct rule *rules = rules_all(&count);

	for (size_t i = 0; i < count; i++) {
		bool has_stack = rules[i].evidence & EVIDENCE_STACK;

		if (rules[i].initiator == MODEL_INITIATOR_UNKNOWN)
			assert_int_equal(rules[i].certainty, MODEL_CERTAINTY_NONE);
		else
			assert_int_equal(rules[i].certainty, has_stack ? MODEL_STACK : MODEL_RULE);
		assert_true(has_stack || rules[i].of == OF_FAULTS);
	}
}
