// SPDX-License-Identifier: Apache-2.0
// Sets of modules that mappings come to, one for each view of a process.
#include "tests/support/elffile.h"
#include "tests/support/ownmaps.h"

#include <link.h>
#include <sys/auxv.h>

TEST(a_copy_of_code_at_its_own_address_leaves_the_file_there)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };
	struct raw_stack stack = { .pid = PID };

	maps_read();

	struct trace_mapping copy = own_code();

	copy.path = xstrdup("//anon");
	copy.protection = TRACE_PROTECTION_EXEC;
	copy.time_ns = 20;
	vec_push(&maps.list, copy);
	for (uint64_t time = 10; time <= 30; time += 20) {
		stack.time_ns = time;
		stack.registers[MACHINE_IP] = time;
		stackspool_add(spool, &stack);
	}

	struct unwind_input input = input_of(spool);

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	assert_int_equal(sets.stacks.count, 2);
	assert_int_equal(set_of(&sets, 1), set_of(&sets, 2));
}

TEST(a_file_mapped_over_another_begins_a_new_set)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };
	struct raw_stack stack = { .pid = PID };

	maps_read();

	struct trace_mapping over = own_code();

	// After the copy of the stack at 10: an anonymous mapping that is no code, then code.
	over.path = "//anon";
	over.protection = TRACE_PROTECTION_READ;
	over.time_ns = 20;
	vec_push(&maps.list, over);
	// Past the end of the file: no copy of its code.
	over.protection = TRACE_PROTECTION_EXEC;
	over.size += 64 << 20;
	over.time_ns = 40;
	over.path = xstrdup("//anon");
	maps.list.items[maps.list.count - 1].path = xstrdup("//anon");
	vec_push(&maps.list, over);
	for (uint64_t time = 10; time <= 50; time += 20) {
		stack.time_ns = time;
		stack.registers[MACHINE_IP] = time;
		assert_int_equal(stackspool_add(spool, &stack), time / 20 + 1);
	}

	struct unwind_input input = input_of(spool);

	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	assert_int_equal(sets.stacks.count, 3);
	assert_int_equal(sets.sets.count, 2);

	assert_int_equal(set_of(&sets, 1), set_of(&sets, 2));
	assert_int_not_equal(set_of(&sets, 2), set_of(&sets, 3));
	const size_t first = set_of(&sets, 1), third = set_of(&sets, 3);

	assert_int_equal(sets.sets.items[third].module_count + 1,
			 sets.sets.items[first].module_count);
}

/** A static PIE, between whose code and data the alignment leaves room. */
enum { PIE = 0x10000000, DATA = 0x100000 };

/** True if the module at @addr is of @wanted, where the PIE is mapped, then the vdso at @vdso. */
static bool is_at(uint64_t addr, const char *wanted, const char *pie, uint64_t vdso)
{
	const uint32_t code = TRACE_PROTECTION_READ | TRACE_PROTECTION_EXEC;
	const uint32_t data = TRACE_PROTECTION_READ | TRACE_PROTECTION_WRITE;
	const struct trace_mapping mappings[] = {
		{ .addr = PIE, .size = 0x1000, .path = pie, .pid = PID, .protection = code },
		{ .addr = PIE + DATA,
		  .size = 0x1000,
		  .offset = 0x1000,
		  .path = pie,
		  .pid = PID,
		  .protection = data },
		{ .addr = vdso, .size = 0x2000, .path = "[vdso]", .pid = PID, .protection = code },
	};
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	const struct unwind_input input = { .mappings = mappings,
					    .mapping_count = 3,
					    .spool = spool };
	CLEANUP(images_deinit) struct images images = { 0 };
	CLEANUP(imagesets_deinit) struct imagesets sets = { 0 };

	stackspool_add(spool, &(struct raw_stack){ .pid = PID, .time_ns = 10 });
	elf_version(EV_CURRENT);
	imagesets_build(&sets, &images, &input);
	const size_t set = set_of(&sets, 1);
	const struct module *module = imageset_module_at(&sets, &sets.sets.items[set], addr);
	const bool is_wanted = module && strcmp(module->image->path, wanted) == 0;

	return is_wanted;
}

TEST(the_vdso_between_the_segments_of_a_program_takes_nothing_away)
{
	static const Elf64_Phdr segments[] = {
		{ .p_flags = PF_R | PF_X, .p_filesz = 0x1000, .p_memsz = 0x1000 },
		{ .p_flags = PF_R | PF_W,
		  .p_offset = 0x1000,
		  .p_vaddr = DATA,
		  .p_filesz = 0x1000,
		  .p_memsz = 0x1000 },
	};
	CLEANUP(elffile_deinit) struct elffile file = { 0 };

	elffile_make(&file, 0x2000, segments, 2);
	const char *pie = elffile_temporary(&file);

	assert_true(is_at(PIE, pie, pie, PIE + DATA / 2));
	// Elsewhere it is one beside the program.
	assert_true(is_at(PIE, pie, pie, PIE + 2 * DATA));
	assert_true(is_at(PIE + 2 * DATA, "[vdso]", pie, PIE + 2 * DATA));
	// Over its code it takes the program's place.
	assert_true(is_at(PIE, "[vdso]", pie, PIE));
	unlink(pie);
}

TEST(an_image_is_where_a_segment_holds_the_mapped_offset)
{
	CLEANUP(images_deinit) struct images images = { 0 };
	struct module module;

	maps_read();
	elf_version(EV_CURRENT);

	struct trace_mapping mapping = own_code();
	struct image *image = images_find(&images, &mapping);

	assert_true(image_place(image, &mapping, &module));
	assert_int_equal(module.bias + image->entry_vaddr, getauxval(AT_ENTRY));
	mapping.offset = 1ULL << 40;
	assert_false(image_place(image, &mapping, &module));
}

TEST(an_image_knows_its_dynamic_section)
{
	CLEANUP(images_deinit) struct images images = { 0 };
	uint64_t init = 0, fini = 0;

	maps_read();
	elf_version(EV_CURRENT);

	const struct trace_mapping mapping = own_code();
	const struct image *image = images_find(&images, &mapping);

	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
		init = entry->d_tag == DT_INIT ? entry->d_un.d_ptr : init;
		fini = entry->d_tag == DT_FINI ? entry->d_un.d_ptr : fini;
	}
	assert_int_not_equal(init, 0);
	assert_int_equal(image->init_vaddr, init);
	assert_int_equal(image->fini_vaddr, fini);
}

// A table of Go's with one function.
__asm__(".pushsection .gopclntab, \"a\", @progbits\n .balign 32\n .long 0xfffffff1\n"
	".byte 0, 0, 1, 8\n .quad 1, 1, 0x401000, 0x60, 0, 0, 0xa0, 0xc0\n .zero 440\n"
	".popsection\n");

TEST(an_image_knows_go_s_table)
{
	CLEANUP(images_deinit) struct images images = { 0 };

	maps_read();
	elf_version(EV_CURRENT);

	const struct trace_mapping mapping = own_code();
	const struct image *image = images_find(&images, &mapping);

	assert_non_null(image->go.bytes);
	assert_int_equal(image->go.count, 1);
}
