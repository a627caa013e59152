// SPDX-License-Identifier: Apache-2.0
// Call stacks of the trace -> named stacks of the model, each resolved when a fault first shows it.
#pragma once

#include "correlate/replay/attribute.h"

struct stacks;

/** @trace is borrowed. */
struct stacks *stacks_create(const struct trace *trace);
void stacks_destroy(struct stacks *stacks);

/**
 * Index in the model of stack @id as @process maps its frames now; MODEL_NONE if the trace has no
 * such stack. Resolved again only when the process's mappings have changed since.
 */
uint32_t stacks_resolve(struct stacks *stacks, struct attribution *attribution,
			struct process *process, uint32_t id);
