// SPDX-License-Identifier: Apache-2.0
// Operands of 64-bit ARM's instructions: the memory that they touch.
#include "machine/operands.h"
#include "machine/processors.h"

#include <capstone/capstone.h>

static struct machine_touches touches(const struct cs_insn *instruction)
{
	const cs_arm64 *arm64 = &instruction->detail->arm64;
	struct machine_touches touched = { 0 };

	for (uint8_t i = 0; i < arm64->op_count; i++) {
		if (arm64->operands[i].type != ARM64_OP_MEM)
			continue;
		// All stores, and nothing else that has a memory operand, begin with "st".
		bool is_store = instruction->mnemonic[0] == 's' && instruction->mnemonic[1] == 't';

		touched.writes |= is_store;
		touched.reads |= !is_store;
	}
	return touched;
}

const struct machine_operands arm64_operands = {
	.arch = CS_ARCH_ARM64,
	.mode = CS_MODE_ARM,
	.touches = touches,
};
