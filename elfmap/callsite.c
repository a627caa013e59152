// SPDX-License-Identifier: Apache-2.0
// Facts about a call, from the bytes around its return address.
#include "elfmap/private.h"

enum {
	X86_CALL = 0xe8,
	X86_CALL_SIZE = 5,
	X86_INDIRECT = 0xff, // a byte that says what and where follows
	A64_CALL_SIZE = 4,
};

/** A 26-bit signed count of instructions, as `bl` has it. */
static uint64_t a64_displacement(uint32_t instruction)
{
	uint64_t words = instruction & 0x03ffffff;

	return (words ^ 0x02000000) * 4 - UINT64_C(0x08000000);
}

bool elfmap_call_target(struct elfmap *map, uint64_t last_byte, uint64_t *ret_vaddr)
{
	uint8_t code[X86_CALL_SIZE];

	switch (map->info.machine) {
	case EM_X86_64:
	case EM_386:
		if (last_byte < X86_CALL_SIZE ||
		    elfmap_read(map, last_byte + 1 - X86_CALL_SIZE, code, X86_CALL_SIZE) !=
			    X86_CALL_SIZE ||
		    code[0] != X86_CALL)
			return false;
		*ret_vaddr = last_byte + 1 + (uint64_t)(int64_t)(int32_t)elfmap_u32(map, code + 1);
		if (map->info.machine == EM_386)
			*ret_vaddr &= UINT32_MAX;
		return true;
	case EM_AARCH64: {
		uint32_t instruction;

		if (last_byte < A64_CALL_SIZE || elfmap_read(map, last_byte + 1 - A64_CALL_SIZE,
							     code, A64_CALL_SIZE) != A64_CALL_SIZE)
			return false;
		// Instructions are little-endian whatever the data is.
		memcpy(&instruction, code, sizeof(instruction));
		instruction = le32toh(instruction);
		if (instruction >> 26 != 0x25)
			return false;
		*ret_vaddr = last_byte + 1 - A64_CALL_SIZE + a64_displacement(instruction);
		return true;
	}
	default:
		return false;
	}
}

static bool is_x86(const struct elfmap *map)
{
	return map->info.machine == EM_X86_64 || map->info.machine == EM_386;
}

/**
 * Whether @code ends with a call of what stands where a register points, or at an index from there
 * (SDM volume 2, tables 2-1 to 2-3). A displacement of 0 is how some registers are written.
 */
static bool ends_with_call_by_pointer(const uint8_t code[static X86_CALL_SIZE])
{
	enum {
		CALL = 2,  // in the middle of the byte behind 0xff
		INDEX = 4, // instead of a register: another byte has two
		NONE = 5,  // instead of a register, without displacement: an address
	};
	static const uint8_t stack_top[] = { X86_INDIRECT, 0x14, 0x24 };

	for (size_t size = 2; size <= 4; size++) {
		const uint8_t *at = code + X86_CALL_SIZE - size;
		unsigned mode = at[1] >> 6, base = at[1] & 7; // mode 1: a displacement of one byte
		bool has_index = base == INDEX;

		if (at[0] != X86_INDIRECT || (at[1] >> 3 & 7) != CALL || mode > 1 ||
		    size != 2U + has_index + mode)
			continue;
		if (mode == 1)
			return at[size - 1] == 0;
		// With a prefix it is another register.
		if (has_index && memcmp(at, stack_top, sizeof(stack_top)) == 0)
			return at[-1] == 0x41;
		return (has_index ? at[2] & 7 : base) != NONE;
	}
	return false;
}

bool elfmap_calls_by_pointer(struct elfmap *map, uint64_t last_byte)
{
	uint8_t code[X86_CALL_SIZE];
	uint64_t target;

	return is_x86(map) && last_byte >= X86_CALL_SIZE &&
	       !elfmap_call_target(map, last_byte, &target) &&
	       elfmap_read(map, last_byte + 1 - X86_CALL_SIZE, code, X86_CALL_SIZE) ==
		       X86_CALL_SIZE &&
	       ends_with_call_by_pointer(code);
}

bool elfmap_result_passed_to(struct elfmap *map, uint64_t last_byte,
			     struct elfmap_branch *ret_branch)
{
	static const uint8_t in_register[] = { 0x89, 0xc7 }; // mov %eax, %edi
	// add $16, %esp; sub $12, %esp; push %eax
	static const uint8_t on_stack[] = { 0x83, 0xc4, 0x10, 0x83, 0xec, 0x0c, 0x50 };
	bool is_64bit = map->info.machine == EM_X86_64;
	const uint8_t *passing = is_64bit ? in_register : on_stack;
	size_t size = is_64bit ? sizeof(in_register) : sizeof(on_stack);
	uint8_t code[sizeof(on_stack)];
	uint64_t target, next = last_byte + 1 + size;
	struct range call = { next, next + X86_CALL_SIZE };

	return is_x86(map) && next > last_byte && call.end > next &&
	       !elfmap_call_target(map, last_byte, &target) &&
	       elfmap_read(map, last_byte + 1, code, size) == size &&
	       memcmp(code, passing, size) == 0 && elfmap_branch_next(map, &call, ret_branch) &&
	       call.start == next + 1 && ret_branch->is_call;
}
