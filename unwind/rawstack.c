// SPDX-License-Identifier: Apache-2.0
#include "unwind/rawstack.h"

#include "base/checked.h"

const uint8_t *raw_stack_at(const struct raw_stack *stack, uint64_t addr, size_t size)
{
	uint64_t sp = stack->registers[MACHINE_SP];

	if (addr >= sp && checked_within(addr - sp, size, stack->size))
		return stack->bytes + (addr - sp);
	if (addr >= stack->interrupted_sp &&
	    checked_within(addr - stack->interrupted_sp, size, stack->interrupted_size))
		return stack->bytes + stack->size + (addr - stack->interrupted_sp);
	return NULL;
}

/** Drop @bytes of those at its beginning. */
static void drop(struct raw_stack *stack, uint64_t bytes)
{
	stack->bytes += bytes;
	stack->size -= (uint32_t)bytes; // at most size
}

bool raw_stack_move(struct raw_stack *stack, uint64_t sp)
{
	uint64_t into = sp - stack->registers[MACHINE_SP];
	bool is_there = into <= stack->size;

	stack->registers[MACHINE_SP] = sp;
	drop(stack, is_there ? into : stack->size);
	if (is_there || stack->interrupted_size == 0 ||
	    sp - stack->interrupted_sp > stack->interrupted_size)
		return is_there;
	stack->size = stack->interrupted_size;
	stack->reaches_bottom = stack->interrupted_reaches_bottom;
	stack->interrupted_size = 0;
	drop(stack, sp - stack->interrupted_sp);
	return true;
}
