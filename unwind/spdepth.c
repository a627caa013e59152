// SPDX-License-Identifier: Apache-2.0
#include "unwind/spdepth.h"

enum { CODE_MAX = 16 << 10, TARGETS_MAX = 64, DEPTH_MAX = 1 << 20 };

/** A place further on that a jump leads to. */
struct target {
	uint64_t vaddr;
	int64_t depth;
};

struct walk {
	int64_t depth;
	bool is_reached; // the instruction at hand runs, at this depth
	struct target targets[TARGETS_MAX];
	unsigned int target_count;
};

/** Take up what a jump brought to @vaddr; false if two ways disagree. */
static bool arrive(struct walk *walk, uint64_t vaddr)
{
	for (unsigned int i = 0; i < walk->target_count; i++) {
		if (walk->targets[i].vaddr != vaddr)
			continue;
		if (walk->is_reached && walk->depth != walk->targets[i].depth)
			return false;
		walk->depth = walk->targets[i].depth;
		walk->is_reached = true;
	}
	return true;
}

/** Go past @instruction at @vaddr; false if it does what is not known. */
static bool pass(struct walk *walk, const struct machine_unwinding *unwinding, uint64_t vaddr,
		 const uint8_t *code, const struct machine_instruction *instruction)
{
	int64_t change;
	bool jumps = instruction->flow == MACHINE_MAY_JUMP || instruction->flow == MACHINE_JUMPS;

	if (!walk->is_reached)
		return true;
	if (!unwinding->change_sp(code, instruction, &change))
		return false;
	walk->depth -= change;
	if (walk->depth < 0 || walk->depth > DEPTH_MAX)
		return false;
	if (jumps && instruction->target > 0) {
		if (walk->target_count == TARGETS_MAX)
			return false;
		walk->targets[walk->target_count++] = (struct target){
			.vaddr = vaddr + (uint64_t)instruction->target,
			.depth = walk->depth,
		};
	}
	walk->is_reached =
		instruction->flow == MACHINE_GOES_ON || instruction->flow == MACHINE_MAY_JUMP;
	return true;
}

bool spdepth_find(const struct image *image, uint64_t start, uint64_t vaddr, uint64_t *ret_depth)
{
	struct walk walk = { .is_reached = true };
	uint64_t before, size, at = start;
	const uint8_t *code = image_code(image, start, &before, &size);

	if (!code || vaddr < start || vaddr - start > CODE_MAX || vaddr - start > size)
		return false;
	for (;;) {
		struct machine_instruction instruction;
		const uint8_t *here = code + (at - start);

		if (!arrive(&walk, at))
			return false;
		if (at >= vaddr)
			break;
		if (!image->unwinding->read(here, size - (at - start), &instruction))
			return false;
		if (!pass(&walk, image->unwinding, at, here, &instruction))
			return false;
		at += instruction.size;
	}
	*ret_depth = (uint64_t)walk.depth;
	return at == vaddr && walk.is_reached;
}
