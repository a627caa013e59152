// SPDX-License-Identifier: Apache-2.0
// What was read within each system call. Serves correlate/storage/storage.c.
#pragma once

#include "base/arena.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "model/storage.h"
#include "trace/trace.h"

/** Zero-initialise; release with storage_calls_deinit(). */
struct storage_calls {
	VEC(struct model_storage_call) list;
	struct u64map by_number; // name's number -> place in list + 1
};

/** Count a part of a request, if it was made in a system call. */
void storage_calls_add(struct storage_calls *calls, const struct trace_request *part,
		       enum model_storage_cause cause);

/** Sort them, and hand them over to @arena. */
void storage_calls_fill(struct storage_calls *calls, struct arena *arena,
			struct model_storage *storage);

void storage_calls_deinit(struct storage_calls *calls);
