// SPDX-License-Identifier: Apache-2.0
// x86 code without unwinding data, and its stacks.
#include "machine/processors.h"

#include "machine/unwinding.h"

#include <string.h>

enum { WORD = 8 };

/** True if the instructions from @at on are those. */
#define IS(at, ...) \
	(!memcmp(at, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })))

// ---- Patterns around an address -------------------------------------------------------------

/** True if an indirect call ends with the @size bytes before @end. */
static bool ends_with_indirect_call(const uint8_t *end, size_t size)
{
	for (unsigned int length = 2; length <= MACHINE_CALL_MAX && length <= size; length++) {
		const uint8_t *code = end - length;
		unsigned int mod = code[1] >> 6, low = code[1] & 7, expected = 2;

		if (code[0] != 0xff || ((code[1] >> 3) & 7) != 2)
			continue;
		if (mod != 3 && low == 4) { // a SIB byte
			low = length > 2 ? code[2] & 7 : 0;
			expected++;
		}
		if (mod == 1)
			expected += 1;
		else if (mod == 2 || (mod == 0 && low == 5))
			expected += 4;
		if (expected == length)
			return true;
	}
	return false;
}

static bool is_behind_call(const uint8_t *end, size_t size, uint64_t addr, uint64_t *ret_target)
{
	int32_t distance;

	if (size < 5 || end[-5] != 0xe8)
		return ends_with_indirect_call(end, size);
	memcpy(&distance, end - 4, sizeof(distance));
	*ret_target = addr + (uint64_t)(int64_t)distance;
	return true;
}

/** In DT_INIT and DT_FINI, which crti.o and crtn.o have without unwinding data. */
static int words_in_init(const struct machine_code *code, bool is_call)
{
	const uint64_t distances[] = { code->into_init, code->into_fini };

	for (size_t i = 0; i < 2; i++) {
		uint64_t into = distances[i];

		if (into >= MACHINE_CODE_BEFORE)
			continue;

		const uint8_t *start = code->at - into;
		uint64_t sub_at = IS(start, 0xf3, 0x0f, 0x1e, 0xfa) ? 4 : 0;

		if (into <= sub_at && !is_call)
			return 0;
		if (!IS(start + sub_at, 0x48, 0x83, 0xec, 0x08) || into < sub_at + 4)
			continue;
		// Its end must still come: behind it stands what is no part of it.
		for (int ahead = 0; ahead <= MACHINE_CODE_AFTER - 5; ahead++)
			if (IS(code->at + ahead, 0x48, 0x83, 0xc4, 0x08, 0xc3))
				return 1;
	}
	return -1;
}

/**
 * PLT entries jump through their GOT slot, or push a number and jump to the first entry, which
 * pushes another word. mold passes the number in r11 and pushes that.
 */
static int words_in_plt(const uint8_t *at)
{
	bool is_jump = IS(at, 0xff, 0x25) || IS(at, 0xf2, 0xff, 0x25) || IS(at, 0xff, 0xa3);

	if (is_jump)
		return IS(at - 6, 0xff, 0x35) || IS(at - 6, 0xff, 0xb3) ? 2 : 0;
	if (IS(at, 0xff, 0x35) || IS(at, 0xff, 0xb3))
		return 1;
	if (IS(at, 0x68) && (IS(at + 5, 0xe9) || IS(at + 5, 0xf2, 0xe9)))
		return 0;
	if (IS(at - 5, 0x68) && (IS(at, 0xe9) || IS(at, 0xf2, 0xe9)))
		return 1;
	if (IS(at, 0x41, 0xbb) && IS(at + 6, 0xff, 0x25))
		return 0;
	return IS(at, 0x41, 0x53, 0xff, 0x35) ? 0 : -1;
}

static int words_to_return_32(const struct machine_code *code, bool is_call)
{
	const uint8_t *at = code->at;

	if (is_call)
		return -1;
	if (IS(at, 0xc3) || IS(at, 0xf3, 0xc3)) // ret
		return 0;
	if (IS(at, 0xf3, 0x0f, 0x1e, 0xfa) || IS(at, 0xf3, 0x0f, 0x1e, 0xfb))
		return 0; // endbr: a function's first instruction

	int words = words_in_plt(at);

	if (words >= 0)
		return words;
	// crtbegin.o's __do_global_dtors_aux: cmpb $0,completed; jne; push %rbp; cmpq $0,...
	if (IS(at, 0x80, 0x3d) && IS(at + 6, 0x00, 0x75) && IS(at + 9, 0x55))
		return 0;
	if (IS(at, 0x48, 0x83, 0x3d) && IS(at - 10, 0x80, 0x3d) && IS(at - 1, 0x55))
		return 1;
	return -1;
}

static int words_to_return_64(const struct machine_code *code, bool is_call)
{
	bool returns = !is_call && (IS(code->at, 0xc3) || IS(code->at, 0xf3, 0xc3));
	int words = returns ? 0 : words_in_init(code, is_call);

	return words >= 0 ? words : words_to_return_32(code, is_call);
}

/** syscall; test %rax,%rax. */
static bool is_behind_clone(const uint8_t *at)
{
	return IS(at - 2, 0x0f, 0x05, 0x48, 0x85, 0xc0);
}

/** mov %rbx,%rsp, which endbr64 may precede. */
static bool starts_context(const uint8_t *at)
{
	return IS(at, 0x48, 0x89, 0xdc) || IS(at + 4, 0x48, 0x89, 0xdc);
}

// ---- Signals --------------------------------------------------------------------------------

/** mov $15,%rax or mov $15,%eax; syscall. */
static bool is_sigreturn(const uint8_t *code)
{
	return IS(code, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05) ||
	       IS(code, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05);
}

enum { REGISTERS_AT = 40, SEGMENTS_AT = REGISTERS_AT + 18 * WORD, USER_CS = 0x33 };

/** struct ucontext and struct sigcontext, asm/sigcontext.h. */
static bool interrupted(const uint8_t *stack, uint64_t *ret_registers)
{
	static const uint8_t numbers[] = {
		8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16,
	};
	uint16_t cs;

	memcpy(&cs, stack + SEGMENTS_AT, sizeof(cs));
	if (cs != USER_CS)
		return false;
	for (size_t i = 0; i < sizeof(numbers); i++)
		memcpy(&ret_registers[numbers[i]], stack + REGISTERS_AT + i * WORD, WORD);
	return true;
}

// ---- Frames ---------------------------------------------------------------------------------

enum {
	BACK_MAX = 64 << 10, // bytes of a function looked at before an address
	PROLOGUE_MAX = 32,   // between the two instructions that make a frame
	MOVE_SIZE = 3,
};

static bool is_move(const uint8_t *code) // of rsp to rbp
{
	return IS(code, 0x48, 0x89, 0xe5) || IS(code, 0x48, 0x8b, 0xec);
}

/** GCC's realigned frames: what rbp points to is a copy, and sp was elsewhere. */
static bool is_behind_realigning(const uint8_t *code, uint64_t before)
{
	return before >= 4 && IS(code - 4, 0x41, 0xff, 0x72, 0xf8); // push -8(%r10)
}

/** True if whole instructions lead from the push at @code to the move @distance bytes behind it. */
static bool leads_to_move(const uint8_t *code, uint64_t size, uint64_t distance)
{
	struct machine_instruction instruction = { 0 };
	bool is_plain = true;
	uint64_t at = 0;

	while (at < distance && is_plain && x86_read(code + at, size - at, &instruction)) {
		is_plain =
			at == 0 || (!instruction.moves_sp && instruction.flow == MACHINE_GOES_ON);
		at += instruction.size;
	}
	return at == distance && !instruction.restores_frame;
}

/** Find the push of rbp that belongs to the move @code: bytes before it; 0: none. */
static uint64_t find_push(const uint8_t *code, uint64_t before, uint64_t after)
{
	for (uint64_t back = 1; back <= before && back <= PROLOGUE_MAX; back++)
		if (code[-(int64_t)back] == 0x55 && leads_to_move(code - back, after + back, back))
			return is_behind_realigning(code - back, before - back) ? 0 : back;
	return 0;
}

static bool find_prologue(const uint8_t *code, uint64_t before, uint64_t after,
			  struct machine_prologue *ret_prologue)
{
	int64_t first = before < BACK_MAX ? -(int64_t)before : -BACK_MAX;

	for (int64_t at = PROLOGUE_MAX; at >= first; at--) {
		if (at + MOVE_SIZE > (int64_t)after || !is_move(code + at))
			continue;

		uint64_t back = find_push(code + at, before + (uint64_t)at, after - (uint64_t)at);

		*ret_prologue = (struct machine_prologue){ .push = at - (int64_t)back, .move = at };
		if (back > 0 && ret_prologue->push <= 0)
			return true;
		if (at <= 0)
			return false;
	}
	return false;
}

/** True if an instruction that does not go on ends with the @before bytes before @code. */
static bool ends_there(const uint8_t *code, uint64_t before)
{
	return (before >= 1 && (code[-1] == 0xc3 || code[-1] == 0xf4)) ||	  // ret, hlt
	       (before >= 2 && (code[-2] == 0xeb || IS(code - 2, 0x0f, 0x0b))) || // jmp, ud2
	       (before >= 3 && code[-3] == 0xc2) || (before >= 5 && code[-5] == 0xe9);
}

/** True if the @size bytes at @code are instructions that do nothing, int3 or zeros. */
static bool is_padding(const uint8_t *code, uint64_t size)
{
	struct machine_instruction instruction;
	uint64_t at = 0;

	while (at < size) {
		uint64_t opcode = at;

		while (opcode < size && (code[opcode] == 0x66 || code[opcode] == 0x2e))
			opcode++;
		bool does_nothing = opcode + 1 < size && IS(code + opcode, 0x0f, 0x1f);

		if (code[opcode] == 0x90 || code[at] == 0xcc || code[at] == 0)
			at = opcode + 1;
		else if (does_nothing && x86_read(code + at, size - at, &instruction))
			at += instruction.size;
		else
			return false;
	}
	return true;
}

static bool is_behind_end(const uint8_t *code, uint64_t before)
{
	enum { PADDING_MAX = 16 };

	for (uint64_t size = 0; size < PADDING_MAX && size < before; size++)
		if (ends_there(code - size, before - size) && is_padding(code - size, size))
			return true;
	return false;
}

static bool change_sp(const uint8_t *code, const struct machine_instruction *instruction,
		      int64_t *ret_change)
{
	uint8_t bytes[8] = { 0 }; // the last instruction of a file may be shorter

	memcpy(bytes, code, instruction->size < sizeof(bytes) ? instruction->size : sizeof(bytes));

	const uint8_t *opcode = bytes + (bytes[0] == 0x41);
	bool is_constant = IS(bytes, 0x48, 0x83) || IS(bytes, 0x48, 0x81);
	int32_t constant = bytes[3] - (bytes[3] & 0x80) * 2; // signed

	if (is_constant && (bytes[2] == 0xec || bytes[2] == 0xc4)) {
		if (bytes[1] == 0x81)
			memcpy(&constant, bytes + 3, sizeof(constant));
		*ret_change = bytes[2] == 0xec ? -(int64_t)constant : constant;
		return true;
	}
	// lea distance(%rsp), %rsp, as Free Pascal has it.
	if (IS(bytes, 0x48, 0x8d, 0x64, 0x24)) {
		*ret_change = bytes[4] - (bytes[4] & 0x80) * 2; // signed
		return true;
	}
	if (IS(bytes, 0x48, 0x8d, 0xa4, 0x24)) {
		memcpy(&constant, bytes + 4, sizeof(constant));
		*ret_change = constant;
		return true;
	}
	if ((*opcode & 0xf8) == 0x50 || bytes[0] == 0x68 || bytes[0] == 0x6a) {
		*ret_change = -WORD;
		return true;
	}
	// Not pop %rsp.
	if ((*opcode & 0xf8) == 0x58 && bytes[0] != 0x5c) {
		*ret_change = WORD;
		return true;
	}
	// mov %rsp to another register, or to memory.
	bool is_saved = (bytes[0] & 0xfc) == 0x48 && bytes[1] == 0x89 &&
			(bytes[2] & 0x38) == 0x20 && !IS(bytes, 0x48, 0x89, 0xe4);

	*ret_change = 0;
	return is_saved || !instruction->moves_sp;
}

// psABI fig. 3.36: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and the return address.
static const uint8_t registers_64[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
};
static const uint8_t kept_64[] = { 3, 6, 7, 12, 13, 14, 15 };
// i386: eax ecx edx ebx esp ebp esi edi eip.
static const uint8_t registers_32[] = { 0, 2, 1, 3, 7, 6, 4, 5, 16 };
static const uint8_t kept_32[] = { 3, 4, 5, 6, 7 };

enum { ENTRY_SIZE = 64, ENTRY_STACK = 32 }; // the entry code has 26 to 61 bytes

const struct machine_unwinding x86_64_unwinding = {
	.entry_size = ENTRY_SIZE,
	.entry_stack = ENTRY_STACK,
	.padding = 0xcc, // int3
	.alignment = 16,
	.registers = registers_64,
	.register_count = sizeof(registers_64),
	.kept = kept_64,
	.kept_count = sizeof(kept_64),
	.is_behind_call = is_behind_call,
	.words_to_return = words_to_return_64,
	.is_behind_clone = is_behind_clone,
	.starts_context = starts_context,
	.is_sigreturn = is_sigreturn,
	.interrupted = interrupted,
	.signal_size = SEGMENTS_AT + WORD,
	.read = x86_read,
	.find_prologue = find_prologue,
	.is_behind_end = is_behind_end,
	.change_sp = change_sp,
};

const struct machine_unwinding i386_unwinding = {
	.entry_size = ENTRY_SIZE,
	.entry_stack = ENTRY_STACK,
	.registers = registers_32,
	.register_count = sizeof(registers_32),
	.kept = kept_32,
	.kept_count = sizeof(kept_32),
	.is_behind_call = is_behind_call,
	.words_to_return = words_to_return_32,
	.is_behind_clone = is_behind_clone,
	.starts_context = starts_context,
};
