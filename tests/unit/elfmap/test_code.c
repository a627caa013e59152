// SPDX-License-Identifier: Apache-2.0
// Origins of instructions: lines and inlined functions of this very program, and of copies of it
// whose DWARF is damaged.
#include "elfmap/elfmap.h"

#include "base/cleanup.h"
#include "tests/support/elffile.h"

#include <time.h>

// What is looked for below: places in this file by their line.
enum { LINE_OF_ADD = __LINE__ + 4 };

static inline __attribute__((always_inline)) void add_one(volatile int *sum)
{
	*sum += 1; // LINE_OF_ADD
}

enum { LINE_OF_CALL = __LINE__ + 4 };

static inline __attribute__((always_inline)) void add_twice(volatile int *sum)
{
	add_one(sum);
	add_one(sum);
}

enum { LINE_OF_OUTER_CALL = __LINE__ + 4 };

static __attribute__((noinline)) void count_to_two(volatile int *sum)
{
	add_twice(sum);
}

static const struct elfmap_symbol *function_named(struct elfmap *map, const char *name)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(map, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(symbols[i].name, name) == 0)
			return &symbols[i];
	fail_msg("%s is not in this program", name);
	return NULL;
}

/** Whether @source is @line of this file, which is named from the root of the source tree. */
static bool is_here(const char *source, int line)
{
	char end[64];
	size_t length =
		(size_t)snprintf(end, sizeof(end), "tests/unit/elfmap/test_code.c:%d", line);

	return source && strlen(source) >= length &&
	       strcmp(source + strlen(source) - length, end) == 0;
}

TEST(an_instruction_has_its_line_and_what_it_was_inlined_from)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	volatile int sum = 0;
	bool found[2] = { false };
	struct err err;

	count_to_two(&sum);
	assert_int_equal(sum, 2);
	if (!elfmap_open("/proc/self/exe", NULL, &map, &err))
		fail_msg("%s", err.message);
	const struct elfmap_symbol *function = function_named(map, "count_to_two");
	for (uint64_t vaddr = function->vaddr; vaddr < function->vaddr + function->size; vaddr++) {
		const struct elfmap_code *code = elfmap_code_at(map, vaddr);

		if (!elfmap_section_named(map, ".debug_info")) { // built without
			assert_null(code);
			skip();
		}
		assert_non_null(code);
		assert_ptr_equal(code, elfmap_code_at(map, vaddr));
		if (!is_here(code->source, LINE_OF_ADD))
			continue;
		assert_int_equal(code->inlined_count, 2);
		assert_string_equal(code->inlined[0].function, "add_one");
		assert_string_equal(code->inlined[1].function, "add_twice");
		for (int i = 0; i < 2; i++)
			found[i] |= is_here(code->inlined[0].source, LINE_OF_CALL + i);
		assert_true(is_here(code->inlined[1].source, LINE_OF_OUTER_CALL));
	}
	assert_true(found[0]);
	assert_true(found[1]);
}

TEST(what_is_no_code_came_from_nowhere)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err;

	if (!elfmap_open("/proc/self/exe", NULL, &map, &err))
		fail_msg("%s", err.message);
	assert_null(elfmap_code_at(map, 0));
	assert_null(elfmap_code_at(map, UINT64_MAX));
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(map, &count);
	for (size_t i = 0; i < count; i++)
		if (segments[i].type == PT_LOAD && !(segments[i].flags & PF_X))
			assert_null(elfmap_code_at(map, segments[i].vaddr + 16));
}

TEST(a_file_without_dwarf_has_no_sources_and_no_notes)
{
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_open_fixture("relocations64");

	assert_null(elfmap_code_at(map, 0x1030));
	assert_int_equal(elfmap_notes(map)->list.count, 0);
}

/** Ask for every 16th byte of code; what comes back must at least be readable. */
static void ask_everywhere(struct elfmap *map)
{
	const struct elfmap_section *text = elfmap_section_named(map, ".text");

	for (uint64_t at = 0; text && at < text->size && at < 1 << 16; at += 16) {
		const struct elfmap_code *code = elfmap_code_at(map, text->vaddr + at);

		for (size_t i = 0; code && i < code->inlined_count; i++)
			assert_true(!code->inlined[i].function ||
				    strlen(code->inlined[i].function) < SIZE_MAX);
		assert_true(!code || !code->source || strchr(code->source, ':'));
	}
}

/** Overwrite up to @count bytes of each section that holds DWARF, with the same for the same seed.
 */
static void damage(struct elffile *file, unsigned *seed, int count)
{
	const Elf64_Ehdr *header = elffile_header(file);
	uint64_t names = elffile_section(file, header->e_shstrndx)->sh_offset;

	for (size_t i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = elffile_section(file, i);
		const char *name = (const char *)file->bytes + names + section->sh_name;

		if (strncmp(name, ".debug_", 7) != 0 || section->sh_size == 0)
			continue;
		for (int n = 0; n < count; n++) {
			uint8_t *at = file->bytes + section->sh_offset;

			at[(size_t)rand_r(seed) % section->sh_size] = (uint8_t)rand_r(seed);
		}
	}
}

TEST(damaged_dwarf_neither_hangs_nor_crashes)
{
	enum { ROUNDS = 96, SECONDS_MAX = 60 };
	unsigned seed = 20241121;
	clock_t start = clock();

	print_message("# seed %u\n", seed);
	for (int round = 0; round < ROUNDS; round++) {
		CLEANUP(elffile_deinit) struct elffile file = elffile_read("/proc/self/exe");

		damage(&file, &seed, 1 << round % 12);
		CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
		ask_everywhere(map);
	}
	// Of the processor's time: the machine may be busy.
	assert_true((clock() - start) / CLOCKS_PER_SEC < SECONDS_MAX);
}

/** Lines are found though .debug_loclists, for which nobody asks, is no compressed data. */
TEST(dwarf_that_nobody_asks_for_is_not_read)
{
	CLEANUP(elffile_deinit) struct elffile file = elffile_read("/proc/self/exe");
	bool found = false;

	const Elf64_Ehdr *header = elffile_header(&file);
	uint64_t names = elffile_section(&file, header->e_shstrndx)->sh_offset;
	for (size_t i = 0; i < header->e_shnum; i++) {
		Elf64_Shdr *section = elffile_section(&file, i);

		if (strcmp((const char *)file.bytes + names + section->sh_name, ".debug_loclists"))
			continue;
		section->sh_flags |= SHF_COMPRESSED;
		memset(file.bytes + section->sh_offset, 0xff, section->sh_size);
		found = true;
	}
	assert_true(found);
	CLEANUP(elfmap_closep) struct elfmap *map = elffile_map(&file);
	assert_non_null(elfmap_code_at(map, function_named(map, "count_to_two")->vaddr));
	assert_int_equal(elfmap_notes(map)->list.count, 0);
}
