// SPDX-License-Identifier: Apache-2.0
#include "unwind/spdepth.h"

enum { CODE_MAX = 16 << 10, TARGETS_MAX = 512, DEPTH_MAX = 1 << 20 };

/** A place further on that a jump leads to. */
struct target {
	uint64_t vaddr;
	int64_t depth;
};

struct walk {
	int64_t depth;
	bool is_reached;		    // the instruction at hand runs, at this depth
	struct target targets[TARGETS_MAX]; // not come to yet
	unsigned int target_count;
	// Of the frame pointer:
	bool has_branched;  // no instruction is sure to run any more
	bool is_saved;	    // it was pushed before that,
	int64_t saved_at;   // at this depth
	bool is_frame_lost; // pushed or popped elsewhere
};

/** Take up what jumps brought to @vaddr, the next instruction; false if two ways disagree. */
static bool arrive(struct walk *walk, uint64_t vaddr)
{
	for (unsigned int i = 0; i < walk->target_count;) {
		const struct target target = walk->targets[i];

		if (target.vaddr > vaddr) {
			i++;
			continue;
		}
		walk->targets[i] = walk->targets[--walk->target_count];
		if (target.vaddr < vaddr) // amid an instruction
			continue;
		if (walk->is_reached && walk->depth != target.depth)
			return false;
		walk->depth = target.depth;
		walk->is_reached = true;
	}
	return true;
}

/** Keep a jump to @vaddr, once; false if there are too many. */
static bool add_target(struct walk *walk, uint64_t vaddr)
{
	for (unsigned int i = 0; i < walk->target_count; i++)
		if (walk->targets[i].vaddr == vaddr && walk->targets[i].depth == walk->depth)
			return true;
	if (walk->target_count == TARGETS_MAX)
		return false;
	walk->targets[walk->target_count++] = (struct target){ vaddr, walk->depth };
	return true;
}

/** Note what @instruction, behind which sp is, does to the frame pointer. */
static void follow_frame(struct walk *walk, const struct machine_instruction *instruction)
{
	if (instruction->pushes_frame && !walk->has_branched && !walk->is_saved) {
		walk->is_saved = true;
		walk->saved_at = walk->depth;
	} else if (instruction->pushes_frame || (instruction->restores_frame && !walk->is_saved)) {
		walk->is_frame_lost = true;
	}
	walk->has_branched = walk->has_branched || instruction->flow != MACHINE_GOES_ON;
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
	follow_frame(walk, instruction);
	if (jumps && instruction->target > 0 &&
	    !add_target(walk, vaddr + (uint64_t)instruction->target))
		return false;
	walk->is_reached =
		instruction->flow == MACHINE_GOES_ON || instruction->flow == MACHINE_MAY_JUMP;
	return true;
}

bool spdepth_find(const struct image *image, uint64_t start, uint64_t vaddr,
		  struct spdepth *ret_depth)
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
	*ret_depth = (struct spdepth){
		.bytes = (uint64_t)walk.depth,
		// Popped, it is in its register again.
		.has_frame = !walk.is_frame_lost,
		.is_saved = walk.is_saved && walk.saved_at <= walk.depth,
		.frame_at = (uint64_t)(walk.depth - walk.saved_at),
	};
	return at == vaddr && walk.is_reached;
}
