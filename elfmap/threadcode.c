// SPDX-License-Identifier: Apache-2.0
// Owns how code is known that gives a thread its thread pointer.
#include "elfmap/private.h"

#include <elf.h>
#include <string.h>

bool elfmap_sets_thread_pointer(struct elfmap *map, struct range code)
{
	// mov $ARCH_SET_FS,%edi; mov $SYS_arch_prctl,%eax; syscall: in this order, not side by
	// side.
	static const uint8_t request[] = { 0xbf, 0x02, 0x10, 0, 0 },
			     number[] = { 0xb8, 0x9e, 0, 0, 0 };
	static const uint8_t call[] = { 0x0f, 0x05 };
	enum { SIZE_MAX_CODE = 4096, NEAR = 48 };
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

		if (memmem(bytes, near, number, sizeof(number)) &&
		    memmem(bytes, near, call, sizeof(call)))
			return true;
	}
}
