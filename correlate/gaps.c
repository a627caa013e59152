// SPDX-License-Identifier: Apache-2.0
#include "correlate/gaps.h"

#include <stdlib.h>

void gaps_hide(struct gaps *gaps, struct rows *rows, struct all_faults *faults)
{
	gaps->is_hidden = true;
	gaps->stacks = rows->stacks;
	memset(&rows->stacks, 0, sizeof(rows->stacks));
	gaps->of_faults = xcalloc(faults->list.count + 1, sizeof(*gaps->of_faults));
	for (size_t i = 0; i < faults->list.count; i++) {
		gaps->of_faults[i] = faults->list.items[i].stack;
		faults->list.items[i].stack = MODEL_NONE;
	}
}

void gaps_show(struct gaps *gaps, struct rows *rows, struct all_faults *faults)
{
	if (!gaps->is_hidden)
		return;
	gaps->is_hidden = false;
	rows->stacks = gaps->stacks;
	for (size_t i = 0; i < faults->list.count; i++)
		faults->list.items[i].stack = gaps->of_faults[i];
	free(gaps->of_faults);
}
