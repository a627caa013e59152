// SPDX-License-Identifier: Apache-2.0
// Call stacks written once: a line for each frame and each stack before the first fault that has
// it. docs/schema/fault-ids.schema.json describes the lines.
#pragma once

#include "base/u64map.h"
#include "render/emit.h"

/** Stacks and frames written so far. Zero-initialise; release with stackids_deinit(). */
struct stackids {
	struct u64map frames; // where it is in memory -> its number
	struct u64map stacks; // index into model.stacks -> its number
};

/** Append the lines that define @stack, an index into model.stacks, unless they were. */
void stackids_define(struct stackids *ids, struct strbuf *buf, const struct model *model,
		     const struct emit_names *names, uint32_t stack);
void stackids_deinit(struct stackids *ids);
