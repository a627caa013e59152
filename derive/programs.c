// SPDX-License-Identifier: Apache-2.0
#include "derive/programs.h"

uint64_t programs_at(struct programs *programs, const struct model_fault *fault)
{
	bool is_new, is_exec = fault->initiator == MODEL_EXEC;
	uint32_t *index = u64map_put(&programs->by_pid, fault->pid, &is_new);

	if (is_new) {
		*index = (uint32_t)programs->states.count;
		vec_push(&programs->states, (struct program_state){ 0 });
	}
	struct program_state *state = &programs->states.items[*index];
	state->execs += is_exec && !state->in_exec;
	state->in_exec = is_exec;
	return (uint64_t)fault->pid << 32 | state->execs;
}

void programs_deinit(struct programs *programs)
{
	vec_deinit(&programs->states);
	u64map_deinit(&programs->by_pid);
}
