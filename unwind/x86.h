// SPDX-License-Identifier: Apache-2.0
// x86-64 instructions, as far as walking through code needs them: where they end, where they jump
// to, and what they do with rbp.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_flow {
	X86_GOES_ON,	    // calls as well
	X86_MAY_JUMP,	    // or goes on
	X86_JUMPS,	    // always, to .target
	X86_JUMPS_ANYWHERE, // through a register or memory
	X86_ENDS,	    // returns, or traps
};

struct x86_instruction {
	uint8_t size;
	enum x86_flow flow;
	int64_t target; // from its own first byte; of X86_MAY_JUMP and X86_JUMPS
	bool pushes_rbp;
	bool restores_rbp;  // pop %rbp, leave
	bool addresses_rbp; // an operand is in memory that rbp points near to
	bool moves_sp;	    // as far as known; calls do not
	// Registers + 1, 0: none. Memory whose address has an index may be a switch's table.
	uint8_t loads_pointer; // mov from memory, without an index
	uint8_t jumps_to;      // X86_JUMPS_ANYWHERE, by a register
	bool jumps_by_pointer; // X86_JUMPS_ANYWHERE, by memory without an index
};

/**
 * Read the instruction that begins with @bytes, of which @size are there.
 *
 * Returns: false for what is not an instruction, or cut. Never reads past @size, whatever the
 * bytes. Source: Intel SDM vol. 2 app. A "Opcode Map"; AMD APM vol. 3 app. A for XOP.
 */
bool x86_read(const uint8_t *bytes, size_t size, struct x86_instruction *ret_instruction);
