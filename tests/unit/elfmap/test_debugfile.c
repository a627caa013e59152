// SPDX-License-Identifier: Apache-2.0
// Separate debug files: found by build-id and by .gnu_debuglink, used only when they belong.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

#include <sys/stat.h>
#include <zlib.h>

/** A directory with a stripped program, and the content of its debug file. */
struct place {
	char directory[64];
	struct elffile stripped; // le64-dyn without .symtab
	struct elffile debug;	 // le64-dyn, its code without bytes
};

static const char *path_in(const struct place *place, const char *name)
{
	static char paths[4][512];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", place->directory, name);
	return path;
}

static void place_init(struct place *place)
{
	place->stripped = elffile_fixture("le64-dyn");
	place->debug = elffile_fixture("le64-dyn");
	elffile_section_named(&place->stripped, ".symtab")->sh_type = SHT_PROGBITS;
	elffile_section_named(&place->debug, ".text")->sh_type = SHT_NOBITS;

	// .gnu_debuglink: "dbg.elf", then the checksum of that file.
	uint32_t crc =
		(uint32_t)crc32(crc32(0, NULL, 0), place->debug.bytes, (uInt)place->debug.size);
	uint64_t link = elffile_section_named(&place->stripped, ".gnu_debuglink")->sh_offset;
	memcpy(place->stripped.bytes + link + 8, &crc, sizeof(crc));

	strcpy(place->directory, "/tmp/debugfile-XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	elffile_write(&place->stripped, path_in(place, "program"));
	mkdir(path_in(place, ".debug"), 0700);
	mkdir(path_in(place, "debug"), 0700);
	mkdir(path_in(place, "debug/.build-id"), 0700);
	mkdir(path_in(place, "debug/.build-id/01"), 0700);
}

static void place_deinit(struct place *place)
{
	char command[128];

	elffile_deinit(&place->stripped);
	elffile_deinit(&place->debug);
	snprintf(command, sizeof(command), "rm -r %s", place->directory);
	assert_int_equal(system(command), 0);
}

static struct elfmap *open_program(const struct place *place, bool no_debug_files)
{
	struct elfmap_options options = { .no_debug_files = no_debug_files,
					  .debug_dir = path_in(place, "debug") };
	struct elfmap *map = NULL;
	struct err err;

	if (!elfmap_open(path_in(place, "program"), &options, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

static void check_used(const struct place *place, const char *name)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_program(place, false);

	assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DEBUG_FILE);
	assert_string_equal(elfmap_info(map)->debug_file, path_in(place, name));
	const struct elfmap_symbol *inner = elfmap_symbol_at(map, 0x1010);
	assert_string_equal(inner->name, "inner");
	assert_int_equal(inner->source, ELFMAP_SYMBOLS_DEBUG_FILE);
	// .dynsym and .eh_frame still take part
	assert_string_equal(elfmap_symbol_at(map, 0x3010)->name, "unsized_export");
	assert_string_equal(elfmap_symbol_at(map, 0x1080)->name, "fn@0x1080");
}

static void check_not_used(const struct place *place, const char *note)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_program(place, false);

	assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DYNSYM);
	assert_null(elfmap_info(map)->debug_file);
	assert_string_equal(elfmap_symbol_at(map, 0x1010)->name, "exported");
	if (note)
		assert_true(elffile_has_note(map, note));
	else
		assert_int_equal(elfmap_notes(map)->list.count, 0);
}

static const char by_build_id[] = "debug/.build-id/01/23456789abcdef.debug";

TEST(a_debug_file_is_found_by_build_id)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	check_not_used(&place, NULL);
	elffile_write(&place.debug, path_in(&place, by_build_id));
	check_used(&place, by_build_id);

	CLEANUP(elfmap_closep) struct elfmap *map = open_program(&place, true);
	assert_int_equal(elfmap_info(map)->symbols, ELFMAP_SYMBOLS_DYNSYM);
}

TEST(a_debug_file_with_another_build_id_is_not_used)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	place.debug.bytes[0x190] ^= 1; // the first byte of the build-id
	elffile_write(&place.debug, path_in(&place, by_build_id));
	check_not_used(&place, "has a different build-id; not used");
}

TEST(a_damaged_debug_file_is_a_note)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	place.debug.size /= 2;
	elffile_write(&place.debug, path_in(&place, by_build_id));
	check_not_used(&place, "cannot use its debug file: ");
	elffile_write(&place.stripped, path_in(&place, by_build_id));
	check_not_used(&place, "has no symbols");
}

TEST(a_debug_file_is_found_by_its_link_in_three_places)
{
	CLEANUP(place_deinit) struct place place;
	char below[256];

	place_init(&place);
	elffile_write(&place.debug, path_in(&place, "dbg.elf"));
	check_used(&place, "dbg.elf");
	assert_int_equal(rename(path_in(&place, "dbg.elf"), path_in(&place, ".debug/dbg.elf")), 0);
	check_used(&place, ".debug/dbg.elf");

	mkdir(path_in(&place, "debug/tmp"), 0700);
	snprintf(below, sizeof(below), "debug%s", place.directory);
	mkdir(path_in(&place, below), 0700);
	strcat(below, "/dbg.elf");
	assert_int_equal(rename(path_in(&place, ".debug/dbg.elf"), path_in(&place, below)), 0);
	check_used(&place, below);
}

TEST(a_linked_file_with_another_checksum_is_not_used)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	place.debug.bytes[0x2105] ^= 1; // in .comment
	elffile_write(&place.debug, path_in(&place, "dbg.elf"));
	check_not_used(&place, "does not match the checksum in .gnu_debuglink; not used");
}

TEST(a_link_with_a_slash_or_no_end_is_refused)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	Elf64_Shdr *link = elffile_section_named(&place.stripped, ".gnu_debuglink");
	place.stripped.bytes[link->sh_offset + 3] = '/';
	elffile_write(&place.stripped, path_in(&place, "program"));
	check_not_used(&place, ".gnu_debuglink is damaged");
	memset(place.stripped.bytes + link->sh_offset, 'x', link->sh_size);
	elffile_write(&place.stripped, path_in(&place, "program"));
	check_not_used(&place, ".gnu_debuglink is damaged");
	link->sh_size = 3;
	elffile_write(&place.stripped, path_in(&place, "program"));
	check_not_used(&place, ".gnu_debuglink is damaged");
}

// The bytes behind the link are not compressed by xz.
TEST(an_embedded_file_that_is_damaged_is_a_note)
{
	CLEANUP(place_deinit) struct place place;

	place_init(&place);
	uint8_t *name = memmem(place.stripped.bytes, place.stripped.size, ".gnu_debuglink",
			       sizeof(".gnu_debuglink"));

	assert_non_null(name);
	memcpy(name, ".gnu_debugdata", sizeof(".gnu_debugdata"));
	elffile_write(&place.stripped, path_in(&place, "program"));
	check_not_used(&place, "program(.gnu_debugdata) cannot be decompressed");
}
