// SPDX-License-Identifier: Apache-2.0
// ELF files for tests: the fixtures that yaml2obj built, read into memory, changed and written out.
#pragma once

#include "elfmap/elfmap.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "tests/support/test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** A file's content. */
struct elffile {
	uint8_t *bytes;
	size_t size;
};

/** Path of fixture @name in static storage; skips the test where yaml2obj was not found. */
static inline const char *elffile_path(const char *name)
{
	static char path[4096];
	const char *directory = getenv("ELF_FIXTURES");

	if (!directory)
		skip();
	snprintf(path, sizeof(path), "%s/%s.elf", directory, name);
	if (access(path, R_OK) < 0)
		skip();
	return path;
}

static inline struct elffile elffile_read(const char *path)
{
	CLEANUP(file_closep) FILE *stream = fopen(path, "rb");
	struct elffile file;

	assert_non_null(stream);
	assert_int_equal(fseek(stream, 0, SEEK_END), 0);
	file.size = (size_t)ftell(stream);
	rewind(stream);
	file.bytes = xcalloc(file.size, 1);
	assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
	return file;
}

static inline struct elffile elffile_fixture(const char *name)
{
	return elffile_read(elffile_path(name));
}

static inline void elffile_deinit(struct elffile *file)
{
	free(file->bytes);
	*file = (struct elffile){ 0 };
}

static inline void elffile_write(const struct elffile *file, const char *path)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(file->bytes, 1, file->size, stream), file->size);
	fclose(stream);
}

static inline Elf64_Ehdr *elffile_header(const struct elffile *file)
{
	return (Elf64_Ehdr *)file->bytes;
}

/** Headers of a 64-bit file in this machine's byte order. */
static inline Elf64_Phdr *elffile_segment(const struct elffile *file, size_t index)
{
	return (Elf64_Phdr *)(file->bytes + elffile_header(file)->e_phoff) + index;
}

static inline Elf64_Shdr *elffile_section(const struct elffile *file, size_t index)
{
	return (Elf64_Shdr *)(file->bytes + elffile_header(file)->e_shoff) + index;
}

/** The section header of this name; the test fails if there is none. */
static inline Elf64_Shdr *elffile_section_named(const struct elffile *file, const char *name)
{
	const Elf64_Ehdr *header = elffile_header(file);
	uint64_t names = elffile_section(file, header->e_shstrndx)->sh_offset;

	for (size_t i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr *section = elffile_section(file, i);

		if (strcmp((const char *)file->bytes + names + section->sh_name, name) == 0)
			return section;
	}
	fail_msg("no section %s", name);
	return NULL;
}

/** Make a shared object of @size bytes of @segments, each of which is loaded, and nothing else. */
static inline void elffile_make(struct elffile *file, size_t size, const Elf64_Phdr *segments,
				size_t count)
{
	*file = (struct elffile){ .bytes = xcalloc(size, 1), .size = size };
	*elffile_header(file) = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)count,
	};
	for (size_t i = 0; i < count; i++) {
		Elf64_Phdr *segment = elffile_segment(file, i);

		*segment = segments[i];
		segment->p_type = PT_LOAD;
		segment->p_align = 0x1000;
	}
}

/** Write @file to a new temporary file; its path, in static storage, is to be unlinked. */
static inline const char *elffile_temporary(const struct elffile *file)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/elffile-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	elffile_write(file, path);
	return path;
}

/** Open @file through a file in memory, without debug files. */
static inline bool elffile_open(const struct elffile *file, struct elfmap **ret_map,
				struct err *err)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	CLEANUP(fd_close) int fd = memfd_create("elffile", MFD_CLOEXEC);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->bytes, file->size), file->size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return elfmap_open(path, &options, ret_map, err);
}

/** Open @file where that must be possible. */
static inline struct elfmap *elffile_map(const struct elffile *file)
{
	struct elfmap *map = NULL;
	struct err err = { 0 };

	if (!elffile_open(file, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

/** Open a fixture as it is. */
static inline struct elfmap *elffile_open_fixture(const char *name)
{
	static const struct elfmap_options options = { .no_debug_files = true };
	struct elfmap *map = NULL;
	struct err err = { 0 };

	if (!elfmap_open(elffile_path(name), &options, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

/** True if a note of @map holds @text. */
static inline bool elffile_has_note(const struct elfmap *map, const char *text)
{
	vec_foreach (note, &elfmap_notes(map)->list) {
		if (strstr(note->text, text))
			return true;
	}
	return false;
}
