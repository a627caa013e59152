// SPDX-License-Identifier: Apache-2.0
// Takes what the kernel side tells of storage (bpf/storage_event.h) and gives it to the sink.
// Serves the BPF backend.
#pragma once

#include "bpf/mountpoints.h"
#include "bpf/requests.h"

/** Zero-initialise; release with storagedrain_deinit(). */
struct storagedrain {
	struct requests requests;
	struct mountpoints mountpoints;
	struct strbuf inner, path;
};

/** Whether records of @kind are of storage. */
bool storagedrain_knows(uint32_t kind);

/** Deliver one record; false if it is malformed. */
bool storagedrain_take(struct storagedrain *drain, const void *data, size_t size,
		       struct sink *sink);

void storagedrain_deinit(struct storagedrain *drain);
