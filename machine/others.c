// SPDX-License-Identifier: Apache-2.0
// Processors of which only oddities of their ELF files are known.
#include "machine/processors.h"

#include <elf.h>

const struct machine machine_arm = {
	.elf = EM_ARM,
	.mode_bits = 1, // Thumb
	.marker_letters = "adtx",
};

const struct machine machine_riscv = {
	.elf = EM_RISCV,
	.marker_letters = "dx",
	.markers_have_suffix = true, // $xrv64gc
};

const struct machine machine_s390 = {
	.elf = EM_S390,
	.hash_word = 8,
	.stub_size = 32,
};

const struct machine machine_alpha = {
	.elf = EM_ALPHA,
	.hash_word = 8,
};
