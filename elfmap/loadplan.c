// SPDX-License-Identifier: Apache-2.0
// Cost of loading the file: the mmaps, the relocations and the pages they write.
#include "elfmap/private.h"

#include "base/checked.h"

#include <sys/mman.h>

/** A plan for one page size; map->load is the newest. */
struct load_plan {
	struct elfmap_load load; // first: map->load points to it
	uint64_t page_size;
};

/** A PT_LOAD in whole pages, named as in glibc's elf/dl-load.h. */
struct load_command {
	uint64_t map_start, map_end; // pages that the file's part touches
	uint64_t data_end;	     // end of the file's part
	uint64_t alloc_end;	     // end in memory
	uint64_t map_offset;
	uint32_t protection;
};

static uint32_t protection_of(uint32_t flags)
{
	return (flags & PF_R ? (uint32_t)PROT_READ : 0) |
	       (flags & PF_W ? (uint32_t)PROT_WRITE : 0) | (flags & PF_X ? (uint32_t)PROT_EXEC : 0);
}

static bool load_command(const struct elfmap_segment *segment, uint64_t page_size,
			 struct load_command *ret_command)
{
	uint64_t past;
	struct load_command command = {
		.map_start = align_down(segment->vaddr, page_size),
		.map_offset = align_down(segment->offset, page_size),
		.protection = protection_of(segment->flags),
	};

	// The last page must not wrap around either.
	if (segment->memory_size < segment->file_size ||
	    !checked_add(segment->vaddr, segment->memory_size, &command.alloc_end) ||
	    !checked_add(command.alloc_end, page_size, &past))
		return false;
	command.data_end = segment->vaddr + segment->file_size;
	command.map_end = align_up(command.data_end, page_size);
	*ret_command = command;
	return true;
}

/** The PT_LOADs as commands in the order of the file, which must be that of their vaddrs. */
static struct load_command *load_commands(struct elfmap *map, uint64_t page_size, size_t *ret_count)
{
	struct load_command *commands =
		arena_array(&map->arena, map->segment_count, sizeof(*commands));
	size_t count = 0;

	array_foreach (segment, map->segments, map->segment_count) {
		if (segment->type != PT_LOAD)
			continue;
		if (!load_command(segment, page_size, &commands[count]) ||
		    (count && commands[count].map_start < commands[count - 1].map_start)) {
			// One note for all: there can be 65,535 of them.
			notes_add(&map->notes,
				  "%s: a PT_LOAD has a size or position that no loader accepts; "
				  "omitted from the load plan",
				  map->info.path);
			continue;
		}
		if ((segment->vaddr - segment->offset) % page_size != 0)
			notes_add(&map->notes,
				  "%s: vaddr and offset of a PT_LOAD differ within a page of "
				  "%lu bytes; the loader rejects this file",
				  map->info.path, page_size);
		count++;
	}
	*ret_count = count;
	return commands;
}

static void add_mmap(struct elfmap_load *load, struct elfmap_mmap *mmaps, struct elfmap_mmap mmap)
{
	if (mmap.size)
		mmaps[load->mmap_count++] = mmap;
}

/** Pages past the file's part: anonymous. */
static void add_bss(struct elfmap_load *load, struct elfmap_mmap *mmaps,
		    const struct load_command *command, uint64_t page_size, uint32_t protection)
{
	uint64_t start = align_up(command->data_end, page_size);
	uint64_t end = align_up(command->alloc_end, page_size);

	if (end > start)
		add_mmap(load, mmaps,
			 (struct elfmap_mmap){
				 .vaddr = start, .size = end - start, .protection = protection });
}

/**
 * True if the kernel maps this file itself: a program, not a library. A library with a PT_INTERP
 * (libc.so.6) is one all the same: it is not marked DF_1_PIE.
 */
static bool is_program(const struct elfmap *map)
{
	return map->info.type == ET_EXEC || map->info.static_pie ||
	       (map->dynamic.flags_1 & DF_1_PIE);
}

/**
 * The kernel maps each segment by itself (its first mmap reserves the span, but what is too much is
 * unmapped at once), and adds .bss by brk, which knows no read-only. Source: elf_load() and
 * vm_brk_flags(), Linux 6.10 fs/binfmt_elf.c and mm/mmap.c.
 */
static void plan_program(struct elfmap_load *load, struct elfmap_mmap *mmaps,
			 const struct load_command *commands, size_t count, uint64_t page_size)
{
	array_foreach (command, commands, count) {
		if (command->data_end > command->map_start)
			add_mmap(load, mmaps,
				 (struct elfmap_mmap){
					 .vaddr = command->map_start,
					 .size = command->map_end - command->map_start,
					 .has_offset = true,
					 .offset = command->map_offset,
					 .protection = command->protection,
				 });
		add_bss(load, mmaps, command, page_size,
			PROT_READ | PROT_WRITE | (command->protection & PROT_EXEC));
	}
}

/**
 * ld.so's first mmap spans the whole library with the first segment's file part and protection; the
 * others are put over it. Source: _dl_map_segments(), glibc 2.36 elf/dl-map-segments.h.
 */
static void plan_library(struct elfmap_load *load, struct elfmap_mmap *mmaps,
			 const struct load_command *commands, size_t count, uint64_t page_size)
{
	for (size_t i = 0; i < count; i++) {
		const struct load_command *command = &commands[i];
		uint64_t end =
			i ? command->map_end : align_up(commands[count - 1].alloc_end, page_size);

		if (i == 0 || command->data_end > command->map_start)
			add_mmap(load, mmaps,
				 (struct elfmap_mmap){
					 .vaddr = command->map_start,
					 .size = end - command->map_start,
					 .has_offset = true,
					 .offset = command->map_offset,
					 .protection = command->protection,
				 });
		add_bss(load, mmaps, command, page_size, command->protection);
	}
}

uint64_t elfmap_relocation_size(struct elfmap *map, const struct elfmap_relocation *relocation)
{
	const struct elfmap_segment *segment = elfmap_load_at(map, relocation->vaddr);
	uint64_t size = elfmap_word_size(map);
	GElf_Sym symbol;
	const char *name;

	if (!segment)
		return 0;
	if (relocation->class == ELFMAP_RELOCATION_COPY &&
	    elfmap_dynsym(map, relocation->symbol, &symbol, &name) && symbol.st_size > 0)
		size = symbol.st_size;

	uint64_t room = segment->vaddr + segment->memory_size - relocation->vaddr;
	return size < room ? size : room;
}

/** Distinct pages with a slot. Slots are sorted, so each page is new or the last one counted. */
static uint64_t count_pages(struct elfmap *map, const struct elfmap_relocation *items, size_t count,
			    uint64_t page_size)
{
	uint64_t pages = 0;
	uint64_t next = 0; // the first page not counted yet
	struct range page = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		// Almost every slot lies in the page of the one before.
		if (range_contains(page, items[i].vaddr) &&
		    page.end - items[i].vaddr >= elfmap_word_size(map) &&
		    items[i].class != ELFMAP_RELOCATION_COPY)
			continue;

		uint64_t size = elfmap_relocation_size(map, &items[i]);
		if (size == 0)
			continue;
		uint64_t first = items[i].vaddr / page_size;
		uint64_t last = (items[i].vaddr + size - 1) / page_size;
		first = first < next ? next : first;
		if (last + 1 > first) {
			pages += last + 1 - first;
			next = last + 1;
			page = (struct range){ last * page_size, (last + 1) * page_size };
		}
	}
	return pages;
}

static void count_relocations(struct elfmap *map, struct elfmap_load *load, uint64_t page_size)
{
	size_t table_count, count;
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &table_count);
	const struct elfmap_relocation *items = elfmap_relocations(map, &count);

	for (size_t i = 0; i < table_count; i++) {
		load->relocation_table_bytes += tables[i].size;
		load->uses_rel |= tables[i].encoding == ELFMAP_ENCODING_REL;
		load->uses_rela |= tables[i].encoding == ELFMAP_ENCODING_RELA;
		load->uses_relr |= tables[i].encoding == ELFMAP_ENCODING_RELR;
	}
	for (size_t i = 0; i < count; i++)
		load->relocation_counts[items[i].class]++;
	load->pages_written_by_relocation = count_pages(map, items, count, page_size);
}

static void plan(struct elfmap *map, struct elfmap_load *load, uint64_t page_size)
{
	size_t count;
	const struct load_command *commands = load_commands(map, page_size, &count);
	struct elfmap_mmap *mmaps = arena_array(&map->arena, 2 * count, sizeof(*mmaps));

	if (is_program(map))
		plan_program(load, mmaps, commands, count, page_size);
	else
		plan_library(load, mmaps, commands, count, page_size);
	load->mmaps = mmaps;
	for (size_t i = 0; i < map->segment_count; i++) {
		if (map->segments[i].type == PT_GNU_RELRO)
			load->relro_bytes = map->segments[i].memory_size;
	}
	load->bind_now = map->info.bind_now;
	count_relocations(map, load, page_size);
}

const struct elfmap_load *elfmap_load(struct elfmap *map, uint64_t page_size)
{
	struct load_plan *known = (struct load_plan *)map->load;

	if (!known || known->page_size != page_size) {
		known = arena_alloc(&map->arena, sizeof(*known));
		known->page_size = page_size;
		plan(map, &known->load, page_size);
		map->load = &known->load;
	}
	return map->load;
}
