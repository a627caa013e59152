// SPDX-License-Identifier: Apache-2.0
// The place of one byte: segment, section, symbol or table entry. Where a file has no section
// headers, the parts that the dynamic section and program headers describe stand in for its
// sections.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/search.h"

/** Names of parts by vaddr, for a file without section headers. */
struct elfmap_implied {
	const char **names; // by id of the range map
	struct rangemap by_vaddr;
};

/** Parts being collected. */
struct parts {
	VEC(struct rangemap_item) items;
	VEC(const char *) names;
};

static void parts_deinit(struct parts *parts)
{
	vec_deinit(&parts->items);
	vec_deinit(&parts->names);
}

static void add_part(struct parts *parts, const char *name, uint64_t start, uint64_t size)
{
	uint64_t end;

	if (start == 0 || size == 0 || !checked_add(start, size, &end))
		return;
	vec_push(&parts->items, (struct rangemap_item){
					{ start, end },
					(uint32_t)parts->names.count, // a few for each segment
				});
	vec_push(&parts->names, name);
}

static void add_hash_parts(struct elfmap *map, struct parts *parts)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	const uint8_t *header = dynamic->hash ? elfmap_bytes(map, dynamic->hash, 8) : NULL;

	if (header)
		add_part(parts, ".hash", dynamic->hash,
			 4 * (2 + (uint64_t)elfmap_u32(map, header) + elfmap_u32(map, header + 4)));
	header = dynamic->gnu_hash ? elfmap_bytes(map, dynamic->gnu_hash, 16) : NULL;
	if (header) {
		uint64_t first = elfmap_u32(map, header + 4);
		uint64_t count = elfmap_dynsym_count(map);
		uint64_t chains = count > first ? count - first : 0;

		add_part(parts, ".gnu.hash", dynamic->gnu_hash,
			 16 + (uint64_t)elfmap_u32(map, header + 8) * elfmap_word_size(map) +
				 4 * (elfmap_u32(map, header) + chains));
	}
}

static void add_dynamic_parts(struct elfmap *map, struct parts *parts)
{
	const struct elfmap_dynamic *dynamic = &map->dynamic;
	uint64_t symbols = elfmap_dynsym_count(map);

	add_part(parts, ".dynamic", dynamic->vaddr,
		 dynamic->entry_count * 2 * elfmap_word_size(map));
	add_part(parts, ".dynsym", dynamic->symtab, symbols * elfmap_symbol_size(map));
	add_part(parts, ".dynstr", dynamic->strtab, dynamic->strtab_size);
	add_part(parts, ".gnu.version", dynamic->versym, symbols * 2);
	add_hash_parts(map, parts);
	// GNU ld counts .rela.plt as the tail of DT_RELA on some machines: it goes first.
	add_part(parts, dynamic->jmprel_is_rela ? ".rela.plt" : ".rel.plt", dynamic->jmprel,
		 dynamic->jmprel_size);
	add_part(parts, ".rela.dyn", dynamic->rela, dynamic->rela_size);
	add_part(parts, ".rel.dyn", dynamic->rel, dynamic->rel_size);
	add_part(parts, ".relr.dyn", dynamic->relr, dynamic->relr_size);
	add_part(parts, ".preinit_array", dynamic->preinit_array, dynamic->preinit_array_size);
	add_part(parts, ".init_array", dynamic->init_array, dynamic->init_array_size);
	add_part(parts, ".fini_array", dynamic->fini_array, dynamic->fini_array_size);
}

static void add_frame_parts(struct elfmap *map, struct parts *parts)
{
	size_t count;
	const struct elfmap_frame *frames = elfmap_frames(map, &count);
	struct range range;
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (frames[i].vaddr + frames[i].size > end)
			end = frames[i].vaddr + frames[i].size;
	if (elfmap_eh_frame(map, &range) && end > range.start)
		add_part(parts, ".eh_frame", range.start, end - range.start);
}

/**
 * Segments that hold one section. What is read-only once it is relocated comes last: in between
 * the parts above it is data with addresses in it, and the GOT, which does not stand apart.
 */
static void add_segment_parts(const struct elfmap *map, struct parts *parts)
{
	const struct elfmap_segment *relro = NULL;

	array_foreach (segment, map->segments, map->segment_count) {
		switch (segment->type) {
		case PT_INTERP:
			add_part(parts, ".interp", segment->vaddr, segment->file_size);
			break;
		case PT_NOTE:
			add_part(parts, ".note", segment->vaddr, segment->file_size);
			break;
		case PT_GNU_EH_FRAME:
			add_part(parts, ".eh_frame_hdr", segment->vaddr, segment->file_size);
			break;
		case PT_TLS:
			add_part(parts, ".tdata", segment->vaddr, segment->file_size);
			break;
		case PT_GNU_RELRO:
			relro = segment;
			break;
		default:
			break;
		}
	}
	if (relro)
		add_part(parts, ".data.rel.ro", relro->vaddr, relro->file_size);
}

static const struct elfmap_implied *implied_parts(struct elfmap *map)
{
	if (map->implied)
		return map->implied;

	struct elfmap_implied *implied = arena_alloc(&map->arena, sizeof(*implied));
	CLEANUP(parts_deinit) struct parts parts = { 0 };

	map->implied = implied;
	add_dynamic_parts(map, &parts);
	add_frame_parts(map, &parts);
	add_segment_parts(map, &parts);
	implied->names = arena_array(&map->arena, parts.names.count, sizeof(*implied->names));
	for (size_t i = 0; i < parts.names.count; i++)
		implied->names[i] = parts.names.items[i];
	rangemap_build(&implied->by_vaddr, &map->arena, parts.items.items, parts.items.count,
		       rangemap_first_wins, NULL);
	notes_add(&map->notes,
		  "%s: no section headers: names of sections are inferred from the program headers "
		  "and the dynamic section",
		  map->info.path);
	return implied;
}

/** Name of the section that must have been at @place, which is in a PT_LOAD. */
static const char *implied_name(struct elfmap *map, const struct elfmap_place *place)
{
	const struct elfmap_implied *implied = implied_parts(map);
	const struct rangemap_item *item = rangemap_find(&implied->by_vaddr, place->vaddr);

	if (item)
		return implied->names[item->id];
	if (place->segment->flags & PF_X)
		return ".text";
	if (!(place->segment->flags & PF_W))
		return ".rodata";
	return place->has_offset ? ".data" : ".bss";
}

/** The table of headers that holds a byte outside every section, or NULL. */
static const char *header_name(const struct elfmap *map, uint64_t offset)
{
	const Elf64_Ehdr *header = &map->headers.header;
	uint64_t header_size = elfheaders_size(map->info.is_64bit);
	// Both tables were checked against the file's size.
	uint64_t segments_end = header->e_phoff + map->segment_count * header->e_phentsize;
	uint64_t sections_end = header->e_shoff + map->section_count * header->e_shentsize;

	if (offset < header_size)
		return "[elf-header]";
	if (offset >= header->e_phoff && offset < segments_end)
		return "[program-headers]";
	if (offset >= header->e_shoff && offset < sections_end)
		return "[section-headers]";
	return NULL;
}

static const char *name_of(struct elfmap *map, const struct elfmap_place *place)
{
	if (place->section)
		return place->section->name;
	const char *name = place->has_offset ? header_name(map, place->offset) : NULL;
	if (name)
		return name;
	if (map->section_count == 0 && place->segment)
		return implied_name(map, place);
	return "[padding]";
}

/** Name what @place, whose segment and section are found, holds. */
static void find_names(struct elfmap *map, struct elfmap_place *place)
{
	place->section_name = name_of(map, place);
	if (place->has_vaddr)
		place->symbol = elfmap_symbol_at(map, place->vaddr);
	if (place->symbol && !elfmap_symbol_is_a_guess(map, place->symbol))
		return;

	// _DYNAMIC or _GLOBAL_OFFSET_TABLE_ have no size: they only label the start of a table
	// whose entries say more. What a slot points to says less than a symbol.
	elfmap_entry_at(map, place, &place->entry);
	if (!place->symbol)
		return;
	if (place->entry.kind >= ELFMAP_ENTRY_INIT || place->entry.kind == ELFMAP_ENTRY_NONE)
		place->entry = (struct elfmap_entry){ .kind = ELFMAP_ENTRY_NONE };
	else
		place->symbol = NULL;
}

/**
 * The section whose alignment left a gap at @place, which is in the zero-filled part of its
 * segment: the loader zeroes from the end of the file part on, and that is the first byte it
 * touches.
 */
static const struct elfmap_section *zero_filled_section(const struct elfmap *map,
							const struct elfmap_place *place)
{
	const struct rangemap *sections = &map->sections_by_vaddr;
	size_t past =
		search_first(sections->count, i, sections->items[i].range.start > place->vaddr);

	if (past == sections->count)
		return NULL;
	const struct elfmap_section *next = &map->sections[sections->items[past].id];
	bool is_same_segment = next->segment == (int32_t)place->segment->index; // of 16 bits

	return is_same_segment && !next->has_bytes ? next : NULL;
}

void elfmap_locate(struct elfmap *map, uint64_t vaddr, struct elfmap_place *ret_place)
{
	struct elfmap_place place = { .has_vaddr = true, .vaddr = vaddr };

	place.has_offset = elfmap_vaddr_to_offset(map, vaddr, &place.offset);
	place.segment = elfmap_load_at(map, vaddr);
	place.section = elfmap_section_at(map, vaddr);
	if (!place.section && place.segment && !place.has_offset)
		place.section = zero_filled_section(map, &place);
	find_names(map, &place);
	*ret_place = place;
}

void elfmap_locate_offset(struct elfmap *map, uint64_t offset, struct elfmap_place *ret_place)
{
	struct elfmap_place place = { .has_offset = true, .offset = offset };
	const struct rangemap_item *load = rangemap_find(&map->loads_by_offset, offset);

	place.has_vaddr = elfmap_offset_to_vaddr(map, offset, &place.vaddr);
	if (load)
		place.segment = &map->segments[load->id];
	if (place.has_vaddr)
		place.section = elfmap_section_at(map, place.vaddr);
	if (!place.section)
		place.section = elfmap_section_at_offset(map, offset);
	find_names(map, &place);
	*ret_place = place;
}
