// SPDX-License-Identifier: Apache-2.0
// The clocks by which the processor is sampled: many samples at first, fewer after a while.
#pragma once

#include "base/vec.h"
#include "bpf/backend.h"
#include "bpf/clockfall.h"

#include <stdbool.h>
#include <stdint.h>

struct bpf_link;
struct bpf_program;

/** Zero-initialise; release with clocks_close(). */
struct clocks {
	VEC(struct bpf_link *) links; // which own what follows
	VEC(int) fast;
	VEC(int) slow; // that follow
	struct clockfall fall;
};

/**
 * Run @program @hz times a second of each thread of @config. Returns whether it does: where
 * it cannot there is less to tell, and a note says so.
 */
bool clocks_start(struct clocks *clocks, struct bpf_program *program,
		  const struct backend_config *config, uint32_t hz, struct notes *notes);

/** To be called now and then: after a while fewer samples say as much. */
void clocks_look(struct clocks *clocks);

/** Take no more samples. */
void clocks_stop(struct clocks *clocks);
void clocks_close(struct clocks *clocks);
