// SPDX-License-Identifier: Apache-2.0
// The words of budgets.
#include "budget/budget.h"

static const struct {
	const char *name, *meaning;
	enum budget_unit unit;
	bool is_of_files;
} metrics[BUDGET_METRICS] = {
	[BUDGET_FAULTS] = { "faults", "page faults", BUDGET_COUNT, false },
	[BUDGET_MAJOR] = { "major", "faults that waited for storage", BUDGET_COUNT, false },
	[BUDGET_MINOR] = { "minor", "faults that did not", BUDGET_COUNT, false },
	[BUDGET_PAGES] = { "pages", "distinct pages that faulted", BUDGET_COUNT, false },
	[BUDGET_DURATION] = { "duration", "time spent in faults (BPF backend)", BUDGET_TIME,
			      false },
	[BUDGET_READ] = { "read", "bytes that faults read from storage (BPF backend)", BUDGET_BYTES,
			  false },
	[BUDGET_RELOCATIONS] = { "relocations", "relocations of the files that were mapped",
				 BUDGET_COUNT, true },
	[BUDGET_INITIALIZERS] = { "initializers", "functions of these files that run before main",
				  BUDGET_COUNT, true },
	[BUDGET_SIZE] = { "size", "bytes of these files, or of their sections", BUDGET_BYTES,
			  true },
};

const char *budget_metric_name(enum budget_metric metric)
{
	return metrics[metric].name;
}

const char *budget_metric_meaning(enum budget_metric metric)
{
	return metrics[metric].meaning;
}

enum budget_unit budget_metric_unit(enum budget_metric metric)
{
	return metrics[metric].unit;
}

bool budget_metric_is_of_files(enum budget_metric metric)
{
	return metrics[metric].is_of_files;
}

const char *budget_state_name(enum budget_state state)
{
	static const char *const names[] = { "kept", "broken", "unsure", "unmeasured" };

	return names[state];
}
