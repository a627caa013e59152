// SPDX-License-Identifier: Apache-2.0
// Parts of an ELF file copied into the trace, which read there as in the file.
#include "base/cleanup.h"
#include "elfmap/headers/elfheaders.h"
#include "record/files/private.h"
#include "tests/support/elffile.h"
#include "tests/support/traces.h"

#include <stdint.h>

/** A trace that holds what was kept of a file. */
struct kept {
	struct trace *trace;
	struct elfmap_part *parts;
	size_t part_count;
	uint64_t size; // of the parts
	bool done;
};

static struct kept embed(const struct memory_file *file, uint64_t size)
{
	struct memory_file out = memory_file_create(NULL, 0);
	const struct trace_meta meta = { .page_size = 4096 };
	struct trace_summary summary = { 0 };
	struct embed_budget budget = { 0 };
	struct trace_writer *writer = NULL;
	struct kept kept = { 0 };
	struct err err;

	assert_true(trace_writer_open(out.fd, &meta, &writer, &err));
	kept.done = embed_file(file->fd, size, 7, &budget, writer);
	assert_true(trace_writer_finish(writer, &summary));
	trace_writer_close(writer);
	kept.trace = read_trace(out.path);
	close(out.fd);

	const struct trace_content *contents = trace_contents_of(kept.trace, 7, &kept.part_count);
	kept.parts = xcalloc(kept.part_count + 1, sizeof(*kept.parts));
	for (size_t i = 0; i < kept.part_count; i++) {
		kept.parts[i] = (struct elfmap_part){ contents[i].offset, contents[i].size,
						      contents[i].bytes };
		kept.size += contents[i].size;
	}
	assert_int_equal(kept.size, budget.used);
	return kept;
}

static void kept_release(struct kept *kept)
{
	free(kept->parts);
	trace_close(kept->trace);
}

static struct elfmap *open_kept(const struct kept *kept, uint64_t size)
{
	const struct elfmap_options options = { .no_debug_files = true };
	const struct elfmap_parts from = { "/kept", size, kept->parts, kept->part_count };
	struct elfmap *map = NULL;
	struct err err;

	if (!elfmap_open_parts(&from, &options, &map, &err))
		fail_msg("%s", err.message);
	return map;
}

/** Everything that names and explains is the same; @whole is the file itself. */
static void assert_same(struct elfmap *whole, struct elfmap *kept)
{
	size_t count, kept_count;
#define SAME_COUNT(list)         \
	list(whole, &count);     \
	list(kept, &kept_count); \
	assert_int_equal(count, kept_count)
	SAME_COUNT(elfmap_segments);
	SAME_COUNT(elfmap_sections);
	SAME_COUNT(elfmap_relocations);
	SAME_COUNT(elfmap_initializers);
	SAME_COUNT(elfmap_needed);
	SAME_COUNT(elfmap_symbols);
#undef SAME_COUNT
	const struct elfmap_symbol *symbols = elfmap_symbols(whole, &count);
	const struct elfmap_symbol *kept_symbols = elfmap_symbols(kept, &count);

	for (size_t i = 0; i < count; i++) {
		assert_string_equal(symbols[i].name, kept_symbols[i].name);
		assert_int_equal(symbols[i].vaddr, kept_symbols[i].vaddr);
	}
	for (uint64_t offset = 0; offset < elfmap_info(whole)->size; offset += 64) {
		struct elfmap_place place, kept_place;

		elfmap_locate_offset(whole, offset, &place);
		elfmap_locate_offset(kept, offset, &kept_place);
		assert_string_equal(place.section_name, kept_place.section_name);
		assert_string_equal(elfmap_entry_name(whole, &place.entry, true),
				    elfmap_entry_name(kept, &kept_place.entry, true));
	}
}

static void check_fixture(const char *name)
{
	const struct elfmap_options options = { .no_debug_files = true };
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture(name);
	struct elfmap *whole = NULL;
	struct err err;

	struct memory_file stored = memory_file_create(file.bytes, file.size);
	struct kept kept = embed(&stored, file.size);

	assert_true(kept.done);
	assert_true(elfmap_open(stored.path, &options, &whole, &err));
	struct elfmap *map = open_kept(&kept, file.size);
	assert_same(whole, map);
	assert_int_equal(elfmap_info(map)->size, file.size);
	assert_string_equal(elfmap_info(map)->path, "/kept");
	elfmap_close(map);
	elfmap_close(whole);
	kept_release(&kept);
	close(stored.fd);
}

TEST(a_kept_file_reads_as_the_file_does)
{
	check_fixture("relocations64");
	check_fixture("relocations32");
	check_fixture("le64-dyn");
	check_fixture("literals");
	check_fixture("order-new");
	check_fixture("no-sections");
}

TEST(debug_information_and_large_code_are_left_out)
{
	CLEANUP(elffile_deinit) struct elffile file;

	file = elffile_read("/proc/self/exe"); // built with -g
	struct memory_file stored = memory_file_create(file.bytes, file.size);
	struct kept kept = embed(&stored, file.size);
	struct elfmap *map = open_kept(&kept, file.size);
	const struct elfmap_section *info = elfmap_section_named(map, ".debug_info");
	uint8_t bytes[8];

	assert_true(kept.done);
	assert_true(kept.size < file.size);
	assert_non_null(info);
	for (size_t i = 0; i < kept.part_count; i++)
		assert_false(kept.parts[i].offset <= info->offset &&
			     info->offset < kept.parts[i].offset + kept.parts[i].size);
	// Not there is not the same as zero.
	const struct elfmap_section *text = elfmap_section_named(map, ".text");
	if (text->size <= 1 << 20) { // with a sanitizer's runtime it is larger
		assert_int_equal(elfmap_read(map, text->vaddr, bytes, sizeof(bytes)),
				 sizeof(bytes));
		assert_memory_equal(bytes, file.bytes + text->offset, sizeof(bytes));
	}
	kept_release(&kept);
	elfmap_close(map);
	close(stored.fd);

	// Of large code only where the program begins.
	const uint64_t end = file.size;
	file.size += 2 << 20;
	file.bytes = xreallocarray(file.bytes, file.size, 1);
	memset(file.bytes + end, 0x90, file.size - end);
	Elf64_Shdr *large = elffile_section_named(&file, ".text");
	large->sh_offset = end;
	large->sh_size = file.size - end;
	const uint64_t entry = end + (elffile_header(&file)->e_entry - large->sh_addr);
	stored = memory_file_create(file.bytes, file.size);
	kept = embed(&stored, file.size);
	for (size_t i = 0; i < kept.part_count; i++) {
		if (kept.parts[i].offset < end)
			continue;
		assert_int_equal(kept.parts[i].offset, entry);
		assert_int_equal(kept.parts[i].size, 4096);
	}
	kept_release(&kept);
	close(stored.fd);
}

TEST(what_the_trace_lacks_is_unknown)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_fixture("relocations64");
	uint8_t bytes[8];
	struct err err;

	const Elf64_Shdr *text = elffile_section_named(&file, ".text");
	const struct elfmap_part all[] = {
		{ text->sh_offset + text->sh_size, file.size - text->sh_offset - text->sh_size,
		  file.bytes + text->sh_offset + text->sh_size },
		{ 0, text->sh_offset, file.bytes },
		{ 0, 64, file.bytes },
	};
	const struct elfmap_options options = { .no_debug_files = true };
	struct elfmap_parts from = { "/kept", file.size, all, 3 };
	struct elfmap *map = NULL;

	assert_true(elfmap_open_parts(&from, &options, &map, &err));
	assert_int_equal(elfmap_read(map, text->sh_addr, bytes, sizeof(bytes)), 0);
	elfmap_close(map);
	from.parts = &all[1]; // no section headers
	from.count = 1;
	assert_false(elfmap_open_parts(&from, &options, &map, &err));
	assert_non_null(strstr(err.message, "/kept: its section headers are not in the trace"));
	from.parts = all;
	from.file_size = 100;
	assert_false(elfmap_open_parts(&from, &options, &map, &err));
	assert_non_null(strstr(err.message, "past the end"));
	from.file_size = UINT64_MAX;
	assert_false(elfmap_open_parts(&from, &options, &map, &err));
}

/** Any change of the headers is survived, and what was kept lies in the file. */
TEST(damaged_files_do_no_harm)
{
	static const char *const names[] = { "relocations64", "relocations32", "no-sections" };
	const unsigned seed = 12;

	srand(seed);
	for (size_t i = 0; i < 600; i++) {
		struct elffile file;
		uint8_t id[TRACE_BUILD_ID_MAX];

		file = elffile_fixture(names[i % 3]);
		const uint64_t table = i % 3 == 0 ? elffile_header(&file)->e_shoff : 0;
		for (int flips = 0; flips < 4; flips++) {
			size_t at = rand() % 2 ? (size_t)rand() % 256
					       : table + (size_t)rand() % (file.size - table);
			file.bytes[at] = (uint8_t)rand();
		}
		struct memory_file stored = memory_file_create(file.bytes, file.size);
		uint64_t size = i % 5 ? file.size : (uint64_t)rand() % file.size;
		struct kept kept = embed(&stored, size);

		for (size_t part = 0; part < kept.part_count; part++)
			assert_true(kept.parts[part].offset + kept.parts[part].size <= size);
		assert_true(elfheaders_build_id(stored.fd, id, sizeof(id)) <= sizeof(id));
		kept_release(&kept);
		close(stored.fd);
		elffile_deinit(&file);
	}
}
