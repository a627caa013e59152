// SPDX-License-Identifier: Apache-2.0
// Kinds of waits, as far as the system call shows them.
#pragma once

#include "model/waits.h"
#include "trace/trace.h"

/** Of a system call's number its kind. */
struct waitkinds {
	uint8_t of_call[512];
};

/** Learn those of the machine that @trace is of. O(calls). */
void waitkinds_init(struct waitkinds *kinds, const struct trace *trace);

enum model_wait waitkind_of(const struct waitkinds *kinds, const struct trace_pause *pause);
