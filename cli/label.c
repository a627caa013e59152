// SPDX-License-Identifier: Apache-2.0
#include "cli/label.h"

#include <string.h>

void labels_parse(struct labels *labels, const char *text, struct argp_state *state)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789._-");

	if (length == 0 || text[length] != '=')
		argp_error(state,
			   "invalid value '%s' for --label (expected KEY=VALUE, with a KEY "
			   "of " LABEL_KEY_MEANING ")",
			   text);
	vec_foreach (label, &labels->list) {
		if (strncmp(*label, text, length + 1) == 0) {
			*label = text;
			return;
		}
	}
	vec_push(&labels->list, text);
}

void labels_deinit(struct labels *labels)
{
	vec_deinit(&labels->list);
}
