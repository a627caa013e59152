// SPDX-License-Identifier: Apache-2.0
#include "unwind/spdepth.h"

#include "base/range.h"

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
	uint64_t unreached; // where nothing runs any more, unless a jump leads there
	struct range hole;  // what only a jump from behind it may lead to, once that is known
	struct target back; // such a jump; .vaddr 0: none yet
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

/** Keep a jump from @from to @vaddr, once; false if there are too many. */
static bool add_target(struct walk *walk, uint64_t from, uint64_t vaddr)
{
	if (range_contains(walk->hole, vaddr))
		walk->back = (struct target){ vaddr, walk->depth };
	if (vaddr <= from)
		return true;
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

/** A function's code, from its start. */
struct code {
	const struct image *image;
	const uint8_t *bytes;
	uint64_t start, size;
};

/** Go past @instruction at @vaddr; false if it does what is not known. */
static bool pass(struct walk *walk, const struct code *code, uint64_t vaddr,
		 const struct machine_instruction *instruction)
{
	// Free Pascal's main pops its return address to keep it, and puts it back at once.
	const int64_t least = vaddr > code->start ? 0 : code->image->is_32bit ? -4 : -8;
	int64_t change;
	bool jumps = instruction->flow == MACHINE_MAY_JUMP || instruction->flow == MACHINE_JUMPS;

	if (!walk->is_reached)
		return true;
	if (!code->image->unwinding->change_sp(code->bytes + (vaddr - code->start), instruction,
					       &change))
		return false;
	walk->depth -= change;
	if (walk->depth < least || walk->depth > DEPTH_MAX)
		return false;
	follow_frame(walk, instruction);
	if (jumps && !add_target(walk, vaddr, vaddr + (uint64_t)instruction->target))
		return false;
	walk->is_reached =
		instruction->flow == MACHINE_GOES_ON || instruction->flow == MACHINE_MAY_JUMP;
	walk->unreached = vaddr + instruction->size;
	return true;
}

/**
 * Read the instructions from *@at to @end, or to a jump back into the hole, or as far as any can
 * run; false if one of them does what is not known.
 */
static bool read_on(struct walk *walk, const struct code *code, uint64_t *at, uint64_t end)
{
	while (arrive(walk, *at)) {
		struct machine_instruction instruction;
		uint64_t passed = *at - code->start;
		bool may_run = walk->is_reached || walk->target_count > 0;

		if (*at >= end || walk->back.vaddr || !may_run)
			return true;
		if (!code->image->unwinding->read(code->bytes + passed, code->size - passed,
						  &instruction) ||
		    !pass(walk, code, *at, &instruction))
			return false;
		*at += instruction.size;
	}
	return false;
}

bool spdepth_find(const struct image *image, uint64_t start, uint64_t vaddr,
		  struct spdepth *ret_depth)
{
	struct walk walk = { .is_reached = true };
	struct code code = { .image = image, .start = start };
	uint64_t before, at = start;

	code.bytes = image_code(image, start, &before, &code.size);
	if (!code.bytes || vaddr < start || vaddr - start > CODE_MAX || vaddr - start > code.size)
		return false;
	if (code.size > CODE_MAX)
		code.size = CODE_MAX;
	if (!read_on(&walk, &code, &at, vaddr) || at != vaddr)
		return false;
	if (!walk.is_reached) {
		// A loop whose condition stands behind it.
		walk.hole = (struct range){ walk.unreached, vaddr + 1 };
		read_on(&walk, &code, &at, start + code.size);
		if (!walk.back.vaddr)
			return false;
		at = walk.back.vaddr;
		walk = (struct walk){ .depth = walk.back.depth,
				      .is_reached = true,
				      .has_branched = true,
				      .is_saved = walk.is_saved,
				      .saved_at = walk.saved_at,
				      .is_frame_lost = walk.is_frame_lost };
		if (!read_on(&walk, &code, &at, vaddr) || at != vaddr || !walk.is_reached)
			return false;
	}
	*ret_depth = (struct spdepth){
		.bytes = (uint64_t)walk.depth,
		// Popped, it is in its register again.
		.has_frame = !walk.is_frame_lost,
		.is_saved = walk.is_saved && walk.saved_at <= walk.depth,
		.frame_at = (uint64_t)(walk.depth - walk.saved_at),
	};
	return true;
}
