// SPDX-License-Identifier: Apache-2.0
// Search for main: by its symbol, or by what the code at the entry point hands to
// __libc_start_main() in the register of its first argument (x86-64 psABI 3.2.3).
#include "elfmap/private.h"

enum {
	ENTRY_BYTES = 96, // more than any crt1.o's _start or musl's _start_c has before its call
	CALL_REACH = 24,  // from where main is loaded to the call
	ENTRY_CALLS = 1,  // musl's _start calls _start_c, which calls __libc_start_main
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

static uint64_t relative(const struct elfmap *map, uint64_t end, const uint8_t *displacement)
{
	return end + (uint64_t)(int64_t)(int32_t)elfmap_u32(map, displacement);
}

/** The code address that the instruction at @at puts into %rdi, if it is one of those in crt1.o. */
static bool loads_argument(struct elfmap *map, const uint8_t *at, uint64_t vaddr, size_t *ret_size,
			   uint64_t *ret_vaddr)
{
	*ret_size = 7;
	if (at[0] == 0x48 && at[1] == 0x8b && at[2] == 0x3d) // mov main@GOT(%rip), %rdi
		return slot_code(map, relative(map, vaddr + 7, at + 3), ret_vaddr);
	if (at[0] == 0x48 && at[1] == 0x8d && at[2] == 0x3d) // lea main(%rip), %rdi
		*ret_vaddr = relative(map, vaddr + 7, at + 3);
	else if (at[0] == 0x48 && at[1] == 0xc7 && at[2] == 0xc7) // mov $main, %rdi
		*ret_vaddr = elfmap_u32(map, at + 3);
	else if (at[0] == 0xbf) { // mov $main, %edi
		*ret_vaddr = elfmap_u32(map, at + 1);
		*ret_size = 5;
	} else {
		return false;
	}
	return is_code(map, *ret_vaddr);
}

/** Whether a call or jump to another function stands within the @size bytes at @code. */
static bool has_call(const uint8_t *code, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (code[i] == 0xe8 || code[i] == 0xe9 ||
		    (code[i] == 0xff && (code[i + 1] == 0x15 || code[i + 1] == 0x25)))
			return true;
	return false;
}

/**
 * Find the value of %rdi at the first call of the code at @vaddr. @calls_left: how many times a
 * call may be followed when nothing was put into %rdi before it.
 */
static bool first_argument(struct elfmap *map, uint64_t vaddr, int calls_left, uint64_t *ret_vaddr)
{
	uint8_t code[ENTRY_BYTES];
	size_t size = elfmap_read(map, vaddr, code, sizeof(code)), used;

	// Not a disassembler: these bytes are looked for wherever they stand; what they name must
	// be code, and a call must follow.
	for (size_t i = 0; i + 7 <= size; i++) {
		if (loads_argument(map, code + i, vaddr + i, &used, ret_vaddr)) {
			size_t rest = size - i - used;

			if (has_call(code + i + used, rest < CALL_REACH ? rest : CALL_REACH))
				return true;
		}
		if (code[i] == 0xe8 && calls_left > 0) {
			uint64_t called = relative(map, vaddr + i + 5, code + i + 1);

			if (is_code(map, called) &&
			    first_argument(map, called, calls_left - 1, ret_vaddr))
				return true;
		}
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
		else if (is_program && map->info.machine == EM_X86_64)
			found->found =
				first_argument(map, map->info.entry, ENTRY_CALLS, &found->vaddr);
		map->main_function = found;
	}
	*ret_vaddr = found->vaddr;
	return found->found;
}
