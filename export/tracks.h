// SPDX-License-Identifier: Apache-2.0
// The faults and moments of a model by thread, for formats that have a track for each.
#pragma once

#include "base/vec.h"
#include "model/moments.h"

#include <stdbool.h>
#include <stdint.h>

/** A thread that took faults, or was seen at moments that are shown. */
struct track {
	uint32_t pid, tid;
	uint32_t comm; // its last name: into model.comms
	uint64_t first_ns;
	// Into tracks.faults and .moments, in order of time. Moments that are left out are there as
	// well: a thread does not run while it waits for what nobody asked about.
	uint64_t first_fault, fault_count, first_moment, moment_count;
};

struct tracks {
	// By process, those that began first first; of a process its first thread, then likewise.
	VEC(struct track) list;
	uint32_t *faults;  // into model.faults, by track
	uint32_t *moments; // into model.moments, by track
};

/**
 * Whether @moment is a sample of its thread, which has a row: not one that is left out, and not one
 * in a fault, whose duration has it.
 */
bool tracks_shows(const struct model_moment *moment);

/** Release with tracks_deinit(). */
void tracks_init(struct tracks *tracks, const struct model *model);
void tracks_deinit(struct tracks *tracks);

/** How many tracks from @first on are of its process. */
size_t tracks_of_process(const struct tracks *tracks, size_t first);
