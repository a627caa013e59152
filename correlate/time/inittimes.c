// SPDX-License-Identifier: Apache-2.0
// Computing and waiting of initializers outside their faults.
#include "correlate/time/account.h"

void inittimes_fill(struct model_initializer *initializers, const struct all_moments *moments,
		    const struct lives *lives)
{
	if (!lives->samples)
		return;
	for (size_t i = 0; i < moments->list.count; i++) {
		const struct moment_source *source = &moments->sources.items[i];
		const struct lives_moment *counted =
			&(source->is_pause ? lives->pauses : lives->samples)[source->index];
		uint32_t initializer = moments->list.items[i].initializer;

		if (initializer == MODEL_NONE || counted->life == 0)
			continue;
		struct model_initializer *row = &initializers[initializer];

		if (!source->is_pause)
			row->cpu_ns += counted->part.ns;
		else if (model_state_waits(counted->part.state))
			row->wait_ns += counted->part.ns;
	}
}
