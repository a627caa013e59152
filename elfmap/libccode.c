// SPDX-License-Identifier: Apache-2.0
// Owns how functions of libc and the dynamic linker are known by what their code does.
#include "elfmap/private.h"

/** True if @code, of at most @most bytes, passes @test; NULL: the machine has none. */
static bool passes(struct elfmap *map, struct range code, uint64_t most,
		   bool (*test)(const uint8_t *code, uint64_t size))
{
	const uint64_t size = range_size(code);
	const uint8_t *bytes = test && size <= most ? elfmap_bytes(map, code.start, size) : NULL;

	return bytes && test(bytes, size);
}

bool elfmap_sets_thread_pointer(struct elfmap *map, struct range code)
{
	return passes(map, code, 4 << 10, machine_of(map->info.machine)->sets_thread_pointer);
}

bool elfmap_hashes_names(struct elfmap *map, struct range code)
{
	return passes(map, code, 16 << 10, machine_of(map->info.machine)->hashes_names);
}

/** glibc's __clone3() and __clone(), musl's __clone(): short, and the child begins a stack. */
static bool is_clone(struct elfmap *map, const struct elfmap_symbol *symbol)
{
	// Unwinding data may describe it as far as the call only: what follows has two stacks.
	enum { MOST = 256, BEHIND = 48 };
	const uint64_t size = symbol->size + BEHIND;
	const uint8_t *bytes = symbol->size <= MOST ? elfmap_bytes(map, symbol->vaddr, size) : NULL;

	return bytes && machine_of(map->info.machine)->makes_thread(bytes, size);
}

/**
 * True if @code calls such a function, itself or by up to @between small ones. *@left: how many
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

static void note_unknown(struct elfmap *map)
{
	if (!map->noted_code)
		notes_add(&map->notes,
			  "%s: has no symbols, and elfault does not know the code of its processor "
			  "that makes threads or throws exceptions: some initiators are unknown",
			  map->info.path);
	map->noted_code = true;
}

bool elfmap_makes_threads(struct elfmap *map, struct range code)
{
	// pthread_create() makes 36 calls, and its own part of them is found among the first 300.
	enum { SIZE_MAX_CODE = 16384, BETWEEN = 2, CALLS = 4 << 10 };
	const struct machine *machine = machine_of(map->info.machine);
	unsigned left = CALLS;

	if (!machine->makes_thread || !machine->eh_return_registers)
		note_unknown(map);
	return machine->makes_thread && range_size(code) <= SIZE_MAX_CODE &&
	       calls_clone(map, code, BETWEEN, &left);
}
