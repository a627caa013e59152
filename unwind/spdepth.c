// SPDX-License-Identifier: Apache-2.0
#include "unwind/spdepth.h"

#include "unwind/x86.h"

#include <string.h>

enum { CODE_MAX = 16 << 10, TARGETS_MAX = 64, DEPTH_MAX = 1 << 20, WORD = 8 };

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

/** Read what the instruction at @code adds to sp; false if it is none of those that are known. */
static bool read_change(const uint8_t *code, const struct x86_instruction *instruction,
			int64_t *ret_change)
{
	const uint8_t *opcode = code + (code[0] == 0x41);
	bool is_constant = !memcmp(code, "\x48\x83", 2) || !memcmp(code, "\x48\x81", 2);
	int32_t constant = code[3] - (code[3] & 0x80) * 2; // signed

	if (is_constant && (code[2] == 0xec || code[2] == 0xc4)) {
		if (code[1] == 0x81)
			memcpy(&constant, code + 3, sizeof(constant));
		*ret_change = code[2] == 0xec ? -(int64_t)constant : constant;
		return true;
	}
	if ((*opcode & 0xf8) == 0x50 || code[0] == 0x68 || code[0] == 0x6a) {
		*ret_change = -WORD;
		return true;
	}
	// Not pop %rsp.
	if ((*opcode & 0xf8) == 0x58 && code[0] != 0x5c) {
		*ret_change = WORD;
		return true;
	}
	// mov %rsp to another register.
	bool is_saved = (code[0] & 0xfe) == 0x48 && code[1] == 0x89 && (code[2] & 0xf8) == 0xe0 &&
			memcmp(code, "\x48\x89\xe4", 3) != 0;

	*ret_change = 0;
	return is_saved || !instruction->moves_sp;
}

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
static bool pass(struct walk *walk, uint64_t vaddr, const uint8_t *code,
		 const struct x86_instruction *instruction)
{
	int64_t change;
	bool jumps = instruction->flow == X86_MAY_JUMP || instruction->flow == X86_JUMPS;

	if (!walk->is_reached)
		return true;
	if (!read_change(code, instruction, &change))
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
	walk->is_reached = instruction->flow == X86_GOES_ON || instruction->flow == X86_MAY_JUMP;
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
		struct x86_instruction instruction;
		const uint8_t *here = code + (at - start);
		uint8_t bytes[8] = { 0 }; // the last instruction of a file may be shorter

		if (!arrive(&walk, at))
			return false;
		if (at >= vaddr)
			break;
		if (!x86_read(here, size - (at - start), &instruction))
			return false;
		memcpy(bytes, here,
		       instruction.size < sizeof(bytes) ? instruction.size : sizeof(bytes));
		if (!pass(&walk, at, bytes, &instruction))
			return false;
		at += instruction.size;
	}
	*ret_depth = (uint64_t)walk.depth;
	return at == vaddr && walk.is_reached;
}
