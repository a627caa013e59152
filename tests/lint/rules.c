// SPDX-License-Identifier: Apache-2.0
// Prints what the documentation says of rules, from the rules themselves: one paragraph per line.
//   rules findings|diff
#include "advice/change/rule.h"
#include "advice/trace/rule.h"

#include <stdio.h>
#include <string.h>

/** @text with values that depend on the run written in capitals, as people do. */
static void print_filled(const char *text)
{
	static const char *const values[][2] = {
		{ "{trace}", "TRACE" },
		{ "{run}", "COMMAND" },
		{ "{prefetch}", "elfault-prefetch" },
		{ "{short}", "COMMAND" },
		{ "{first}", "" },
		{ "{functions}", "some" },
		{ "at least {spared}", "some" },
		{ "{symbols}", "more" },
		{ ": {functions_most}", "" },
		{ ": {symbols_most}", "" },
		{ ", of {libraries}", "" },
	};

	while (*text) {
		size_t i = 0, count = sizeof(values) / sizeof(values[0]);

		while (i < count && strncmp(text, values[i][0], strlen(values[i][0])) != 0)
			i++;
		if (i == count) {
			putchar(*text++);
			continue;
		}
		fputs(values[i][1], stdout);
		text += strlen(values[i][0]);
	}
}

static void print_cure(enum model_for who, const char *where, const char *text)
{
	printf("- Fix (%s%s%s): ", model_for_name(who), where ? ", " : "", where ? where : "");
	print_filled(text);
	putchar('\n');
}

static void print_section(const struct rule *rule)
{
	static const char silent[] = "Nothing is reported where faults are left out.";

	printf("## %s\n\n**%s.** %s\n\n- %s\n", rule->prose.id, rule->prose.title, rule->about,
	       rule->when);
	if (rule->prose.fix)
		print_cure(rule->who, NULL, rule->prose.fix);
	for (size_t i = 0; i < RULE_CURES_MAX && rule->cures[i].text; i++)
		print_cure(rule->cures[i].who, rule->cures[i].where, rule->cures[i].text);
	if (rule->details)
		printf("- %s\n", rule->details);
	if (rule->limits)
		printf("- Limitations: %s%s%s\n", rule->limits, rule->needs_all_faults ? " " : "",
		       rule->needs_all_faults ? silent : "");
	printf("\n");
}

static void print_row(const struct change_rule *rule)
{
	const char *last = "";

	for (const struct kit_prose *prose = rule->prose; prose->id; prose++) {
		if (strcmp(prose->id, last) != 0)
			printf("%s`%s`", last[0] ? ", " : "| ", prose->id);
		last = prose->id;
	}
	printf(" | %s | %s | %s |\n", rule->counts, rule->shown_by, rule->cause);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "findings") == 0) {
		for (const struct rule *const *rule = trace_rules; *rule; rule++)
			print_section(*rule);
		return 0;
	}
	if (argc != 2 || strcmp(argv[1], "diff") != 0)
		return 2;
	printf("| id | counts | shown by | the cause |\n|---|---|---|---|\n");
	for (const struct change_rule *const *rule = change_rules; *rule; rule++)
		print_row(*rule);
	return 0;
}
