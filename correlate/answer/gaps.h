// SPDX-License-Identifier: Apache-2.0
// Call stacks that callers may be missing from, as those by frame pointers are: they are shown, but
// prove nothing. Whatever decides anything by stacks meets none.
#pragma once

#include "correlate/replay/rows.h"

struct gaps {
	bool is_hidden;
	__typeof__(((struct rows *)NULL)->stacks) stacks;
	uint32_t *of_faults, *of_moments; // their stacks
};

/** Take all stacks from @rows, @faults and @moments, as if there were none. */
void gaps_hide(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments);

/** Give them back, if they were taken. */
void gaps_show(struct gaps *gaps, struct rows *rows, struct all_faults *faults,
	       struct all_moments *moments);
