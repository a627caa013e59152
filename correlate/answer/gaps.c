// SPDX-License-Identifier: Apache-2.0
// Call stacks that callers may be missing from, as those by frame pointers are: they are shown, but
// prove nothing. Whatever decides anything by stacks meets none.
#include "correlate/answer/phases.h"

#include <stdlib.h>

/** Take the stacks of @faults. Returns them, to be given back. */
static uint32_t *take(struct model_fault *faults, size_t count)
{
	uint32_t *stacks = xcalloc(count + 1, sizeof(*stacks));

	for (size_t i = 0; i < count; i++) {
		stacks[i] = faults[i].stack;
		faults[i].stack = MODEL_NONE;
	}
	return stacks;
}

/** Give @stacks back, and free them. */
static void give_back(struct model_fault *faults, size_t count, uint32_t *stacks)
{
	for (size_t i = 0; i < count; i++)
		faults[i].stack = stacks[i];
	free(stacks);
}

void gaps_hide(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments)
{
	gaps->is_hidden = true;
	gaps->stacks = rows->stacks;
	memset(&rows->stacks, 0, sizeof(rows->stacks));
	gaps->of_faults = take(faults->list.items, faults->list.count);
	gaps->of_moments = take(moments->list.items, moments->list.count);
}

void gaps_show(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments)
{
	if (!gaps->is_hidden)
		return;
	gaps->is_hidden = false;
	rows->stacks = gaps->stacks;
	give_back(faults->list.items, faults->list.count, gaps->of_faults);
	give_back(moments->list.items, moments->list.count, gaps->of_moments);
}
