// SPDX-License-Identifier: Apache-2.0
// Symbol tables of a file, and the entries that stand for bytes of the loaded file.
#include "elfmap/symbols/symtab.h"

#include "base/checked.h"
#include "elfmap/symbols/gosymbols.h"

static const struct elfmap_section *symtab_section(const struct elfmap *map)
{
	for (size_t i = 0; i < map->section_count; i++)
		if (map->sections[i].type == SHT_SYMTAB)
			return &map->sections[i];
	return NULL;
}

/** Open the .symtab of @map; count 0 if there is none or it is damaged (then a note says so). */
static struct symtab open_symtab(struct elfmap *map, enum elfmap_symbols source)
{
	struct symtab table = { .owner = map, .source = source };
	const struct elfmap_section *section = symtab_section(map);

	if (!section)
		return table;
	if (section->link >= map->section_count ||
	    map->sections[section->link].type != SHT_STRTAB) {
		notes_add(&map->notes, "%s: .symtab skipped: its sh_link is not a string table",
			  map->info.path);
		return table;
	}
	uint64_t size, names_size;
	struct err err;
	table.bytes = elfmap_content(map, section, &size, &err);
	const uint8_t *names =
		table.bytes ? elfmap_content(map, &map->sections[section->link], &names_size, &err)
			    : NULL;
	if (!names) {
		notes_add(&map->notes, "%s: .symtab skipped: %s", map->info.path, err.message);
		return table;
	}
	table.names = elfmap_strings_of(names, names_size);
	table.count = size / elfmap_symbol_size(map);
	return table;
}

struct symtab symtab_dynamic(struct elfmap *map)
{
	struct symtab table = { .owner = map, .source = ELFMAP_SYMBOLS_DYNSYM };

	table.count = elfmap_dynsym_count(map);
	if (table.count) {
		table.bytes = elfmap_bytes(map, map->dynamic.symtab,
					   table.count * elfmap_symbol_size(map));
		elfmap_dynstr(map, 0); // reads it
		table.names = map->dynstr;
	}
	return table;
}

/** $x, $d and the like mark code and data within functions; .L names are the assembler's own. */
static bool is_marker(const struct elfmap *map, const GElf_Sym *symbol, const char *name)
{
	const struct machine *machine = machine_of(map->info.machine);

	if (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE ||
	    GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
		return false;
	if (name[0] == '.' && name[1] == 'L')
		return true;
	return name[0] == '$' && name[1] && machine->marker_letters &&
	       strchr(machine->marker_letters, name[1]) &&
	       (machine->markers_have_suffix || name[2] == '\0' || name[2] == '.');
}

bool symtab_is_loaded(const struct elfmap *owner, const GElf_Sym *symbol)
{
	// No section headers, or a number that stands for something else.
	if (symbol->st_shndx >= owner->section_count || symbol->st_shndx >= SHN_LORESERVE)
		return true;
	return owner->sections[symbol->st_shndx].flags & SHF_ALLOC;
}

/** True if @symbol stands for bytes of the loaded file: not undefined, absolute, TLS, a file ... */
static bool has_place(const struct elfmap *map, const struct elfmap *owner, const GElf_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_shndx == SHN_COMMON || !symtab_is_loaded(owner, symbol))
		return false;
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_NOTYPE:
	case STT_OBJECT:
	case STT_FUNC:
	case STT_COMMON:
	case STT_GNU_IFUNC:
		break;
	default:
		return false;
	}
	// _end and _edata stand behind the last byte of their segment.
	return elfmap_load_at(map, symbol->st_value) ||
	       (symbol->st_value > 0 && elfmap_load_at(map, symbol->st_value - 1));
}

/** The section index of a symbol at @vaddr: what it states if that is true of this file. */
static uint32_t section_of(const struct elfmap *map, const GElf_Sym *symbol)
{
	const struct elfmap_section *section;
	uint64_t end;

	// A debug file numbers its sections as its program does, but nothing makes sure of it.
	if (symbol->st_shndx < map->section_count && symbol->st_shndx < SHN_LORESERVE) {
		section = &map->sections[symbol->st_shndx];
		if ((section->flags & SHF_ALLOC) && symbol->st_value >= section->vaddr &&
		    checked_add(section->vaddr, section->size, &end) && symbol->st_value <= end)
			return section->index;
	}
	section = elfmap_section_at(map, symbol->st_value);
	return section ? section->index : 0;
}

bool symtab_entry(const struct elfmap *map, const struct symtab *table, uint64_t index,
		  uint64_t *nameless, struct elfmap_symbol *ret_symbol)
{
	GElf_Sym symbol;

	elfmap_decode_symbol(table->owner, table->bytes + index * elfmap_symbol_size(table->owner),
			     &symbol);
	if (!has_place(map, table->owner, &symbol))
		return false;
	const char *name = elfmap_string(&table->names, symbol.st_name);
	if (!name)
		(*nameless)++;
	if (!name || !*name || is_marker(map, &symbol, name))
		return false;
	*ret_symbol = (struct elfmap_symbol){
		.name = name,
		.vaddr = symbol.st_value,
		.size = symbol.st_size,
		.section = section_of(map, &symbol),
		.type = GELF_ST_TYPE(symbol.st_info),
		.binding = GELF_ST_BIND(symbol.st_info),
		.source = table->source,
	};
	return true;
}

/** True if @table has a symbol to give: reads no further than the first one. */
static bool gives_symbols(const struct elfmap *map, const struct symtab *table)
{
	struct elfmap_symbol symbol;
	uint64_t nameless = 0;

	for (uint64_t i = 1; i < table->count; i++)
		if (symtab_entry(map, table, i, &nameless, &symbol))
			return true;
	return false;
}

const char *elfmap_symbols_word(enum elfmap_symbols symbols)
{
	static const char *const words[] = {
		[ELFMAP_SYMBOLS_NONE] = "none",	    [ELFMAP_SYMBOLS_EH_FRAME] = "eh-frame",
		[ELFMAP_SYMBOLS_DYNSYM] = "dynsym", [ELFMAP_SYMBOLS_DEBUG_FILE] = "debug-file",
		[ELFMAP_SYMBOLS_SYMTAB] = "symtab", [ELFMAP_SYMBOLS_GO] = "gopclntab",
	};

	return words[symbols];
}

struct symtab symtab_best(struct elfmap *map)
{
	struct symtab table = open_symtab(map, ELFMAP_SYMBOLS_SYMTAB);

	if (gives_symbols(map, &table) || !map->debug)
		return table;
	return open_symtab(map->debug, ELFMAP_SYMBOLS_DEBUG_FILE);
}

bool elfmap_has_symtab(struct elfmap *map)
{
	struct symtab table = open_symtab(map, ELFMAP_SYMBOLS_SYMTAB);

	return gives_symbols(map, &table);
}

void elfmap_choose_symbols(struct elfmap *map)
{
	struct symtab symtab = symtab_best(map);
	struct symtab dynsym = symtab_dynamic(map);
	struct range range;

	if (gives_symbols(map, &symtab))
		map->info.symbols = symtab.source;
	else if (gosymbols_are_there(map))
		map->info.symbols = ELFMAP_SYMBOLS_GO;
	else if (gives_symbols(map, &dynsym))
		map->info.symbols = ELFMAP_SYMBOLS_DYNSYM;
	else if (elfmap_eh_frame(map, &range))
		map->info.symbols = ELFMAP_SYMBOLS_EH_FRAME;
	else
		map->info.symbols = ELFMAP_SYMBOLS_NONE;
}
