// SPDX-License-Identifier: Apache-2.0
// .dynsym by index. Its length is nowhere in the dynamic section: it is taken from the section
// header, else from the hash tables, else from what the relocations refer to.
#include "elfmap/private.h"

#include "base/checked.h"

struct elfmap_dynsym_table {
	const uint8_t *bytes;
	uint64_t count;
};

void elfmap_decode_symbol(const struct elfmap *map, const uint8_t *bytes, GElf_Sym *ret_symbol)
{
	if (map->info.is_64bit) {
		ret_symbol->st_name = elfmap_u32(map, bytes + offsetof(Elf64_Sym, st_name));
		ret_symbol->st_info = bytes[offsetof(Elf64_Sym, st_info)];
		ret_symbol->st_other = bytes[offsetof(Elf64_Sym, st_other)];
		ret_symbol->st_shndx = elfmap_u16(map, bytes + offsetof(Elf64_Sym, st_shndx));
		ret_symbol->st_value = elfmap_u64(map, bytes + offsetof(Elf64_Sym, st_value));
		ret_symbol->st_size = elfmap_u64(map, bytes + offsetof(Elf64_Sym, st_size));
	} else {
		ret_symbol->st_name = elfmap_u32(map, bytes + offsetof(Elf32_Sym, st_name));
		ret_symbol->st_value = elfmap_u32(map, bytes + offsetof(Elf32_Sym, st_value));
		ret_symbol->st_size = elfmap_u32(map, bytes + offsetof(Elf32_Sym, st_size));
		ret_symbol->st_info = bytes[offsetof(Elf32_Sym, st_info)];
		ret_symbol->st_other = bytes[offsetof(Elf32_Sym, st_other)];
		ret_symbol->st_shndx = elfmap_u16(map, bytes + offsetof(Elf32_Sym, st_shndx));
	}
}

/** The length that DT_HASH states: nchain is the number of symbols. */
static uint64_t count_by_hash(struct elfmap *map)
{
	const uint8_t hash_word = machine_of(map->info.machine)->hash_word;
	unsigned width = map->info.is_64bit && hash_word ? hash_word : 4;
	const uint8_t *bytes = elfmap_bytes(map, map->dynamic.hash, 2 * width);

	return bytes ? elfmap_number(map, bytes + width, width) : 0;
}

/** The index after the last one on the chains of DT_GNU_HASH. */
static uint64_t count_by_gnu_hash(struct elfmap *map)
{
	const uint8_t *header = elfmap_bytes(map, map->dynamic.gnu_hash, 16);

	if (!header)
		return 0;
	uint64_t bucket_count = elfmap_u32(map, header);
	uint64_t first = elfmap_u32(map, header + 4);
	uint64_t bloom_bytes = (uint64_t)elfmap_u32(map, header + 8) * elfmap_word_size(map);
	uint64_t buckets_vaddr, chains_vaddr, last = 0;

	if (!checked_add(map->dynamic.gnu_hash, 16 + bloom_bytes, &buckets_vaddr) ||
	    !checked_add(buckets_vaddr, bucket_count * 4, &chains_vaddr))
		return 0;
	const uint8_t *buckets = elfmap_bytes(map, buckets_vaddr, bucket_count * 4);
	if (!buckets)
		return 0;
	for (uint64_t i = 0; i < bucket_count; i++) {
		uint64_t start = elfmap_u32(map, buckets + i * 4);

		last = start > last ? start : last;
	}
	if (last < first)
		return first;

	// Chains end at an odd hash; they follow one another, so the last bucket's chain is last.
	for (;; last++) {
		uint64_t vaddr;
		const uint8_t *link = NULL;

		if (checked_add(chains_vaddr, (last - first) * 4, &vaddr))
			link = elfmap_bytes(map, vaddr, 4);
		if (!link)
			return 0;
		if (elfmap_u32(map, link) & 1)
			return last + 1;
	}
}

/** One more than the highest symbol index in one table of relocations. */
static uint64_t count_in_relocations(struct elfmap *map, uint64_t vaddr, uint64_t size,
				     bool is_rela)
{
	uint64_t word = elfmap_word_size(map);
	uint64_t entry_size = (is_rela ? 3 : 2) * word;
	const uint8_t *bytes = vaddr ? elfmap_bytes(map, vaddr, size) : NULL;
	uint64_t highest = 0;

	for (uint64_t at = 0; bytes && size - at >= entry_size; at += entry_size) {
		uint64_t info = elfmap_word(map, bytes + at + word);
		uint64_t symbol = map->info.is_64bit ? GELF_R_SYM(info) : ELF32_R_SYM(info);

		highest = symbol > highest ? symbol : highest;
	}
	return highest ? highest + 1 : 0;
}

/**
 * Without a section header. GNU ld writes an empty .gnu.hash that starts at symbol 1 where nothing
 * is exported, so imports only show in the relocations.
 */
static uint64_t count_without_section(struct elfmap *map)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	uint64_t count = dynamic->hash ? count_by_hash(map) : 0;
	uint64_t others[] = {
		dynamic->gnu_hash ? count_by_gnu_hash(map) : 0,
		count_in_relocations(map, dynamic->rel, dynamic->rel_size, false),
		count_in_relocations(map, dynamic->rela, dynamic->rela_size, true),
		count_in_relocations(map, dynamic->jmprel, dynamic->jmprel_size,
				     dynamic->jmprel_is_rela),
	};

	if (count)
		return count; // DT_HASH states the number; the others bound it from below
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		count = others[i] > count ? others[i] : count;
	return count;
}

static const struct elfmap_section *dynsym_section(const struct elfmap *map)
{
	for (size_t i = 0; i < map->section_count; i++)
		if (map->sections[i].type == SHT_DYNSYM &&
		    map->sections[i].vaddr == map->dynamic.symtab)
			return &map->sections[i];
	return NULL;
}

static const struct elfmap_dynsym_table *table_of(struct elfmap *map)
{
	if (map->dynsym_table)
		return map->dynsym_table;

	struct elfmap_dynsym_table *table = arena_alloc(&map->arena, sizeof(*table));
	map->dynsym_table = table;
	if (!map->dynamic.symtab)
		return table;

	const struct elfmap_section *section = dynsym_section(map);
	uint64_t entry_size = elfmap_symbol_size(map);
	uint64_t count = section ? section->size / entry_size : count_without_section(map);
	uint64_t size;

	if (checked_mul(count, entry_size, &size))
		table->bytes = elfmap_bytes(map, map->dynamic.symtab, size);
	if (table->bytes)
		table->count = count;
	else
		notes_add(&map->notes,
			  "%s: .dynsym at vaddr %#lx with %lu symbols exceeds its segment; skipped",
			  map->info.path, (unsigned long)map->dynamic.symtab, (unsigned long)count);
	return table;
}

uint64_t elfmap_dynsym_count(struct elfmap *map)
{
	return table_of(map)->count;
}

bool elfmap_dynsym(struct elfmap *map, uint64_t index, GElf_Sym *ret_symbol, const char **ret_name)
{
	const struct elfmap_dynsym_table *table = table_of(map);

	if (index >= table->count)
		return false;
	elfmap_decode_symbol(map, table->bytes + index * elfmap_symbol_size(map), ret_symbol);
	const char *name = elfmap_dynstr(map, ret_symbol->st_name);
	*ret_name = name ? name : "";
	return true;
}

uint64_t elfmap_dynamic_symbol_count(struct elfmap *map)
{
	return elfmap_dynsym_count(map);
}

bool elfmap_dynamic_symbol(struct elfmap *map, uint64_t index,
			   struct elfmap_dynamic_symbol *ret_symbol)
{
	GElf_Sym symbol;
	const char *name;

	if (!elfmap_dynsym(map, index, &symbol, &name))
		return false;
	*ret_symbol = (struct elfmap_dynamic_symbol){
		.name = name,
		.type = GELF_ST_TYPE(symbol.st_info),
		.binding = GELF_ST_BIND(symbol.st_info),
		.visibility = GELF_ST_VISIBILITY(symbol.st_other),
		.is_defined = symbol.st_shndx != SHN_UNDEF,
		.vaddr = symbol.st_value,
	};
	return true;
}
