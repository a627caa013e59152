// SPDX-License-Identifier: Apache-2.0
// Prints what the documentation says of rules, from the rules themselves: one paragraph per line.
//   rules findings|diff
#include "advice/change/rule.h"
#include "advice/trace/rule.h"

#include <stdio.h>
#include <string.h>

static void print_section(const struct rule *rule)
{
	static const char silent[] = "Nothing is reported where faults are left out.";

	printf("## %s\n\n**%s.** %s\n\n- %s\n- Fix: %s\n", rule->prose.id, rule->prose.title,
	       rule->about, rule->when, rule->prose.fix);
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
