// SPDX-License-Identifier: Apache-2.0
// One file: what kind it is, and its headers.
#include "elfmap/private.h"

#include "base/checked.h"
#include "base/cleanup.h"
#include "base/figure.h"
#include "machine/page.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_regular(struct elfmap *map, struct err *err)
{
	const char *path = map->info.path;

	// Without O_NONBLOCK a FIFO would hang here before it could be refused.
	if (map->fd < 0)
		map->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (map->fd < 0)
		return err_os(err, "%s", path);

	struct stat *status = &map->status;
	if (!status->st_mode && fstat(map->fd, status) < 0)
		return err_os(err, "%s", path);
	if (S_ISDIR(status->st_mode))
		return err_set(err, ERR_INPUT, "%s: is a directory; name an ELF file in it", path);
	if (S_ISFIFO(status->st_mode))
		return err_set(err, ERR_INPUT,
			       "%s: is a FIFO; save its data to a file and name that", path);
	if (!S_ISREG(status->st_mode))
		return err_set(err, ERR_INPUT, "%s: not a regular file; name an ELF file", path);
	if (status->st_size == 0)
		return err_set(err, ERR_INPUT, "%s: is empty, not an ELF file", path);

	map->info.size = (uint64_t)status->st_size;
	// calloc gives untouched zero pages, so pieces that are never read cost nothing.
	map->file.bytes = calloc(map->info.size, 1);
	map->file.have = calloc(map->info.size / MACHINE_PAGE + 1, sizeof(*map->file.have));
	if (!map->file.bytes || !map->file.have)
		return err_os(err, "%s: file too large (%" PRIu64 " bytes)", path, map->info.size);
	return true;
}

/** Say what a file is that does not begin like an ELF file. */
static bool refuse_other_kind(struct elfmap *map, struct err *err)
{
	const char *path = map->info.path;
	uint64_t size = map->info.size < 16 ? map->info.size : 16;
	const char *start = (const char *)elfmap_file_bytes(map, 0, size);

	if (!start)
		return err_set(err, ERR_OS, "%s: cannot be read", path);
	if (size >= 8 && (memcmp(start, "!<arch>\n", 8) == 0 || memcmp(start, "!<thin>\n", 8) == 0))
		return err_set(err, ERR_INPUT,
			       "%s: an ar archive of object files; name the program or library "
			       "linked from it",
			       path);
	if (size >= 2 && memcmp(start, "#!", 2) == 0)
		return err_set(err, ERR_INPUT,
			       "%s: a script, not an ELF file; name the interpreter that runs it",
			       path);
	if (size >= 9 && memcmp(start, "/* GNU ld", 9) == 0)
		return err_set(
			err, ERR_INPUT,
			"%s: a linker script, not an ELF file; name the library it refers to",
			path);
	if (!elfheaders_is_elf(start, size))
		return err_set(err, ERR_INPUT,
			       "%s: not an ELF file; name a program or shared library", path);
	return true;
}

static bool cut_short(const struct elfmap *map, const char *what, uint64_t end, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "%s: truncated: the file ends at %" PRIu64 " but its %s extend to "
		       "%" PRIu64 "; copy it again",
		       map->info.path, map->info.size, what, end);
}

static bool check_table(const struct elfmap *map, const char *what, uint64_t offset, uint64_t count,
			uint64_t entry_size, uint64_t wanted_size, struct err *err)
{
	uint64_t bytes, end;

	if (count == 0)
		return true;
	if (entry_size != wanted_size)
		return err_set(err, ERR_INPUT,
			       "%s: damaged: according to its ELF header, %s have %" PRIu64
			       " bytes each, not %" PRIu64,
			       map->info.path, what, entry_size, wanted_size);
	if (!checked_mul(count, entry_size, &bytes) || !checked_add(offset, bytes, &end))
		end = UINT64_MAX;
	if (end > map->info.size)
		return cut_short(map, what, end, err);
	return elfmap_is_known(map, offset, bytes) ||
	       err_set(err, ERR_INPUT, "%s: its %s are not in the trace", map->info.path, what);
}

static bool check_type(const struct elfmap *map, bool is_debug_file, struct err *err)
{
	const char *path = map->info.path;

	// dwz makes the file with common parts one.
	if (is_debug_file && map->headers.header.e_type == ET_REL)
		return true;
	switch (map->headers.header.e_type) {
	case ET_EXEC:
	case ET_DYN:
		return true;
	case ET_CORE:
		return err_set(err, ERR_INPUT,
			       "%s: a core file, not a program; name the program that dumped it",
			       path);
	case ET_REL:
		return err_set(err, ERR_UNSUPPORTED,
			       "%s: a relocatable object, which is never loaded; name the program "
			       "or library linked from it",
			       path);
	default:
		return err_set(err, ERR_INPUT,
			       "%s: ELF type %u is neither a program nor a shared library", path,
			       map->headers.header.e_type);
	}
}

/** The ELF header, checked so that what follows can trust offsets, counts and entry sizes. */
static bool read_header(struct elfmap *map, bool is_debug_file, struct err *err)
{
	const char *path = map->info.path;

	if (!refuse_other_kind(map, err))
		return false;
	const uint8_t *ident = elfmap_file_bytes(map, 0, EI_NIDENT);
	if (!ident)
		return cut_short(map, "ELF header", EI_NIDENT, err);
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, ERR_INPUT, "%s: damaged: ELF class %u is neither 32 nor 64 bit",
			       path, ident[EI_CLASS]);
	if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
		return err_set(err, ERR_INPUT, "%s: damaged: ELF byte order %u is unknown", path,
			       ident[EI_DATA]);
	if (ident[EI_VERSION] != EV_CURRENT)
		return err_set(err, ERR_INPUT, "%s: damaged: ELF version %u is unknown", path,
			       ident[EI_VERSION]);
	map->info.is_64bit = ident[EI_CLASS] == ELFCLASS64;
	map->info.big_endian = ident[EI_DATA] == ELFDATA2MSB;
	uint64_t header_size = elfheaders_size(map->info.is_64bit);
	if (map->info.size < header_size)
		return cut_short(map, "ELF header", header_size, err);
	const uint8_t *bytes = elfmap_file_bytes(map, 0, header_size);

	if (!bytes || !elfheaders_parse(bytes, header_size, &map->headers))
		return err_set(err, ERR_OS, "%s: cannot be read", path);
	map->info.type = map->headers.header.e_type;
	map->info.machine = map->headers.header.e_machine;
	map->info.entry = map->headers.header.e_entry;
	return check_type(map, is_debug_file, err);
}

/** Read the program headers; @extended_count is sh_info of section 0, for PN_XNUM. */
static bool read_segments(struct elfmap *map, uint64_t extended_count, struct err *err)
{
	uint64_t entry_size = elfheaders_segment_size(map->info.is_64bit);
	uint64_t count = map->headers.header.e_phnum == PN_XNUM ? extended_count
								: map->headers.header.e_phnum;

	if (!check_table(map, "program headers", map->headers.header.e_phoff, count,
			 map->headers.header.e_phentsize, entry_size, err))
		return false;
	if (count == 0)
		return true;
	if (map->headers.header.e_phoff == 0)
		return err_set(err, ERR_INPUT,
			       "%s: damaged program headers: they are said to start at offset 0",
			       map->info.path);

	const uint8_t *table =
		elfmap_file_bytes(map, map->headers.header.e_phoff, count * entry_size);
	if (!table)
		return err_set(err, ERR_INPUT, "%s: its program headers cannot be read",
			       map->info.path);
	map->segments = arena_array(&map->arena, count, sizeof(*map->segments));
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr header = elfheaders_segment(&map->headers, table, i);

		map->segments[i] = (struct elfmap_segment){
			.index = (uint32_t)i,
			.type = header.p_type,
			.flags = header.p_flags,
			.offset = header.p_offset,
			.file_size = header.p_filesz,
			.vaddr = header.p_vaddr,
			.memory_size = header.p_memsz,
			.align = header.p_align,
		};
	}
	map->segment_count = count;
	return true;
}

/** Section 0, which holds the counts that do not fit the ELF header; false if there is none. */
static bool read_section_zero(struct elfmap *map, Elf64_Shdr *ret_header)
{
	uint64_t entry_size = elfheaders_section_size(map->info.is_64bit);
	const uint8_t *bytes = NULL;

	if (map->headers.header.e_shoff && map->headers.header.e_shentsize == entry_size)
		bytes = elfmap_file_bytes(map, map->headers.header.e_shoff, entry_size);
	if (!bytes)
		return false;
	*ret_header = elfheaders_section(&map->headers, bytes, 0);
	return true;
}

/** Section names, from the section of @table that the ELF header (or section 0) points to. */
static struct elfmap_strings read_section_names(struct elfmap *map, const Elf64_Shdr *zero,
						const uint8_t *table, uint64_t count)
{
	uint64_t index = map->headers.header.e_shstrndx == SHN_XINDEX
				 ? zero->sh_link
				 : map->headers.header.e_shstrndx;
	Elf64_Shdr header = { 0 };

	if (index != SHN_UNDEF && index < count)
		header = elfheaders_section(&map->headers, table, index);
	if (header.sh_type != SHT_STRTAB) {
		notes_add(&map->notes,
			  "%s: section headers without names: section %" PRIu64
			  " is not a string table",
			  map->info.path, index);
		return (struct elfmap_strings){ 0 };
	}
	return elfmap_strings_of(elfmap_file_bytes(map, header.sh_offset, header.sh_size),
				 header.sh_size);
}

/** Note, once a kind, the first of @count sections that has something wrong with it. */
static void note_sections(struct elfmap *map, uint64_t count, size_t first, const char *what)
{
	if (count)
		notes_add(&map->notes, "%s: %" PRIu64 " section%s %s; the first is section %zu",
			  map->info.path, count, figure_plural(count), what, first);
}

static void fill_sections(struct elfmap *map, const uint8_t *table, size_t count,
			  const struct elfmap_strings *names)
{
	uint64_t nameless = 0, beyond = 0;
	size_t first_nameless = 0, first_beyond = 0;

	map->sections = arena_array(&map->arena, count, sizeof(*map->sections));
	map->section_count = count;
	for (size_t i = 0; i < count; i++) {
		Elf64_Shdr header = elfheaders_section(&map->headers, table, i);
		const char *name = elfmap_string(names, header.sh_name);
		if (!name && names->size && nameless++ == 0)
			first_nameless = i;

		struct elfmap_section *section = &map->sections[i];
		*section = (struct elfmap_section){
			.index = (uint32_t)i,
			.name = name ? name : "",
			.type = header.sh_type,
			.flags = header.sh_flags,
			.offset = header.sh_offset,
			.size = header.sh_size,
			.vaddr = header.sh_addr,
			.link = header.sh_link,
			.entry_size = header.sh_entsize,
			.has_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL,
			.segment = -1,
		};
		if (section->has_bytes &&
		    !checked_within(section->offset, section->size, map->info.size) &&
		    beyond++ == 0)
			first_beyond = i;
	}
	note_sections(map, nameless, first_nameless,
		      "have a name index past the end of the string table");
	note_sections(map, beyond, first_beyond, "extend past the end of the file");
}

/** The number of section headers; false if they are not in the file, which is a cut. */
static bool count_sections(struct elfmap *map, const Elf64_Shdr *zero, bool has_zero,
			   uint64_t *ret_count, struct err *err)
{
	uint64_t entry_size = elfheaders_section_size(map->info.is_64bit);
	uint64_t count = map->headers.header.e_shnum;

	*ret_count = 0;
	if (map->headers.header.e_shoff == 0)
		return true;
	if (map->headers.header.e_shentsize != entry_size) {
		notes_add(&map->notes,
			  "%s: section headers are damaged (%u bytes each): reading without "
			  "them",
			  map->info.path, map->headers.header.e_shentsize);
		return true;
	}
	if (count == 0)
		count = has_zero ? zero->sh_size : 1;
	if (!check_table(map, "section headers", map->headers.header.e_shoff, count, entry_size,
			 entry_size, err))
		return false;
	*ret_count = count;
	return true;
}

/** Read the section headers. A program runs without them, so damage is a note. */
static void read_sections(struct elfmap *map, const Elf64_Shdr *zero, uint64_t count)
{
	uint64_t size = count * elfheaders_section_size(map->info.is_64bit);
	const uint8_t *table =
		count ? elfmap_file_bytes(map, map->headers.header.e_shoff, size) : NULL;

	if (!table)
		return; // none, or a note says that it could not be read
	struct elfmap_strings names = read_section_names(map, zero, table, count);
	fill_sections(map, table, count, &names);
}

/** Refuse what no loader accepts, so that ranges of loaded segments can be trusted from here on. */
static bool check_loads(struct elfmap *map, bool is_debug_file, struct err *err)
{
	uint64_t limit = map->info.is_64bit ? UINT64_MAX : UINT64_C(1) << 32;

	for (size_t i = 0; i < map->segment_count; i++) {
		const struct elfmap_segment *segment = &map->segments[i];
		uint64_t end;

		if (segment->type != PT_LOAD)
			continue;
		if (!checked_within(segment->vaddr, segment->memory_size, limit))
			return err_set(err, ERR_INPUT,
				       "%s: damaged: program header %zu: vaddr %#" PRIx64
				       " and size %#" PRIx64 " exceed the address space",
				       map->info.path, i, segment->vaddr, segment->memory_size);
		if (segment->file_size > segment->memory_size)
			return err_set(
				err, ERR_INPUT,
				"%s: damaged: program header %zu: more bytes in the file (%" PRIu64
				") than in memory (%" PRIu64 ")",
				map->info.path, i, segment->file_size, segment->memory_size);
		if (is_debug_file || segment->file_size == 0)
			continue;
		if (!checked_add(segment->offset, segment->file_size, &end))
			end = UINT64_MAX;
		if (end > map->info.size)
			return cut_short(map, "segments", end, err);
	}
	return true;
}

/** A separate debug file has the headers of its program, but none of its bytes. */
static bool refuse_debug_file(const struct elfmap *map, struct err *err)
{
	array_foreach (section, map->sections, map->section_count) {
		if ((section->flags & SHF_EXECINSTR) && section->type == SHT_NOBITS)
			return err_set(err, ERR_INPUT,
				       "%s: a separate debug file, without the program's own "
				       "bytes",
				       map->info.path);
	}
	return true;
}

static bool read_headers(struct elfmap *map, bool is_debug_file, struct err *err)
{
	Elf64_Shdr zero = { 0 };
	uint64_t section_count;

	if (!read_header(map, is_debug_file, err))
		return false;
	bool has_zero = read_section_zero(map, &zero);
	if (!count_sections(map, &zero, has_zero, &section_count, err) ||
	    !read_segments(map, zero.sh_info, err))
		return false;
	read_sections(map, &zero, section_count);
	return true;
}

static bool load(struct elfmap *map, bool is_debug_file, struct err *err)
{
	if (!open_regular(map, err))
		return false;
	errno = 0;
	bool is_read = read_headers(map, is_debug_file, err);
	// To libelf no memory is one more way to fail; above it is taken for a damaged file.
	if (errno == ENOMEM)
		oom();
	if (!is_read)
		return false;
	if (!check_loads(map, is_debug_file, err))
		return false;
	if (!is_debug_file && !refuse_debug_file(map, err))
		return false;
	elfmap_index_layout(map);
	elfmap_read_build_id(map);
	if (!is_debug_file) {
		elfmap_read_interpreter(map);
		elfmap_read_dynamic(map);
	}
	return true;
}

static struct elfmap *create(const char *path)
{
	CLEANUP(elfmap_close_onep) struct elfmap *map = xcalloc(1, sizeof(*map));

	map->fd = -1;
	map->info.path = map->place = arena_strdup(&map->arena, path);
	return TAKE(map);
}

bool elfmap_open_one(const char *path, bool is_debug_file, struct elfmap **ret_map, struct err *err)
{
	CLEANUP(elfmap_close_onep) struct elfmap *map = create(path);

	if (!load(map, is_debug_file, err))
		return false;
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_one_fd(int fd, const char *path, struct elfmap **ret_map, struct err *err)
{
	CLEANUP(elfmap_close_onep) struct elfmap *map = create(path);

	map->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (map->fd < 0)
		return err_os(err, "%s", path);
	if (!load(map, false, err))
		return false;
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_one_found(const char *path, struct depot_file *found, bool is_debug_file,
			   struct elfmap **ret_map, struct err *err)
{
	CLEANUP(elfmap_close_onep) struct elfmap *map = create(path);

	map->fd = found->fd;
	found->fd = -1;
	map->status = found->status;
	map->place = arena_strdup(&map->arena, found->place);
	map->is_elsewhere = !found->is_here;
	map->packed_debug = found->debug;
	map->packed_shared = found->shared;
	elfmap_know_parts(map, found);
	if (!load(map, is_debug_file, err))
		return false;
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_one_parts(const struct elfmap_parts *from, struct elfmap **ret_map,
			   struct err *err)
{
	CLEANUP(elfmap_close_onep) struct elfmap *map = create(from->path);

	if (!elfmap_lay_out_parts(map, from, err) || !load(map, false, err))
		return false;
	*ret_map = TAKE(map);
	return true;
}

void elfmap_close_one(struct elfmap *map)
{
	if (!map)
		return;
	fd_close(&map->fd);
	free(map->file.bytes);
	free(map->file.have);
	notes_deinit(&map->notes);
	arena_deinit(&map->arena);
	free(map);
}

const struct elfmap_info *elfmap_info(const struct elfmap *map)
{
	return &map->info;
}

const struct stat *elfmap_status(const struct elfmap *map)
{
	return &map->status;
}

int elfmap_descriptor(const struct elfmap *map)
{
	return map->fd;
}

const struct notes *elfmap_notes(const struct elfmap *map)
{
	return &map->notes;
}

const struct elfmap_segment *elfmap_segments(const struct elfmap *map, size_t *ret_count)
{
	*ret_count = map->segment_count;
	return map->segments;
}

const struct elfmap_section *elfmap_sections(const struct elfmap *map, size_t *ret_count)
{
	*ret_count = map->section_count;
	return map->sections;
}

const struct elfmap_section *elfmap_section_named(const struct elfmap *map, const char *name)
{
	for (size_t i = 0; i < map->section_count; i++)
		if (strcmp(map->sections[i].name, name) == 0)
			return &map->sections[i];
	return NULL;
}
