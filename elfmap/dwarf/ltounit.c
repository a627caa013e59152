// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/ltounit.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "elfmap/dwarf/sourcelist.h"
#include "machine/disassembler.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	ORIGINS_MAX = 8,    // honest chains are two or three long
	CODE_MAX = 1 << 20, // bytes of one function
};

static bool is_made_up(const char *name)
{
	return strcmp(name, "<artificial>") == 0; // GCC; clang keeps the units of the files
}

bool ltounits_is_one(Dwarf_Die *unit)
{
	const char *name = dwarf_diename(unit);

	return name && is_made_up(name);
}

/** The unit that @die was compiled in, by its abstract origins; NULL if that is no file. */
static const char *file_of(Dwarf_Die *die)
{
	Dwarf_Die origin = *die, unit;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		Dwarf_Attribute attribute;

		if (!dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(&origin, DW_AT_specification, &attribute))
			break;
		if (!dwarf_formref_die(&attribute, &origin))
			return NULL;
	}
	const char *name = dwarf_diecu(&origin, &unit, NULL, NULL) ? dwarf_diename(&unit) : NULL;
	return name && !is_made_up(name) ? name : NULL;
}

static bool variable_vaddr(Dwarf_Die *die, uint64_t *ret_vaddr)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
	    operations[0].atom != DW_OP_addr)
		return false;
	*ret_vaddr = operations[0].number;
	return true;
}

/** Initializers have neither parameters nor a result. */
static bool takes_and_gives_nothing(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die child;

	if (dwarf_attr_integrate(function, DW_AT_type, &attribute))
		return false;
	return dwarf_child(function, &child) != 0 ||
	       dwarf_tag(&child) != DW_TAG_formal_parameter; // they come first
}

/** The next entry beside @die, while there are steps left. */
static bool next_die(struct ltounits *units, Dwarf_Die *die)
{
	return units->steps_left > 0 && --units->steps_left > 0 && dwarf_siblingof(die, die) == 0;
}

void ltounits_add(struct ltounits *units, Dwarf_Die *unit)
{
	Dwarf_Die die;

	if (dwarf_child(unit, &die) != 0)
		return;
	do {
		struct ltounit_item item = { .die = die };
		Dwarf_Addr low;
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && dwarf_entrypc(&die, &low) == 0) {
			item.vaddr = low;
			item.is_function = true;
			item.takes_and_gives_nothing = takes_and_gives_nothing(&die);
		} else if (tag != DW_TAG_variable || !variable_vaddr(&die, &item.vaddr)) {
			continue;
		}
		item.file = file_of(&die);
		vec_push(&units->items, item);
	} while (next_die(units, &die));
}

ORDER_OF(compare_items, ltounit_item, ORDER(x->vaddr, y->vaddr))

void ltounits_sort(struct ltounits *units)
{
	vec_sort(&units->items, compare_items);
}

/** The item that starts at @vaddr, or NULL. */
static const struct ltounit_item *item_at(const struct ltounits *units, uint64_t vaddr)
{
	const struct ltounit_item key = { .vaddr = vaddr };

	return units->items.count > 0 ? bsearch(&key, units->items.items, units->items.count,
						sizeof(key), compare_items)
				      : NULL;
}

/** The file of the function or variable that starts at @vaddr, or that holds it by the symbols. */
static const char *file_at(const struct ltounits *units, struct elfmap *map, uint64_t vaddr,
			   bool is_called)
{
	const struct ltounit_item *item = item_at(units, vaddr);

	if (is_called)
		return item && item->is_function && item->takes_and_gives_nothing ? item->file
										  : NULL;
	if (!item) {
		const struct elfmap_symbol *symbol = elfmap_symbol_at(map, vaddr);

		item = symbol ? item_at(units, symbol->vaddr) : NULL;
	}
	return item && !item->is_function ? item->file : NULL;
}

/** Reading a slot of the GOT takes the address that is there. */
static bool slot_value(struct elfmap *map, uint64_t slot, uint64_t *ret_value)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(map, slot);
	GElf_Sym symbol;
	const char *name;

	if (!relocation || relocation->vaddr != slot)
		return false;
	if (relocation->class == ELFMAP_RELOCATION_RELATIVE) {
		*ret_value = relocation->value;
		return true;
	}
	if (relocation->class != ELFMAP_RELOCATION_SYMBOLIC ||
	    !elfmap_dynsym(map, relocation->symbol, &symbol, &name) || symbol.st_shndx == SHN_UNDEF)
		return false;
	*ret_value = symbol.st_value + relocation->value;
	return true;
}

/** Find the address that an instruction calls or sets up; data that is only read is left out. */
static bool find_reference(struct elfmap *map, const struct disassembler *by, uint64_t *ret_vaddr,
			   bool *ret_is_called)
{
	struct machine_reference references[MACHINE_REFERENCES];
	const size_t count = disassembler_references(by, references);

	array_foreach (reference, references, count) {
		bool is_number = reference->kind == MACHINE_REFERENCE_NUMBER;

		*ret_vaddr = reference->vaddr;
		*ret_is_called = reference->kind == MACHINE_REFERENCE_BRANCH;
		// Numbers are addresses in code at fixed addresses.
		if (is_number && (map->info.type != ET_EXEC || !elfmap_load_at(map, *ret_vaddr)))
			continue;
		if (reference->kind != MACHINE_REFERENCE_READ ||
		    slot_value(map, reference->vaddr, ret_vaddr))
			return true;
	}
	return false;
}

static void list_by_code(struct sourcelist *list, struct ltounits *units, struct elfmap *map,
			 const struct elfmap_initializer *initializer)
{
	const struct elfmap_symbol *symbol = initializer->symbol;

	if (!symbol || symbol->vaddr != initializer->vaddr || symbol->size > units->code_left)
		return;
	size_t size = symbol->size;
	uint64_t vaddr = symbol->vaddr, referred;
	bool is_called;

	units->code_left -= size;
	CLEANUP(disassembler_destroyp)
	struct disassembler *by = disassembler_create(machine_of(map->info.machine), true);
	const uint8_t *code = by && size <= CODE_MAX ? elfmap_bytes(map, vaddr, size) : NULL;

	// Bytes that are no instruction end the code: what follows would be read out of step.
	while (code && disassembler_next(by, &code, &size, &vaddr)) {
		const char *file = find_reference(map, by, &referred, &is_called)
					   ? file_at(units, map, referred, is_called)
					   : NULL;

		if (file)
			sourcelist_add(list, file);
	}
}

/** A place where a subroutine was inlined, and its file. */
struct inlined {
	uint64_t vaddr;
	const char *file;
};

ORDER_OF(compare_inlined, inlined, ORDER(x->vaddr, y->vaddr))

/** The files of what is inlined directly into @function, in the order of the code. */
static void list_inlined(struct sourcelist *list, struct ltounits *units,
			 const struct ltounit_item *function)
{
	Dwarf_Die parent = function->die, die;
	CLEANUP(vec_release) VEC(struct inlined) found = { 0 };

	if (dwarf_child(&parent, &die) != 0)
		return;
	do {
		Dwarf_Addr low = 0;
		const char *file;

		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine || !(file = file_of(&die)))
			continue;
		if (dwarf_entrypc(&die, &low) != 0)
			low = UINT64_MAX; // without code of its own: behind the others
		vec_push(&found, (struct inlined){ low, file });
	} while (next_die(units, &die));
	vec_sort(&found, compare_inlined);
	vec_foreach (inlined, &found)
		sourcelist_add(list, inlined->file);
}

const char *ltounits_source(struct ltounits *units, struct elfmap *map,
			    const struct elfmap_initializer *initializer)
{
	const struct ltounit_item *item = item_at(units, initializer->vaddr);
	CLEANUP(sourcelist_deinit) struct sourcelist list = { 0 };

	if (units->items.count == 0)
		return NULL;
	if (item && item->file)
		sourcelist_add(&list, item->file);
	else if (item)
		list_inlined(&list, units, item);
	if (list.count == 0)
		list_by_code(&list, units, map, initializer);
	return sourcelist_text(&list, &map->arena);
}
