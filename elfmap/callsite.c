// SPDX-License-Identifier: Apache-2.0
// Calls, told from the bytes around their return addresses.
#include "elfmap/private.h"

enum { BYTES_MAX = 8 }; // of a call, and of what passes its result on

static enum machine_call_kind call_before(struct elfmap *map, uint64_t last_byte,
					  uint64_t *ret_target)
{
	const struct machine *machine = machine_of(map->info.machine);
	const uint64_t size = machine->call_size, end = last_byte + 1;
	uint8_t code[BYTES_MAX];

	return machine->call_before && last_byte >= size &&
			       elfmap_read(map, end - size, code, size) == size
		       ? machine->call_before(code, end, ret_target)
		       : MACHINE_CALL_NONE;
}

bool elfmap_call_target(struct elfmap *map, uint64_t last_byte, uint64_t *ret_vaddr)
{
	uint64_t target = 0;

	if (call_before(map, last_byte, &target) != MACHINE_CALL_DIRECT)
		return false;
	*ret_vaddr = target;
	return true;
}

bool elfmap_calls_by_pointer(struct elfmap *map, uint64_t last_byte)
{
	uint64_t target = 0;

	return call_before(map, last_byte, &target) == MACHINE_CALL_BY_POINTER;
}

bool elfmap_result_passed_to(struct elfmap *map, uint64_t last_byte,
			     struct elfmap_branch *ret_branch)
{
	const struct machine *machine = machine_of(map->info.machine);
	const uint64_t size = machine->result_passed_size, next = last_byte + 1 + size;
	struct range call = { next, next + machine->call_size };
	uint8_t code[BYTES_MAX];
	uint64_t target;

	return machine->result_passed && next > last_byte && call.end > next &&
	       !elfmap_call_target(map, last_byte, &target) &&
	       elfmap_read(map, last_byte + 1, code, size) == size &&
	       memcmp(code, machine->result_passed, size) == 0 &&
	       elfmap_branch_next(map, &call, ret_branch) && call.start == next + 1 &&
	       ret_branch->is_call;
}
