// SPDX-License-Identifier: Apache-2.0
// Whether prefetching helps: cold starts with and without it, timed in turn.
#pragma once

#include "prefetch/list.h"

#include <stdbool.h>

struct prefetch_measure {
	const struct prefetch_list *list;
	char **command;
	const char *const *shown; // the words of it that are shown
	size_t shown_count;
	size_t count; // of cold starts of each kind
	bool as_root; // under sudo
	bool is_json;
};

/**
 * Measure, and print times, faults and bytes with the verdict of diff on each. Nothing is recorded,
 * so that nothing but the list makes the difference. Returns the exit status.
 */
int prefetchmeasure_run(const struct prefetch_measure *measure);
