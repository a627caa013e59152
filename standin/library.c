// SPDX-License-Identifier: Apache-2.0
#include "standin/library.h"

#include "base/hex.h"
#include "base/path.h"
#include "base/vec.h"
#include "elfmap/headers/elfheaders.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { VERSION_HIDDEN = 0x8000 };

/** The sections that names are read of; NULL: there is none. */
struct tables {
	Elf *elf;
	Elf_Scn *symbols, *versions, *defined, *needed, *dynamic;
	size_t strings; // of .dynsym
};

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static Elf_Data *data_of(Elf_Scn *section)
{
	return section ? elf_getdata(section, NULL) : NULL;
}

static const char *string_at(struct standin_library *library, const struct tables *tables,
			     size_t at)
{
	const char *text = elf_strptr(tables->elf, tables->strings, at);

	return text ? arena_strdup(&library->arena, text) : "";
}

static void find_tables(struct tables *tables)
{
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(tables->elf, section));) {
		if (!gelf_getshdr(section, &header))
			continue;
		switch (header.sh_type) {
		case SHT_DYNSYM:
			tables->symbols = section;
			tables->strings = header.sh_link;
			break;
		case SHT_GNU_versym:
			tables->versions = section;
			break;
		case SHT_GNU_verdef:
			tables->defined = section;
			break;
		case SHT_GNU_verneed:
			tables->needed = section;
			break;
		case SHT_DYNAMIC:
			tables->dynamic = section;
			break;
		}
	}
}

// ---- Versions -----------------------------------------------------------------------------------

/** Names of versions by their index, of those that are defined and those that are needed. */
typedef VEC(const char *) version_names;

static void name_version(version_names *names, size_t index, const char *name)
{
	while (names->count <= index)
		vec_push(names, NULL);
	names->items[index] = name;
}

static void read_defined(struct standin_library *library, const struct tables *tables,
			 version_names *names)
{
	Elf_Data *data = data_of(tables->defined);
	VEC(struct standin_version) list = { 0 };
	GElf_Verdef definition;
	GElf_Verdaux part;

	for (size_t at = 0; data && gelf_getverdef(data, (int)at, &definition);
	     at += definition.vd_next) {
		struct standin_version version = {
			.index = definition.vd_ndx,
			.flags = definition.vd_flags,
		};

		if (!gelf_getverdaux(data, (int)(at + definition.vd_aux), &part))
			break;
		version.name = string_at(library, tables, part.vda_name);
		if (definition.vd_cnt > 1 &&
		    gelf_getverdaux(data, (int)(at + definition.vd_aux + part.vda_next), &part))
			version.parent = string_at(library, tables, part.vda_name);
		vec_push(&list, version);
		name_version(names, version.index, version.name);
		if (!definition.vd_next)
			break;
	}
	library->versions = vec_keep_counted(&list, &library->arena, &library->version_count);
}

static void read_needed(struct standin_library *library, const struct tables *tables,
			version_names *names)
{
	Elf_Data *data = data_of(tables->needed);
	GElf_Verneed need;
	GElf_Vernaux part;

	for (size_t at = 0; data && gelf_getverneed(data, (int)at, &need); at += need.vn_next) {
		for (size_t of = at + need.vn_aux; gelf_getvernaux(data, (int)of, &part);
		     of += part.vna_next) {
			name_version(names, part.vna_other,
				     string_at(library, tables, part.vna_name));
			if (!part.vna_next)
				break;
		}
		if (!need.vn_next)
			break;
	}
}

// ---- Names --------------------------------------------------------------------------------------

/** Mark what relocations copy into the program: its .dynsym has these as defined there. */
static void mark_copied(const struct tables *tables, struct standin_symbol *symbols, size_t count)
{
	GElf_Shdr header;
	GElf_Rela relocation;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(tables->elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);

		for (int i = 0; data && gelf_getrela(data, i, &relocation); i++)
			if (GELF_R_TYPE(relocation.r_info) == R_X86_64_COPY &&
			    GELF_R_SYM(relocation.r_info) < count)
				symbols[GELF_R_SYM(relocation.r_info)].is_copied = true;
	}
}

static void read_symbols(struct standin_library *library, const struct tables *tables)
{
	Elf_Data *data = data_of(tables->symbols), *indexes = data_of(tables->versions);
	VEC(struct standin_symbol) list = { 0 };
	version_names names = { 0 };
	GElf_Sym symbol;
	GElf_Versym index;

	read_defined(library, tables, &names);
	read_needed(library, tables, &names);
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		struct standin_symbol row = {
			.name = string_at(library, tables, symbol.st_name),
			.version_index = 1,
			.type = GELF_ST_TYPE(symbol.st_info),
			.binding = GELF_ST_BIND(symbol.st_info),
			.is_defined = symbol.st_shndx != SHN_UNDEF,
			.is_absolute = symbol.st_shndx == SHN_ABS,
		};

		if (indexes && gelf_getversym(indexes, i, &index)) {
			const size_t version = index & ~VERSION_HIDDEN;

			row.version_index = index;
			if (version > 1 && version < names.count)
				row.version = names.items[version];
		}
		vec_push(&list, row);
	}
	if (list.count > 0)
		mark_copied(tables, list.items, list.count);
	library->symbols = vec_keep_counted(&list, &library->arena, &library->symbol_count);
	vec_deinit(&names);
}

static void read_dynamic(struct standin_library *library, const struct tables *tables)
{
	Elf_Data *data = data_of(tables->dynamic);
	VEC(const char *) needed = { 0 };
	GElf_Dyn entry;

	library->soname = path_file_name(library->path);
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_SONAME)
			library->soname = string_at(library, tables, entry.d_un.d_val);
		else if (entry.d_tag == DT_NEEDED)
			vec_push(&needed, string_at(library, tables, entry.d_un.d_val));
	}
	library->needed = vec_keep_counted(&needed, &library->arena, &library->needed_count);
}

static void read_interpreter(struct standin_library *library, Elf *elf)
{
	GElf_Phdr segment;
	size_t count = 0, size = 0;
	const char *bytes = elf_rawfile(elf, &size);

	elf_getphdrnum(elf, &count);
	for (int i = 0; i < (int)count; i++)
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_INTERP && bytes &&
		    segment.p_offset < size && segment.p_filesz <= size - segment.p_offset)
			library->interpreter = arena_strndup(
				&library->arena, bytes + segment.p_offset, segment.p_filesz);
}

/** True if executing it gives rights: the dynamic linker ignores its environment then. */
static bool is_privileged(int fd)
{
	struct stat status;

	return fstat(fd, &status) != 0 || status.st_mode & (S_ISUID | S_ISGID) ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

bool standinlibrary_read(const char *path, struct standin_library **ret_library, struct err *err)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_os(err, "%s", path);
	elf_version(EV_CURRENT);
	CLEANUP(elf_endp) Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return err_set(err, ERR_INPUT, "%s: not an ELF file", path);

	CLEANUP(standinlibrary_destroyp)
	struct standin_library *library = xcalloc(1, sizeof(*library));
	struct tables tables = { .elf = elf };
	uint8_t build_id[20];

	library->path = arena_strdup(&library->arena, path);
	library->machine = header.e_machine;
	library->is_privileged = is_privileged(fd);
	hex_text(build_id, elfheaders_build_id(fd, build_id, sizeof(build_id)), library->build_id);
	find_tables(&tables);
	read_interpreter(library, elf);
	if (!tables.symbols && (library->interpreter || header.e_type != ET_EXEC))
		return err_set(err, ERR_INPUT, "%s: no section of dynamic symbols", path);
	read_dynamic(library, &tables);
	if (tables.symbols)
		read_symbols(library, &tables);
	*ret_library = TAKE(library);
	return true;
}

struct standin_library *standinlibrary_of_script(const char *path)
{
	struct standin_library *library = xcalloc(1, sizeof(*library));

	library->path = arena_strdup(&library->arena, path);
	library->soname = path_file_name(library->path);
	return library;
}

bool standinlibrary_mentions(const char *path, const char *text)
{
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(elf_endp) Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Shdr header;

	for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_ALLOC) || header.sh_flags & SHF_EXECINSTR)
			continue;
		Elf_Data *data = elf_rawdata(section, NULL);

		if (data && data->d_buf &&
		    memmem(data->d_buf, data->d_size, text, strlen(text) + 1))
			return true;
	}
	return false;
}

void standinlibrary_destroy(struct standin_library *library)
{
	if (!library)
		return;
	arena_deinit(&library->arena);
	free(library);
}
