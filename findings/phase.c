// SPDX-License-Identifier: Apache-2.0
#include "findings/phase.h"

/** What is kept for a process: 0, or 1 and the faults of the program since its exec. */
enum { STARTED = 1 };

static bool is_start(const struct model_fault *fault, uint32_t state)
{
	if (fault->initiator == MODEL_EXEC)
		return true;
	// Without the kernel's own faults of an exec, the dynamic linker's are the first.
	return state == 0 && fault->initiator == MODEL_LOADER && fault->dlopen != MODEL_DLOPEN_YES;
}

enum phase phases_at(struct phases *phases, const struct model_fault *fault)
{
	uint32_t *state = u64map_put(&phases->by_pid, fault->pid, NULL);

	if (is_start(fault, *state))
		*state = STARTED;
	else if (*state > 0 && fault->initiator == MODEL_PROGRAM &&
		 *state <= STARTED + PHASE_EARLY_FAULTS)
		++*state;
	if (*state == 0)
		return PHASE_UNKNOWN;
	if (*state == STARTED)
		return PHASE_BEFORE_MAIN;
	return *state <= STARTED + PHASE_EARLY_FAULTS ? PHASE_AFTER_MAIN : PHASE_LATER;
}

void phases_deinit(struct phases *phases)
{
	u64map_deinit(&phases->by_pid);
}
