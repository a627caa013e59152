// SPDX-License-Identifier: Apache-2.0
// Copies what elfmap says of one file into plain data.
#include "model/map.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/hex.h"
#include "base/order.h"
#include "base/range.h"
#include "elfmap/elfmap.h"
#include "elfmap/headers/elfheaders.h"
#include "inspect/owners.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/** A number and the word for it. */
struct word {
	uint64_t number;
	const char *text;
};

static const char *find_word(const struct word *words, size_t count, uint64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (words[i].number == number)
			return words[i].text;
	}
	return NULL;
}
#define WORD(words, number) find_word(words, sizeof(words) / sizeof(words[0]), number)

static const char *machine_word(struct map_model *model, const struct elfmap_info *info)
{
	const char *name = elfmap_machine_name(info);

	return name ? name : arena_printf(&model->arena, "%u", info->machine);
}

static const char *segment_type_word(struct map_model *model, uint32_t type)
{
	static const struct word words[] = {
		{ PT_NULL, "NULL" },
		{ PT_LOAD, "LOAD" },
		{ PT_DYNAMIC, "DYNAMIC" },
		{ PT_INTERP, "INTERP" },
		{ PT_NOTE, "NOTE" },
		{ PT_SHLIB, "SHLIB" },
		{ PT_PHDR, "PHDR" },
		{ PT_TLS, "TLS" },
		{ PT_GNU_EH_FRAME, "GNU_EH_FRAME" },
		{ PT_GNU_STACK, "GNU_STACK" },
		{ PT_GNU_RELRO, "GNU_RELRO" },
		{ PT_GNU_PROPERTY, "GNU_PROPERTY" },
	};
	const char *word = WORD(words, type);

	return word ? word : arena_printf(&model->arena, "0x%x", type);
}

static const char *rwx(struct map_model *model, bool read, bool write, bool execute)
{
	return arena_printf(&model->arena, "%c%c%c", read ? 'r' : '-', write ? 'w' : '-',
			    execute ? 'x' : '-');
}

static const char *section_flags(struct map_model *model, uint64_t flags)
{
	// The letters and their order are readelf's.
	static const struct {
		uint64_t flag;
		char letter;
	} known[] = {
		{ SHF_WRITE, 'W' },
		{ SHF_ALLOC, 'A' },
		{ SHF_EXECINSTR, 'X' },
		{ SHF_MERGE, 'M' },
		{ SHF_STRINGS, 'S' },
		{ SHF_INFO_LINK, 'I' },
		{ SHF_LINK_ORDER, 'L' },
		{ SHF_GROUP, 'G' },
		{ SHF_TLS, 'T' },
		{ SHF_COMPRESSED, 'C' },
		{ SHF_GNU_RETAIN, 'R' },
		{ SHF_EXCLUDE, 'E' },
		{ SHF_OS_NONCONFORMING, 'O' },
	};
	char text[sizeof(known) / sizeof(known[0]) + 1];
	size_t length = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (flags & known[i].flag)
			text[length++] = known[i].letter;
	}
	text[length] = '\0';
	return arena_strdup(&model->arena, text);
}

static void copy_info(struct map_model *model, const struct elfmap_info *info)
{
	static const struct word types[] = {
		{ ET_EXEC, "ET_EXEC" },
		{ ET_DYN, "ET_DYN" },
	};
	const char *type = WORD(types, info->type);

	model->path = arena_strdup(&model->arena, info->path);
	model->size = info->size;
	model->type = type ? type : arena_printf(&model->arena, "%u", info->type);
	model->machine = machine_word(model, info);
	model->soname = arena_strdup(&model->arena, info->soname);
	model->interpreter = arena_strdup(&model->arena, info->interpreter);
	model->symbols_from = elfmap_symbols_word(info->symbols);
	model->is_static_pie = info->static_pie;
	if (info->build_id_size) {
		char *hex = arena_alloc(&model->arena, 2 * info->build_id_size + 1);

		model->build_id = hex_text(info->build_id, info->build_id_size, hex);
	}
}

static void copy_segments(struct map_model *model, const struct elfmap *map)
{
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);

	model->segments = arena_array(&model->arena, count, sizeof(*model->segments));
	model->segment_count = count;
	for (size_t i = 0; i < count; i++)
		model->segments[i] = (struct map_segment){
			.index = segments[i].index,
			.type = segment_type_word(model, segments[i].type),
			.flags = rwx(model, segments[i].flags & PF_R, segments[i].flags & PF_W,
				     segments[i].flags & PF_X),
			.offset = segments[i].offset,
			.file_size = segments[i].file_size,
			.vaddr = segments[i].vaddr,
			.memory_size = segments[i].memory_size,
			.align = segments[i].align,
		};
}

/** Pages that [@vaddr, @vaddr + @size) touches. */
static uint64_t pages_of(uint64_t vaddr, uint64_t size, uint64_t page_size)
{
	if (size == 0 || size - 1 > UINT64_MAX - vaddr)
		return 0;
	return (vaddr + size - 1) / page_size - vaddr / page_size + 1;
}

static void copy_sections(struct map_model *model, const struct elfmap *map)
{
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(map, &count);

	model->sections = arena_array(&model->arena, count, sizeof(*model->sections));
	for (size_t i = 1; i < count; i++) {
		const struct elfmap_section *section = &sections[i];
		bool is_loaded = section->flags & SHF_ALLOC;
		// Only each thread's copy of .tbss takes memory.
		bool takes_memory =
			is_loaded && (section->has_bytes || !(section->flags & SHF_TLS));

		model->sections[model->section_count++] = (struct map_section){
			.index = section->index,
			.name = arena_strdup(&model->arena, section->name),
			.flags = section_flags(model, section->flags),
			.has_segment = section->segment >= 0,
			.segment = section->segment >= 0 ? (uint32_t)section->segment : 0,
			.has_offset = section->has_bytes,
			.offset = section->offset,
			.size = section->size,
			.has_vaddr = is_loaded,
			.vaddr = section->vaddr,
			.pages = takes_memory
					 ? pages_of(section->vaddr, section->size, model->page_size)
					 : 0,
		};
	}
}

/** A part before it is known which of its bytes are its own. */
struct piece {
	const char *name;
	uint64_t offset, size, memory;
};

ORDER_OF(compare_pieces, piece,
	 ORDER(x->offset, y->offset) ?: ORDER(x->size, y->size) ?: strcmp(x->name, y->name))

/** Headers, sections, or where there are none segments. */
static size_t list_pieces(struct map_model *model, const struct elfmap *map, struct piece *pieces)
{
	struct elfheaders headers;
	size_t count = 0;

	if (elfheaders_read(elfmap_descriptor(map), &headers)) {
		const Elf64_Ehdr *header = &headers.header;

		pieces[count++] =
			(struct piece){ "[elf-header]", 0, elfheaders_size(headers.is_64bit), 0 };
		pieces[count++] =
			(struct piece){ "[program-headers]", header->e_phoff,
					(uint64_t)header->e_phnum * header->e_phentsize, 0 };
		// The null section, which may state how many there are, has a header, too.
		pieces[count++] =
			(struct piece){ "[section-headers]", header->e_shoff,
					model->section_count > 0
						? (model->section_count + 1) * header->e_shentsize
						: (uint64_t)header->e_shnum * header->e_shentsize,
					0 };
	}
	array_foreach (section, model->sections, model->section_count)
		pieces[count++] =
			(struct piece){ section->name, section->has_offset ? section->offset : 0,
					section->has_offset ? section->size : 0,
					section->has_vaddr ? section->size : 0 };
	for (size_t i = 0; model->section_count == 0 && i < model->segment_count; i++) {
		const struct map_segment *segment = &model->segments[i];

		if (strcmp(segment->type, "LOAD") == 0)
			pieces[count++] = (struct piece){
				arena_printf(&model->arena, "[%s segment]", segment->flags),
				segment->offset, segment->file_size, segment->memory_size
			};
	}
	return count;
}

/** Give each byte of the file to the first part that has it. */
static void copy_parts(struct map_model *model, const struct elfmap *map)
{
	const uint64_t size = elfmap_info(map)->size;
	size_t most = model->section_count + model->segment_count + 4;
	CLEANUP(freep) struct piece *pieces = xcalloc(most, sizeof(*pieces));
	size_t count = list_pieces(model, map, pieces);
	uint64_t reached = 0, padding = 0;

	model->parts = arena_array(&model->arena, most, sizeof(*model->parts));
	qsort(pieces, count, sizeof(*pieces), compare_pieces);
	array_foreach (piece, pieces, count) {
		uint64_t start = piece->offset < size ? piece->offset : size, end;

		if (!checked_add(start, piece->size, &end) || end > size)
			end = size;
		if (piece->size > 0 && start > reached) {
			padding += start - reached;
			reached = start;
		}
		model->parts[model->part_count++] =
			(struct map_part){ .name = piece->name,
					   .file_bytes = end > reached ? end - reached : 0,
					   .memory_bytes = piece->memory };
		reached = end > reached ? end : reached;
	}
	model->parts[model->part_count++] =
		(struct map_part){ .name = "[padding]", .file_bytes = padding + size - reached };
}

/** Compile units, and the code that is in none. */
static void copy_units(struct map_model *model, struct elfmap *map)
{
	size_t count;
	const struct elfmap_unit *units = elfmap_units(map, &count);
	uint64_t code = 0, known = 0;

	if (!units)
		return;
	array_foreach (section, model->sections, model->section_count)
		if (section->has_vaddr && strchr(section->flags, 'X') &&
		    !checked_add(code, section->size, &code))
			code = UINT64_MAX;
	model->has_units = true;
	model->units = arena_array(&model->arena, count + 1, sizeof(*model->units));
	array_foreach (unit, units, count) {
		model->units[model->unit_count++] =
			(struct map_unit){ arena_strdup(&model->arena, unit->name),
					   unit->code_bytes };
		known += unit->code_bytes;
	}
	model->units[model->unit_count++] =
		(struct map_unit){ NULL, code > known ? code - known : 0 };
}

/** True if @a stands before @b: larger, then by name, then by address. */
static bool is_larger(const struct elfmap_symbol *a, const struct elfmap_symbol *b)
{
	if (a->size != b->size)
		return a->size > b->size;
	int order = strcmp(a->name, b->name);
	return order ? order < 0 : a->vaddr < b->vaddr;
}

ORDER_OF_POINTERS(compare_sizes, elfmap_symbol, is_larger(y, x) - is_larger(x, y))

/**
 * The @limit largest into @picked, which has room for all. A few come from a short sorted list
 * through which all symbols pass once: of a hundred thousand, nearly none stays.
 */
static size_t pick_largest(const struct elfmap_symbol *symbols, size_t count, size_t limit,
			   const struct elfmap_symbol **picked)
{
	enum { FEW = 256 };
	size_t kept = 0;

	if (limit > FEW) {
		for (size_t i = 0; i < count; i++)
			picked[i] = &symbols[i];
		qsort(picked, count, sizeof(*picked), compare_sizes);
		return limit;
	}
	for (size_t i = 0; i < count && limit; i++) {
		if (kept == limit && !is_larger(&symbols[i], picked[kept - 1]))
			continue;
		size_t at = kept < limit ? kept++ : kept - 1;

		for (; at > 0 && is_larger(&symbols[i], picked[at - 1]); at--)
			picked[at] = picked[at - 1];
		picked[at] = &symbols[i];
	}
	return kept;
}

static const char *symbol_name(struct elfmap *map, const struct elfmap_symbol *symbol,
			       const struct map_options *options)
{
	return options->no_demangle ? symbol->name : elfmap_symbol_display(map, symbol);
}

static void copy_symbols(struct map_model *model, struct elfmap *map,
			 const struct map_options *options)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);
	size_t limit = options->all_symbols || options->symbol_limit > count
			       ? count
			       : options->symbol_limit;
	CLEANUP(freep) const struct elfmap_symbol **picked = xcalloc(count, sizeof(*picked));

	if (options->all_symbols)
		for (size_t i = 0; i < count; i++)
			picked[i] = &symbols[i];
	else
		limit = pick_largest(symbols, count, limit, picked);

	model->symbols = arena_array(&model->arena, limit, sizeof(*model->symbols));
	model->symbol_count = limit;
	model->symbol_total = count;
	for (size_t i = 0; i < limit; i++) {
		struct map_symbol *symbol = &model->symbols[i];
		uint32_t section = picked[i]->section;

		*symbol = (struct map_symbol){
			.name = arena_strdup(&model->arena, symbol_name(map, picked[i], options)),
			.vaddr = picked[i]->vaddr,
			.size = picked[i]->size,
			.is_sized = !elfmap_symbol_is_a_guess(map, picked[i]),
		};
		if (section > 0 && section <= model->section_count) // the first is left out
			symbol->section = model->sections[section - 1].name;
		symbol->has_offset = elfmap_vaddr_to_offset(map, symbol->vaddr, &symbol->offset);
	}
}

/** A stripped file has no symbol for its .init, but what that section is has a name all the same.
 */
static const char *entry_name(struct elfmap *map, uint64_t vaddr, const struct map_options *options)
{
	struct elfmap_place place;

	elfmap_locate(map, vaddr, &place);
	if (place.entry.kind != ELFMAP_ENTRY_INIT)
		return NULL;
	return elfmap_entry_name(map, &place.entry, !options->no_demangle);
}

static void copy_initializers(struct map_model *model, struct elfmap *map,
			      const struct map_options *options)
{
	size_t count;
	const struct elfmap_initializer *initializers = elfmap_initializers(map, &count);

	model->initializers = arena_array(&model->arena, count, sizeof(*model->initializers));
	model->initializer_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct elfmap_initializer *from = &initializers[i];
		const struct elfmap_symbol *symbol = from->symbol;

		model->initializers[i] = (struct map_initializer){
			.index = from->index,
			.array = arena_strdup(&model->arena, from->array),
			.function = arena_strdup(&model->arena,
						 symbol ? symbol_name(map, symbol, options)
							: entry_name(map, from->vaddr, options)),
			.vaddr = from->vaddr,
			.has_offset = from->has_offset,
			.offset = from->offset,
			.has_size = symbol != NULL,
			.size = symbol ? symbol->size : 0,
			.source = arena_strdup(&model->arena, from->source),
			.package = arena_strdup(&model->arena, from->package),
		};
	}
}

static const char *encoding_word(const struct elfmap_load *load)
{
	if (load->uses_rel + load->uses_rela + load->uses_relr > 1)
		return "mixed";
	return load->uses_rela ? "rela" : load->uses_relr ? "relr" : load->uses_rel ? "rel" : NULL;
}

static void copy_load(struct map_model *model, struct elfmap *map)
{
	const struct elfmap_load *load = elfmap_load(map, model->page_size);
	const uint64_t *counts = load->relocation_counts;

	model->mmaps = arena_array(&model->arena, load->mmap_count, sizeof(*model->mmaps));
	model->mmap_count = load->mmap_count;
	for (size_t i = 0; i < load->mmap_count; i++)
		model->mmaps[i] = (struct map_mmap){
			.vaddr = load->mmaps[i].vaddr,
			.size = load->mmaps[i].size,
			.has_offset = load->mmaps[i].has_offset,
			.offset = load->mmaps[i].offset,
			.protection = rwx(model, load->mmaps[i].protection & PROT_READ,
					  load->mmaps[i].protection & PROT_WRITE,
					  load->mmaps[i].protection & PROT_EXEC),
		};
	model->relocations = (struct map_relocations){
		.relative = counts[ELFMAP_RELOCATION_RELATIVE],
		.symbolic = counts[ELFMAP_RELOCATION_SYMBOLIC],
		.irelative = counts[ELFMAP_RELOCATION_IRELATIVE],
		.tls = counts[ELFMAP_RELOCATION_TLS],
		.copy = counts[ELFMAP_RELOCATION_COPY],
		.jump_slot = counts[ELFMAP_RELOCATION_JUMP_SLOT],
		.encoding = encoding_word(load),
		.table_bytes = load->relocation_table_bytes,
	};
	model->pages_written_by_relocation = load->pages_written_by_relocation;
	model->relro_bytes = load->relro_bytes;
	model->bind_now = load->bind_now;
}

/** Open the file at @path; where there are sysroots an absolute one is below these. */
static bool open_file(const char *path, const struct elfmap_options *how, struct elfmap **ret_map,
		      struct err *err)
{
	struct depot_file found;
	size_t place = 0;

	if (path[0] != '/' || !depot_has_others(how->depot))
		return elfmap_open(path, how, ret_map, err);
	while (depot_next(how->depot, path, &place, &found)) {
		CLEANUP(depot_file_deinit) struct depot_file candidate = found;

		if (candidate.is_here)
			continue;
		if (candidate.fd < 0)
			return err_set(err, ERR_INPUT, "%s: %s", candidate.place,
				       candidate.problem);
		return elfmap_open_found(path, &candidate, how, ret_map, err);
	}
	return err_set(err, ERR_INPUT, "%s: no such file below --sysroot", path);
}

bool map_model_create(const char *path, const struct map_options *options,
		      struct map_model **ret_model, struct err *err)
{
	const struct elfmap_options how = { .debug_dir = options->debug_dir,
					    .depot = options->depot };
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;

	if (!open_file(path, &how, &map, err))
		return false;

	struct map_model *model = xcalloc(1, sizeof(*model));
	model->page_size = options->page_size;
	copy_segments(model, map);
	copy_sections(model, map);
	if (options->has_parts) {
		copy_parts(model, map);
		copy_units(model, map);
	}
	copy_symbols(model, map, options);
	copy_initializers(model, map, options);
	copy_load(model, map);
	if (options->has_owners)
		owners_copy(model, map, options);
	copy_info(model, elfmap_info(map));
	notes_merge(&model->notes, elfmap_notes(map));
	*ret_model = model;
	return true;
}

void map_model_destroy(struct map_model *model)
{
	if (!model)
		return;
	notes_deinit(&model->notes);
	arena_deinit(&model->arena);
	free(model);
}
