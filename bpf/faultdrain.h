// SPDX-License-Identifier: Apache-2.0
// Takes what the kernel side tells of tasks and their faults (bpf/fault_event.h) and gives it to
// the sink. Serves the BPF backend.
#pragma once

#include "bpf/sink.h"
#include "bpf/stackimages.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * Deliver one record; false if it is malformed. A fault or sample whose stack alone is malformed is
 * delivered without it, all the same.
 */
bool faultdrain_take(const void *data, size_t size, struct stackimages *images, struct sink *sink);
