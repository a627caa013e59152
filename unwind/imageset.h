// SPDX-License-Identifier: Apache-2.0
// Mapped ELF files at the time when a stack was captured: the history of mappings replayed.
#pragma once

#include "base/vec.h"
#include "unwind/image.h"
#include "unwind/unwind.h"

/** Modules that do not overlap; shared by all processes with the same mappings. */
struct imageset {
	uint32_t *modules; // into imagesets.modules
	uint32_t module_count;
};

/** A stack and the set to unwind it with. */
struct imageset_stack {
	uint32_t stack; // id in the spool
	uint32_t set;	// into imagesets.sets
	bool is_32bit;
};

/** The whole answer. */
struct imagesets {
	VEC(struct module) modules;
	VEC(struct imageset) sets;
	VEC(struct imageset_stack) stacks; // one for each of the spool, sorted by set
};

/**
 * Replay @input and give each stack its set.
 *
 * A set keeps growing while files are added (a file that is not there yet does no harm to an
 * earlier stack) and is closed when a mapping takes an address away from one of its files, so that
 * a process needs one set for each program it ran, and forked processes share one.
 */
void imagesets_build(struct imagesets *sets, struct images *images,
		     const struct unwind_input *input);

/** The module of @set that @addr lies in, or NULL. */
const struct module *imageset_module_at(const struct imagesets *sets, const struct imageset *set,
					uint64_t addr);

void imagesets_deinit(struct imagesets *sets);
