// SPDX-License-Identifier: Apache-2.0
// x86-64 and i386.
#include "machine/processors.h"

#include <elf.h>

const struct machine machine_x86_64 = {
	.elf = EM_X86_64,
	.name = "x86_64",
	.calls = machine_x86_64_calls,
	.call_count = MACHINE_X86_64_CALLS,
};

const struct machine machine_i386 = {
	.elf = EM_386,
};
