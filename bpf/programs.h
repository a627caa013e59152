// SPDX-License-Identifier: Apache-2.0
// fault.bpf.c in the kernel: which of its programs this kernel can have, and the sizes of its
// rings.
#pragma once

#include "bpf/backend.h"

#include <stdbool.h>

struct fault_bpf;

/**
 * Load what this kernel has and @config asks for; without storage where the kernel refuses that, of
 * which a note tells. @base gets .sees_storage and .times_calls. Returns: to be released with
 * fault_bpf__destroy(); NULL: @err as backend_bpf_open() has it.
 */
struct fault_bpf *programs_load(const struct backend_config *config, struct backend *base,
				struct notes *notes, struct err *err);

/** Say that @what failed with @code, an errno, and what helps. Returns false. */
bool programs_fail(struct err *err, int code, const char *what);
