// SPDX-License-Identifier: Apache-2.0
// 64-bit ARM.
#include "machine/processors.h"

#include <elf.h>

const struct machine machine_arm64 = {
	.elf = EM_AARCH64,
	.name = "aarch64",
	.calls = machine_generic_calls,
	.call_count = MACHINE_GENERIC_CALLS,
};
