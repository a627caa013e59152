// SPDX-License-Identifier: Apache-2.0
// Search for main: by its symbol, or by what the code at the entry point hands to
// __libc_start_main() as its first argument.
#include "elfmap/private.h"

enum {
	ENTRY_BYTES = 96, // more than any crt1.o's _start or musl's _start_c has before its call
	SELF_RELOCATING_BYTES = 640, // likewise of musl's _start_c where it relocates a static PIE
	CALL_REACH = 24,	     // from where main is loaded to the call
	ENTRY_CALLS = 1,	     // musl's _start calls _start_c, which calls __libc_start_main
};

struct elfmap_main {
	bool found;
	uint64_t vaddr;
};

static bool is_code(struct elfmap *map, uint64_t vaddr)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, vaddr);

	return segment && (segment->flags & PF_X) && elfmap_has_bytes(map, vaddr, 1);
}

/** The code address that the dynamic linker or the file puts into the GOT slot at @slot. */
static bool slot_code(struct elfmap *map, uint64_t slot, uint64_t *ret_vaddr)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, slot);
	const uint8_t *bytes = elfmap_bytes(map, slot, elfmap_word_size(map));
	GElf_Sym symbol;
	const char *name;

	if (relocation && relocation->class == ELFMAP_RELOCATION_RELATIVE)
		*ret_vaddr = relocation->value;
	else if (relocation && elfmap_dynsym(map, relocation->symbol, &symbol, &name) &&
		 symbol.st_shndx != SHN_UNDEF)
		*ret_vaddr = symbol.st_value;
	else if (!relocation && bytes)
		*ret_vaddr = elfmap_word(map, bytes);
	else
		return false;
	return is_code(map, *ret_vaddr);
}

/** The code address that the instructions at @code load as an argument, as those of crt1.o do. */
static bool loads_argument(struct elfmap *map, const uint8_t *code, size_t size, uint64_t vaddr,
			   uint64_t *ret_size, uint64_t *ret_vaddr)
{
	uint64_t operand;

	switch (machine_of(map->info.machine)
			->first_argument(code, size, vaddr, ret_size, &operand)) {
	case MACHINE_TARGET_SLOT:
		return slot_code(map, operand, ret_vaddr);
	case MACHINE_TARGET_ADDRESS:
		*ret_vaddr = operand;
		return is_code(map, operand);
	default:
		return false;
	}
}

/** True if a call, or jump to another function, begins within reach of @code. */
static bool has_call(const struct machine *machine, const uint8_t *code, size_t size,
		     uint64_t vaddr)
{
	struct machine_branch branch;
	size_t at = 0;

	while (machine->find_branch(code + at, size - at, vaddr + at, &branch)) {
		at += branch.offset + 1;
		if (at >= CALL_REACH)
			return false;
		if (!branch.is_near)
			return true;
	}
	return false;
}

/**
 * Find the first argument of the first call of the code at @vaddr. @calls_left: how many times a
 * call may be followed when nothing was loaded before it.
 */
static bool first_argument(struct elfmap *map, uint64_t vaddr, int calls_left, uint64_t *ret_vaddr)
{
	const struct machine *machine = machine_of(map->info.machine);
	uint8_t code[SELF_RELOCATING_BYTES];
	bool may_relocate = calls_left < ENTRY_CALLS && map->info.static_pie;
	size_t size = elfmap_read(map, vaddr, code, may_relocate ? sizeof(code) : ENTRY_BYTES);

	// Not a disassembler: these bytes are looked for wherever they stand; what they name must
	// be code, and a call must follow.
	for (size_t i = 0; i < size; i++) {
		struct machine_branch branch;
		uint64_t used;

		if (loads_argument(map, code + i, size - i, vaddr + i, &used, ret_vaddr) &&
		    has_call(machine, code + i + used, size - i - used, vaddr + i + used))
			return true;
		if (calls_left > 0 &&
		    machine->find_branch(code + i, size - i, vaddr + i, &branch) &&
		    branch.offset == 0 && branch.is_call &&
		    branch.target == MACHINE_TARGET_ADDRESS && is_code(map, branch.operand) &&
		    first_argument(map, branch.operand, calls_left - 1, ret_vaddr))
			return true;
	}
	return false;
}

static const struct elfmap_symbol *main_symbol(struct elfmap *map)
{
	size_t count;
	const struct elfmap_symbol *symbols;

	// Only a full symbol table is sure to have it; a library's main would be another's.
	if (map->info.symbols < ELFMAP_SYMBOLS_DEBUG_FILE)
		return NULL;
	symbols = elfmap_symbols(map, &count);
	const struct elfmap_symbol *local = NULL; // mold makes it that
	for (size_t i = 0; i < count; i++) {
		if (strcmp(symbols[i].name, "main") != 0 || symbols[i].type != STT_FUNC)
			continue;
		if (symbols[i].binding != STB_LOCAL)
			return &symbols[i];
		local = &symbols[i];
	}
	return local;
}

bool elfmap_main(struct elfmap *map, uint64_t *ret_vaddr)
{
	struct elfmap_main *found = map->main_function;

	if (!found) {
		found = arena_alloc(&map->arena, sizeof(*found));
		*found = (struct elfmap_main){ 0 };
		// A library may have an entry point, too, but no main.
		bool is_program = map->info.entry && !map->info.soname;
		const struct elfmap_symbol *symbol = is_program ? main_symbol(map) : NULL;
		if (symbol)
			*found = (struct elfmap_main){ true, symbol->vaddr };
		else if (is_program && machine_of(map->info.machine)->first_argument)
			found->found =
				first_argument(map, map->info.entry, ENTRY_CALLS, &found->vaddr);
		map->main_function = found;
	}
	*ret_vaddr = found->vaddr;
	return found->found;
}
