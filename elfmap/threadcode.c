// SPDX-License-Identifier: Apache-2.0
// Owns how code is known that makes threads, by the system calls that it does.
#include "elfmap/private.h"

#include <elf.h>
#include <string.h>

enum { NEAR = 48 }; // bytes between what belongs to one system call

/** Behind `syscall` among the next of the @size bytes at @at; NULL: it is not there. */
static const uint8_t *behind_call(const uint8_t *at, size_t size)
{
	static const uint8_t call[] = { 0x0f, 0x05 };
	const uint8_t *found = memmem(at, size < NEAR ? size : NEAR, call, sizeof(call));

	return found ? found + sizeof(call) : NULL;
}

bool elfmap_sets_thread_pointer(struct elfmap *map, struct range code)
{
	// mov $ARCH_SET_FS,%edi; mov $SYS_arch_prctl,%eax; syscall: in this order, not side by
	// side.
	static const uint8_t request[] = { 0xbf, 0x02, 0x10, 0, 0 },
			     number[] = { 0xb8, 0x9e, 0, 0, 0 };
	enum { SIZE_MAX_CODE = 4096 };
	const uint8_t *bytes = elfmap_bytes(map, code.start, range_size(code));
	size_t size = range_size(code);

	if (!bytes || map->info.machine != EM_X86_64 || size > SIZE_MAX_CODE)
		return false;
	for (;;) {
		const uint8_t *found = memmem(bytes, size, request, sizeof(request));

		if (!found)
			return false;
		size -= (size_t)(found + 1 - bytes);
		bytes = found + 1;

		size_t near = size < NEAR ? size : NEAR;

		if (memmem(bytes, near, number, sizeof(number)) && behind_call(bytes, size))
			return true;
	}
}

// ---- Threads ----------------------------------------------------------------------------------

/** glibc's __clone3() and __clone(), musl's __clone(): short, and the child begins a stack. */
static bool is_clone(struct elfmap *map, const struct elfmap_symbol *symbol)
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
	enum { MOST = 256 };
	// Unwinding data may describe it as far as the call only: what follows has two stacks.
	const uint64_t size = symbol->size + NEAR;
	const uint8_t *bytes = symbol->size <= MOST ? elfmap_bytes(map, symbol->vaddr, size) : NULL;

	for (size_t i = 0; bytes && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const uint8_t *found = memmem(bytes, size, numbers[i].bytes, numbers[i].size);
		const uint8_t *behind =
			found ? behind_call(found, size - (size_t)(found - bytes)) : NULL;

		if (behind &&
		    memmem(behind, size - (size_t)(behind - bytes), outermost, sizeof(outermost)))
			return true;
	}
	return false;
}

/**
 * Whether @code calls such a function, itself or by up to @between small ones. *@left: how many
 * calls are still looked at.
 */
static bool calls_clone(struct elfmap *map, struct range code, unsigned between, unsigned *left)
{
	// glibc's create_thread() is 500 bytes, where it is a function, __clone_internal() 130.
	enum { MOST = 1024 };
	struct elfmap_branch branch;

	while (elfmap_branch_next(map, &code, &branch)) {
		if (!branch.is_call || !branch.has_vaddr)
			continue;
		if (*left == 0)
			return false;
		(*left)--;
		const struct elfmap_symbol *next = elfmap_symbol_at(map, branch.vaddr);

		if (!next || next->vaddr != branch.vaddr || next->size > MOST)
			continue;
		if (is_clone(map, next) ||
		    (between > 0 &&
		     calls_clone(map, (struct range){ next->vaddr, next->vaddr + next->size },
				 between - 1, left)))
			return true;
	}
	return false;
}

bool elfmap_makes_threads(struct elfmap *map, struct range code)
{
	// pthread_create() makes 36 calls, and its own part of them is found among the first 300.
	enum { SIZE_MAX_CODE = 16384, BETWEEN = 2, CALLS = 4096 };
	unsigned left = CALLS;

	return map->info.machine == EM_X86_64 && range_size(code) <= SIZE_MAX_CODE &&
	       calls_clone(map, code, BETWEEN, &left);
}
