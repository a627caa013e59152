// SPDX-License-Identifier: Apache-2.0
// How capstone reads the instructions of a processor, and what their operands mean.
#pragma once

#include "machine/machine.h"

struct cs_insn;

struct machine_touches {
	bool reads, writes; // memory
};

enum machine_reference_kind {
	MACHINE_REFERENCE_BRANCH,  // a call of, or a jump to, this address
	MACHINE_REFERENCE_NUMBER,  // an operand that may be an address
	MACHINE_REFERENCE_READ,	   // memory that is read
	MACHINE_REFERENCE_ADDRESS, // memory that is written, or whose address is taken
};

struct machine_reference {
	enum machine_reference_kind kind;
	uint64_t vaddr;
};

enum { MACHINE_REFERENCES = 8 }; // of one instruction, at most

struct machine_operands {
	int arch, mode; // capstone's: CS_ARCH_X86, CS_MODE_64
	struct machine_touches (*touches)(const struct cs_insn *instruction);
	/** As disassembler_references(); NULL: unknown, and there are none. */
	size_t (*references)(const struct cs_insn *instruction,
			     struct machine_reference ret[static MACHINE_REFERENCES]);
};
