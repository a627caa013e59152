// SPDX-License-Identifier: Apache-2.0
// Functions of x86-64 known by their code: entry points, and those that make threads.
#include "machine/x86.h"

/** Instructions of crt1.o that put main into %rdi (psABI 3.2.3). */
enum machine_target x86_64_first_argument(const uint8_t *code, uint64_t size, uint64_t vaddr,
					  uint64_t *ret_size, uint64_t *ret_operand)
{
	enum { LONG = 7, SHORT = 5 };

	*ret_size = LONG;
	if (size < LONG)
		return MACHINE_TARGET_UNKNOWN;
	*ret_operand = x86_ahead(vaddr + LONG, code + 3);
	if (code[0] == 0x48 && code[1] == 0x8b && code[2] == 0x3d) // mov main@GOT(%rip), %rdi
		return MACHINE_TARGET_SLOT;
	if (code[0] == 0x48 && code[1] == 0x8d && code[2] == 0x3d) // lea main(%rip), %rdi
		return MACHINE_TARGET_ADDRESS;
	*ret_operand = x86_u32(code + 3);
	if (code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc7) // mov $main, %rdi
		return MACHINE_TARGET_ADDRESS;
	*ret_size = SHORT;
	*ret_operand = x86_u32(code + 1);
	return code[0] == 0xbf ? MACHINE_TARGET_ADDRESS : MACHINE_TARGET_UNKNOWN; // mov $main, %edi
}

/** mov $5381,%reg */
bool x86_hashes_names(const uint8_t *code, uint64_t size)
{
	static const uint8_t start[] = { 0x05, 0x15, 0, 0 };
	const uint8_t *end = code + size, *at = code;

	while ((at = memmem(at, (size_t)(end - at), start, sizeof(start)))) {
		if (at > code && (at[-1] & 0xf8) == 0xb8)
			return true;
		at++;
	}
	return false;
}

// ---- Threads ----------------------------------------------------------------------------------

enum { NEAR = 48 }; // bytes between what belongs to one system call

/** Behind `syscall` among the next of the @size bytes at @at; NULL: it is not there. */
static const uint8_t *behind_call(const uint8_t *at, uint64_t size)
{
	static const uint8_t call[] = { 0x0f, 0x05 };
	const uint8_t *found = memmem(at, size < NEAR ? size : NEAR, call, sizeof(call));

	return found ? found + sizeof(call) : NULL;
}

bool x86_64_sets_thread_pointer(const uint8_t *code, uint64_t size)
{
	// mov $ARCH_SET_FS,%edi; mov $SYS_arch_prctl,%eax; syscall: in this order, not side by
	// side.
	static const uint8_t request[] = { 0xbf, 0x02, 0x10, 0, 0 },
			     number[] = { 0xb8, 0x9e, 0, 0, 0 };

	for (;;) {
		const uint8_t *found = memmem(code, size, request, sizeof(request));

		if (!found)
			return false;
		size -= (uint64_t)(found + 1 - code);
		code = found + 1;
		if (memmem(code, size < NEAR ? size : NEAR, number, sizeof(number)) &&
		    behind_call(code, size))
			return true;
	}
}

/** As glibc's __clone3() and __clone(), and musl's __clone(). */
bool x86_64_makes_thread(const uint8_t *code, uint64_t size)
{
	static const struct {
		uint8_t bytes[5];
		uint8_t size;
	} numbers[] = {
		{ { 0xb8, 0xb3, 0x01, 0, 0 }, 5 }, // mov $SYS_clone3,%eax
		{ { 0xb8, 0x38, 0, 0, 0 }, 5 },	   // mov $SYS_clone,%eax
		{ { 0xb0, 0x38 }, 2 },		   // mov $SYS_clone,%al
	};
	// xor %ebp,%ebp: fork's child, which makes the same call, goes on as it was.
	static const uint8_t outermost[] = { 0x31, 0xed };
	const uint8_t *end = code + size;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint8_t *found = memmem(code, size, numbers[i].bytes, numbers[i].size);
		const uint8_t *behind = found ? behind_call(found, (uint64_t)(end - found)) : NULL;

		if (behind && memmem(behind, (size_t)(end - behind), outermost, sizeof(outermost)))
			return true;
	}
	return false;
}
