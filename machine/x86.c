// SPDX-License-Identifier: Apache-2.0
// x86-64 and i386.
#include "machine/x86.h"

#include "machine/processors.h"

#include <elf.h>

// ---- Calls ------------------------------------------------------------------------------------

/**
 * True if @code ends with a call of what stands where a register points, or at an index from there
 * (SDM volume 2, tables 2-1 to 2-3). A displacement of 0 is how some registers are written.
 */
static bool ends_with_call_by_pointer(const uint8_t code[static X86_CALL_SIZE])
{
	enum {
		CALL = 2,  // in the middle of the byte behind 0xff
		INDEX = 4, // instead of a register: another byte has two
		NONE = 5,  // instead of a register, without displacement: an address; with one %rbp
		EXTENDED = 0x41, // before the call: one of the registers from 8 on
		BACK = 0xf8,	 // a displacement of -8: a loop has gone on to the next word
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
			return at[size - 1] == 0 || (at[size - 1] == BACK && !has_index &&
						     (base != NONE || at[-1] == EXTENDED));
		// With a prefix it is another register.
		if (has_index && memcmp(at, stack_top, sizeof(stack_top)) == 0)
			return at[-1] == EXTENDED;
		return (has_index ? at[2] & 7 : base) != NONE;
	}
	return false;
}

static enum machine_call_kind call_before_64(const uint8_t *code, uint64_t end,
					     uint64_t *ret_target)
{
	if (code[0] == X86_CALL) {
		*ret_target = end + (uint64_t)(int64_t)(int32_t)x86_u32(code + 1);
		return MACHINE_CALL_DIRECT;
	}
	return ends_with_call_by_pointer(code) ? MACHINE_CALL_BY_POINTER : MACHINE_CALL_NONE;
}

static enum machine_call_kind call_before_32(const uint8_t *code, uint64_t end,
					     uint64_t *ret_target)
{
	enum machine_call_kind kind = call_before_64(code, end, ret_target);

	*ret_target &= UINT32_MAX;
	return kind;
}

// mov %eax, %edi
static const uint8_t passed_64[] = { 0x89, 0xc7 };
// add $16, %esp; sub $12, %esp; push %eax
static const uint8_t passed_32[] = { 0x83, 0xc4, 0x10, 0x83, 0xec, 0x0c, 0x50 };

// ---- PLT stubs --------------------------------------------------------------------------------

/** Bytes of the instruction at @code that comes before the jump in a stub; 0 for any other. */
static unsigned x86_prefix(const uint8_t *code)
{
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		return 4; // endbr64, endbr32
	if (code[0] == 0xf2)
		return 1; // bnd
	if (code[0] == 0x41 && code[1] == 0x53)
		return 2; // push %r11
	if (code[0] == 0x41 && code[1] == 0xbb)
		return 6; // mov $n,%r11d
	if (code[0] == 0xb9)
		return 5; // mov $n,%ecx
	if (code[0] == 0xff && (code[1] == 0x35 || code[1] == 0xb3))
		return 6; // push of a slot
	return 0;
}

/**
 * `jmp *slot`, or `push $n` of the number of a relocation that is passed to the resolver. All
 * linkers build their stubs of these few instructions.
 */
static enum machine_target stub_of(const uint8_t *code, uint64_t size, uint64_t vaddr,
				   bool is_64bit, uint64_t *ret_operand)
{
	uint64_t at = 0;

	while (at + 6 <= size && x86_prefix(code + at))
		at += x86_prefix(code + at);
	if (at + 6 > size)
		return MACHINE_TARGET_UNKNOWN;
	if (code[at] == 0x68) {
		uint64_t index = x86_u32(code + at + 1);

		// i386 counts in bytes of its REL table.
		*ret_operand = is_64bit ? index : index / 8;
		return MACHINE_TARGET_RELOCATION;
	}
	uint64_t operand = x86_u32(code + at + 2);
	if (code[at] == X86_INDIRECT && code[at + 1] == 0x25) {
		// In 64-bit code it counts from the next instruction, and is signed.
		*ret_operand =
			is_64bit ? vaddr + at + 6 + (uint64_t)(int64_t)(int32_t)operand : operand;
		return MACHINE_TARGET_SLOT;
	}
	*ret_operand = operand;
	return !is_64bit && code[at] == X86_INDIRECT && code[at + 1] == 0xa3
		       ? MACHINE_TARGET_GOT
		       : MACHINE_TARGET_UNKNOWN;
}

static enum machine_target stub_64(const uint8_t *code, uint64_t size, uint64_t vaddr,
				   uint64_t *ret_operand)
{
	return stub_of(code, size, vaddr, true, ret_operand);
}

static enum machine_target stub_32(const uint8_t *code, uint64_t size, uint64_t vaddr,
				   uint64_t *ret_operand)
{
	return stub_of(code, size, vaddr, false, ret_operand);
}

/** Bits: enum perf_event_x86_regs of asm/perf_regs.h, which is each processor's own. */
static const struct machine_sampled sampled_64[] = {
	{ 0, 0 },   { 1, 3 },	{ 2, 2 },   { 3, 1 },	{ 4, 4 },   { 5, 5 },
	{ 6, 6 },   { 7, 7 },	{ 8, 16 },  { 16, 8 },	{ 17, 9 },  { 18, 10 },
	{ 19, 11 }, { 20, 12 }, { 21, 13 }, { 22, 14 }, { 23, 15 },
};
/** Stubs without a lazy part are a `jmp *slot` of six bytes and a nop of two. */
static uint8_t stub_size_at(const uint8_t *code, uint64_t size)
{
	return size >= 8 && code[0] == X86_INDIRECT && code[6] == 0x66 && code[7] == 0x90 ? 8 : 0;
}

// As mold begins it: endbr32; push %ecx.
static const uint8_t plt_from_got[] = { 0xf3, 0x0f, 0x1e, 0xfb, 0x51 };

const struct machine machine_x86_64 = {
	.elf = EM_X86_64,
	.name = "x86_64",
	.calls = machine_x86_64_calls,
	.call_count = MACHINE_X86_64_CALLS,
	.stub_size_at = stub_size_at,
	.stub = stub_64,
	.call_size = X86_CALL_SIZE,
	.call_before = call_before_64,
	.result_passed = passed_64,
	.result_passed_size = sizeof(passed_64),
	.find_branch = x86_64_find_branch,
	.last_indirect_jump = x86_64_last_indirect_jump,
	.indirect_jump = x86_64_indirect_jump,
	.first_argument = x86_64_first_argument,
	.sets_thread_pointer = x86_64_sets_thread_pointer,
	.hashes_names = x86_hashes_names,
	.makes_thread = x86_64_makes_thread,
	.eh_return_registers = 1 << 0 | 1 << 1, // rax, rdx
	.operands = &x86_64_operands,
	.unwinding = &x86_64_unwinding,
	.sampled = sampled_64,
};

const struct machine machine_i386 = {
	.elf = EM_386,
	.stub_size_at = stub_size_at,
	.stub = stub_32,
	.plt_from_got = plt_from_got,
	.plt_from_got_size = sizeof(plt_from_got),
	.call_size = X86_CALL_SIZE,
	.call_before = call_before_32,
	.result_passed = passed_32,
	.result_passed_size = sizeof(passed_32),
	.find_branch = i386_find_branch,
	.last_indirect_jump = i386_last_indirect_jump,
	.indirect_jump = i386_indirect_jump,
	.hashes_names = x86_hashes_names,
	.operands = &i386_operands,
	.unwinding = &i386_unwinding,
};
