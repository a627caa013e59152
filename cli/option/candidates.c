// SPDX-License-Identifier: Apache-2.0
#include "cli/option/candidates.h"

#include "base/order.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void candidate_print(const struct typed *typed, const char *word, const char *meaning)
{
	const char *begun = typed->word + typed->kept;

	if (strncmp(word, begun, strlen(begun)) == 0)
		printf("%.*s%s\t%s\n", (int)typed->kept, typed->word, word, meaning ? meaning : "");
}

bool candidate_is_plain(const char *name)
{
	static const char others[] = "_.-+/:@%[]";

	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(others, *c))
			return false;
	return name[0] && name[0] != '-';
}

void candidate_names_deinit(struct candidate_names *names)
{
	vec_deinit(&names->rows);
}

void candidate_names_print(const struct typed *typed, struct candidate_names *names)
{
	const char *last = "";

	if (names->rows.count > 0)
		qsort(names->rows.items, names->rows.count, sizeof(*names->rows.items),
		      order_texts);
	vec_foreach (name, &names->rows) {
		if (candidate_is_plain(*name) && strcmp(*name, last) != 0)
			candidate_print(typed, *name, NULL);
		last = *name;
	}
}
