// SPDX-License-Identifier: Apache-2.0
// A stack as it was captured: registers and raw bytes. Holds the traced program's secrets, so it
// never leaves the recorder's memory.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Registers in the order of DWARF on x86-64 (psABI fig. 3.36): 0 rax .. 15 r15, 16 the ip. */
enum { RAW_REGISTER_COUNT = 17, RAW_REGISTER_SP = 7, RAW_REGISTER_IP = 16 };

/** One captured stack; bytes are borrowed. */
struct raw_stack {
	uint32_t pid;
	uint64_t time_ns;
	uint64_t registers[RAW_REGISTER_COUNT];
	bool is_32bit;	     // the program runs in 32-bit mode
	bool reaches_bottom; // the bytes go up to the end of the stack
	uint32_t size;	     // bytes from registers[RAW_REGISTER_SP] upwards
	const uint8_t *bytes;
};
