// SPDX-License-Identifier: Apache-2.0
// Faults that system calls took without an event: by call, and by file where the call was for one.
#pragma once

#include "base/u64map.h"
#include "correlate/replay/aspace.h"
#include "correlate/replay/rows.h"
#include "model/prefault.h"

/** Zero-initialise; release with prefaults_deinit(). */
struct prefaults {
	VEC(struct model_prefault) rows;
	struct u64map by_key; // call, file and section -> rows
	uint64_t looked;      // pages that were looked up one by one
};

/** Add @from, of a process with @aspace as it is when the call returns. */
void prefaults_add(struct prefaults *prefaults, struct objects *objects, struct aspace *aspace,
		   const struct trace_prefault *from, uint64_t page_size);

/** Hand them over to @model, most faults first, and count them. */
void prefaults_fill(struct prefaults *prefaults, struct model *model);

void prefaults_deinit(struct prefaults *prefaults);
