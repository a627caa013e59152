// SPDX-License-Identifier: Apache-2.0
// The part of an ELF file that analysis needs though the file will be gone: its headers, tables and
// data, but no debug information and no large code, copied into the trace. Reads hostile files:
// only after privilege has gone, with every number checked, and by no library.
#include "record/files/private.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/readfull.h"
#include "base/vec.h"
#include "elfmap/headers/elfheaders.h"
#include "machine/page.h"

#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS_MAX = 1 << 18, // more are not looked at, as if there were none
	NAMES_MAX = 16 << 20,
	CODE_MAX =
		1 << 20, // of a section: what is larger is not kept, but for the entry point's page
	ENTRY_BYTES = MACHINE_PAGE,
	PART_BYTES = 1 << 20,
};

static const uint64_t file_max = 32 << 20, trace_max = 128 << 20;

/** Ranks: what comes first if not all fits. */
enum rank { RANK_HEADERS, RANK_TABLES, RANK_DATA, RANK_CODE };

struct piece {
	uint64_t offset, size;
	enum rank rank;
};

/** The ELF header, and what is worth copying. */
struct elf_source {
	int fd;
	uint64_t size;
	struct elfheaders headers;
	VEC(struct piece) pieces;
};

/** Empty pieces, and those that do not lie in the file, are none. */
static void add_piece(struct elf_source *source, uint64_t offset, uint64_t size, enum rank rank)
{
	if (size > 0 && checked_within(offset, size, source->size))
		vec_push(&source->pieces, (struct piece){ offset, size, rank });
}

/** Read a table of @count entries; NULL where it is not whole in the file. */
static uint8_t *read_table(struct elf_source *source, uint64_t offset, uint64_t count,
			   size_t entry_size)
{
	uint64_t size = count * entry_size; // both are small

	if (count == 0 || !checked_within(offset, size, source->size))
		return NULL;
	uint8_t *table = xreallocarray(NULL, count, entry_size);

	if (pread_full(source->fd, table, size, offset) == size) {
		add_piece(source, offset, size, RANK_HEADERS);
		return table;
	}
	free(table);
	return NULL;
}

/** Code of any size may be asked for its first instructions, to find main. */
static void add_code(struct elf_source *source, uint64_t offset, uint64_t size, uint64_t vaddr)
{
	uint64_t into = source->headers.header.e_entry - vaddr;

	if (size <= CODE_MAX)
		add_piece(source, offset, size, RANK_CODE);
	else if (source->headers.header.e_entry >= vaddr && into < size)
		add_piece(source, offset + into, // wraps only where add_piece() refuses it
			  size - into < ENTRY_BYTES ? size - into : ENTRY_BYTES, RANK_TABLES);
}

/** Debug information, and what else is not loaded and not a table of names. */
static bool is_left_out(const Elf64_Shdr *section, const char *name)
{
	if (section->sh_flags & SHF_ALLOC)
		return false;
	if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_STRTAB)
		return strncmp(name, ".debug", 6) == 0; // .debug_str may say that it is a STRTAB
	return section->sh_size > ENTRY_BYTES || strncmp(name, ".debug", 6) == 0 ||
	       strncmp(name, ".zdebug", 7) == 0;
}

static void add_section(struct elf_source *source, const Elf64_Shdr *section, const char *name)
{
	if (section->sh_type == SHT_NULL || section->sh_type == SHT_NOBITS ||
	    is_left_out(section, name))
		return;
	if (section->sh_flags & SHF_EXECINSTR)
		add_code(source, section->sh_offset, section->sh_size, section->sh_addr);
	else
		add_piece(source, section->sh_offset, section->sh_size,
			  section->sh_type == SHT_PROGBITS ? RANK_DATA : RANK_TABLES);
}

/** False if there are no section headers that can be used. */
static bool add_sections(struct elf_source *source)
{
	const Elf64_Ehdr *header = &source->headers.header;
	size_t entry_size = elfheaders_section_size(source->headers.is_64bit);
	uint64_t count = header->e_shnum, names_at = header->e_shstrndx;
	CLEANUP(freep) uint8_t *names = NULL;
	size_t names_size = 0;

	if (header->e_shoff == 0 || header->e_shentsize != entry_size)
		return false;
	CLEANUP(freep) uint8_t *first = read_table(source, header->e_shoff, 1, entry_size);
	if (!first)
		return false;
	Elf64_Shdr zero = elfheaders_section(&source->headers, first, 0);
	if (count == 0)
		count = zero.sh_size;
	if (names_at == SHN_XINDEX)
		names_at = zero.sh_link;
	if (count > SECTIONS_MAX)
		return false;
	CLEANUP(freep)
	uint8_t *table = read_table(source, header->e_shoff, count, entry_size);
	if (!table)
		return false;
	if (names_at < count) {
		Elf64_Shdr section = elfheaders_section(&source->headers, table, names_at);

		if (section.sh_size <= NAMES_MAX)
			names = read_table(source, section.sh_offset, section.sh_size, 1);
		names_size = names ? section.sh_size : 0;
		if (names)
			names[names_size - 1] = '\0';
	}
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Shdr section = elfheaders_section(&source->headers, table, i);

		add_section(source, &section,
			    section.sh_name < names_size ? (char *)names + section.sh_name : "");
	}
	return true;
}

/** Program headers; of a file without sections what they load. */
static void add_segments(struct elf_source *source, bool has_sections)
{
	const Elf64_Ehdr *header = &source->headers.header;
	size_t entry_size = elfheaders_segment_size(source->headers.is_64bit);

	if (header->e_phentsize != entry_size)
		return;
	CLEANUP(freep)
	uint8_t *table = read_table(source, header->e_phoff, header->e_phnum, entry_size);
	for (uint64_t i = 0; table && i < header->e_phnum; i++) {
		Elf64_Phdr segment = elfheaders_segment(&source->headers, table, i);

		if (segment.p_type == PT_NOTE || segment.p_type == PT_INTERP ||
		    segment.p_type == PT_DYNAMIC)
			add_piece(source, segment.p_offset, segment.p_filesz, RANK_TABLES);
		if (segment.p_type != PT_LOAD || has_sections)
			continue;
		if (segment.p_flags & PF_X)
			add_code(source, segment.p_offset, segment.p_filesz, segment.p_vaddr);
		else
			add_piece(source, segment.p_offset, segment.p_filesz, RANK_DATA);
	}
}

ORDER_OF(compare_ranks, piece,
	 ORDER(x->rank, y->rank) ?: ORDER(x->offset, y->offset) ?: ORDER(x->size, y->size))

ORDER_OF(compare_offsets, piece, ORDER(x->offset, y->offset))

/** Keep what fits, by offset. False if the headers do not. */
static bool choose(struct elf_source *source, const struct embed_budget *budget)
{
	uint64_t left = trace_max - budget->used < file_max ? trace_max - budget->used : file_max;
	struct piece *pieces = source->pieces.items;
	size_t kept = 0;

	qsort(pieces, source->pieces.count, sizeof(*pieces), compare_ranks);
	for (size_t i = 0; i < source->pieces.count; i++) {
		if (pieces[i].size <= left) {
			left -= pieces[i].size;
			pieces[kept++] = pieces[i];
		} else if (pieces[i].rank == RANK_HEADERS) {
			return false;
		}
	}
	source->pieces.count = kept;
	qsort(pieces, kept, sizeof(*pieces), compare_offsets);
	return true;
}

/** Copy [@offset, @end). */
static bool copy(const struct elf_source *source, uint64_t offset, uint64_t end, uint32_t id,
		 uint8_t *buffer, struct trace_writer *writer)
{
	while (offset < end) {
		uint32_t size = end - offset < PART_BYTES ? (uint32_t)(end - offset) : PART_BYTES;

		if (pread_full(source->fd, buffer, size, offset) != size)
			return false;
		trace_writer_content(writer, &(struct trace_content){ .file = id,
								      .size = size,
								      .offset = offset,
								      .bytes = buffer });
		offset += size;
	}
	return true;
}

bool embed_file(int fd, uint64_t size, uint32_t id, struct embed_budget *budget,
		struct trace_writer *writer)
{
	struct elf_source source = { .fd = fd, .size = size };
	bool done = false;

	if (elfheaders_read(fd, &source.headers)) {
		add_piece(&source, 0, elfheaders_size(source.headers.is_64bit), RANK_HEADERS);
		add_segments(&source, add_sections(&source));
		done = choose(&source, budget);
	}
	if (done) {
		CLEANUP(freep) uint8_t *buffer = xcalloc(1, PART_BYTES);
		uint64_t end = 0; // pieces may overlap

		vec_foreach (piece, &source.pieces) {
			uint64_t from = piece->offset > end ? piece->offset : end;
			uint64_t to = piece->offset + piece->size;

			if (to <= from)
				continue;
			if (!copy(&source, from, to, id, buffer, writer))
				break; // it was cut: what is there serves
			budget->used += to - from;
			end = to;
		}
	}
	vec_deinit(&source.pieces);
	return done;
}
