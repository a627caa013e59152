// SPDX-License-Identifier: Apache-2.0
// A stack as it was captured: registers and raw bytes. Holds the traced program's secrets, so it
// never leaves the recorder's memory.
#pragma once

#include "machine/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One captured stack; bytes are borrowed. */
struct raw_stack {
	uint32_t pid;
	uint64_t time_ns;
	uint64_t registers[MACHINE_REGISTERS];
	bool is_32bit;	     // the program runs in 32-bit mode
	bool reaches_bottom; // the bytes go up to the end of the stack
	uint32_t size;	     // bytes from registers[MACHINE_SP] upwards
	const uint8_t *bytes;
	// Of a signal handler's own stack: what is known of the one that it interrupted. Those
	// bytes follow the others.
	uint64_t interrupted_sp;
	uint32_t interrupted_size; // 0: nothing
	bool interrupted_reaches_bottom;
};

/** How many bytes it has in all. */
static inline size_t raw_stack_bytes(const struct raw_stack *stack)
{
	return (size_t)stack->size + stack->interrupted_size;
}

/**
 * The @size bytes at @addr, of whichever of the two; NULL where not all were copied. Bytes that a
 * frame has left are not there any more.
 */
const uint8_t *raw_stack_at(const struct raw_stack *stack, uint64_t addr, size_t size);

/**
 * Let @stack begin at @sp, further out or on the interrupted stack.
 * Returns: whether that was copied; else it has no bytes left but the interrupted ones.
 */
bool raw_stack_move(struct raw_stack *stack, uint64_t sp);
