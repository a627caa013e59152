// SPDX-License-Identifier: Apache-2.0
// The words of budgets.
#include "budget/budget.h"

static const struct {
	const char *name;
	enum budget_unit unit;
	bool is_of_files;
} metrics[BUDGET_METRICS] = {
	[BUDGET_FAULTS] = { "faults", BUDGET_COUNT, false },
	[BUDGET_MAJOR] = { "major", BUDGET_COUNT, false },
	[BUDGET_MINOR] = { "minor", BUDGET_COUNT, false },
	[BUDGET_PAGES] = { "pages", BUDGET_COUNT, false },
	[BUDGET_DURATION] = { "duration", BUDGET_TIME, false },
	[BUDGET_READ] = { "read", BUDGET_BYTES, false },
	[BUDGET_RELOCATIONS] = { "relocations", BUDGET_COUNT, true },
	[BUDGET_INITIALIZERS] = { "initializers", BUDGET_COUNT, true },
	[BUDGET_SIZE] = { "size", BUDGET_BYTES, true },
	[BUDGET_WALL] = { "wall", BUDGET_TIME, false },
	[BUDGET_SPENT] = { "time", BUDGET_TIME, false },
	[BUDGET_READ_BYTES] = { "read_bytes", BUDGET_BYTES, false },
	[BUDGET_UNTIL] = { "until", BUDGET_TIME, false },
};

const char *budget_metric_name(enum budget_metric metric)
{
	return metrics[metric].name;
}

enum budget_unit budget_metric_unit(enum budget_metric metric)
{
	return metrics[metric].unit;
}

bool budget_metric_is_of_files(enum budget_metric metric)
{
	return metrics[metric].is_of_files;
}

bool budget_metric_is_of_amounts(enum budget_metric metric)
{
	return metric == BUDGET_WALL || metric == BUDGET_SPENT || metric == BUDGET_READ_BYTES ||
	       metric == BUDGET_UNTIL;
}

const char *budget_state_name(enum budget_state state)
{
	static const char *const names[] = { "kept", "broken", "unsure", "unmeasured" };

	return names[state];
}
