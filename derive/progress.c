// SPDX-License-Identifier: Apache-2.0
#include "derive/progress.h"

/** State of a process: 0, or 1 and the faults of the program since its exec. */
enum { STARTED = 1 };

static bool is_start(const struct model_fault *fault, uint32_t state)
{
	if (fault->initiator == MODEL_EXEC)
		return true;
	// Without the kernel's own faults of an exec, the dynamic linker's are the first.
	return state == 0 && fault->initiator == MODEL_LOADER && fault->dlopen != MODEL_DLOPEN_YES;
}

enum progress progress_at(struct progress_map *map, uint32_t pid, const struct model_fault *fault)
{
	uint32_t *state = u64map_put(&map->by_pid, pid, NULL);

	if (is_start(fault, *state))
		*state = STARTED;
	else if (*state > 0 && fault->initiator == MODEL_PROGRAM &&
		 *state <= STARTED + PROGRESS_EARLY_FAULTS)
		++*state;
	if (*state == 0)
		return PROGRESS_UNKNOWN;
	if (*state == STARTED)
		return PROGRESS_BEFORE_MAIN;
	return *state <= STARTED + PROGRESS_EARLY_FAULTS ? PROGRESS_AFTER_MAIN : PROGRESS_LATER;
}

void progress_deinit(struct progress_map *map)
{
	u64map_deinit(&map->by_pid);
}
