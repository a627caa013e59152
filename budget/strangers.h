// SPDX-License-Identifier: Apache-2.0
// Names in conditions that no trace has: a limit with a misspelled name would always be met.
#pragma once

#include "base/arena.h"
#include "base/vec.h"
#include "model/filter.h"

struct stranger {
	struct filter_stranger name;
	const char *near; // what may be meant, NULL: nothing is near
};

/** Zero-initialise; those of one filter over several runs. */
struct strangers {
	VEC(struct stranger) list;
	bool is_started; // a run was added
};

/** Keep only strangers of earlier runs that are strangers in this run too. Empties @found. */
void strangers_add(struct strangers *strangers, struct filter_strangers *found,
		   const struct model *model, struct arena *arena);

void strangers_deinit(struct strangers *strangers);
