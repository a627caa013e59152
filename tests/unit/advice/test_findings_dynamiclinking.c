// SPDX-License-Identifier: Apache-2.0
// When dynamic-linking speaks.
#include "base/cleanup.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

static const struct model_layout pie = { 0 }, fixed = { .is_fixed = true },
				 library = { .is_library = true };
static const uint32_t needs_lib[] = { 1 };

/**
 * A program of 100 faults, that needs a library in which relocation wrote @written pages of
 * relative slots.
 */
static struct model *draw(const struct model_layout *layout, size_t written, const char *lib_path)
{
	static struct model_relocation relocation;
	static struct model_written_page pages[100];
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t lib = sketch_object(&sketch, lib_path);
	uint32_t text = sketch_section(&sketch, app, ".text", 1 << 20);
	uint32_t data = sketch_section(&sketch, lib, ".data.rel.ro", 1 << 20);

	sketch.objects.items[app].layout = layout;
	sketch.objects.items[app].needed = needs_lib;
	sketch.objects.items[app].needed_count = 1;
	sketch.objects.items[lib].layout = &library;
	sketch.objects.items[lib].archive = "/lib/libfoo.a";
	sketch.objects.items[lib].relocation = &relocation;
	sketch_fault(&sketch, text, MODEL_PROGRAM);
	for (size_t i = 0; i < written; i++) {
		struct model_fault *fault = sketch_fault(&sketch, data, MODEL_RELOCATION);

		fault->mechanism = MODEL_PRIVATE_WRITE;
		pages[i] = (struct model_written_page){ .vaddr = fault->at.vaddr,
							.targets = 1 << MODEL_TARGET_SELF };
	}
	relocation = (struct model_relocation){
		.written = pages,
		.written_count = written,
		.targets.slots[MODEL_TARGET_SELF] = 1000,
	};
	sketch_fill(&sketch, 100);
	return sketch_end(&sketch);
}

TEST(a_small_program_gets_it_with_what_links_save)
{
	CLEANUP(model_closep) struct model *model = draw(&pie, 20, "/lib/libfoo.so");
	const struct model_finding *finding = sketch_found(model, "dynamic-linking");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 20);
	assert_int_equal(finding->saves.faults, 12);
	assert_int_equal(finding->saves.is, MODEL_AT_LEAST);
	assert_string_equal(
		finding->evidence,
		"Loading, symbol lookup, relocation, IFUNC resolvers and lazy binding take 20 of "
		"100 faults. Relocation wrote pages with relative relocations only, with names of "
		"libstdc++ only, and others: libfoo.so 20, 0, 0. Predicted to save: -no-pie, "
		"libraries as .a 12 of them (12.0%); -static 10 of them (10.0%).");
}

/** @count more libraries, each needed by the program and with an archive, but for the last. */
static struct model *draw_many(uint32_t count, bool last_has_archive)
{
	static uint32_t needs[64];
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");

	sketch.objects.items[app].layout = &pie;
	sketch_fault(&sketch, sketch_section(&sketch, app, ".text", 1 << 20), MODEL_PROGRAM);
	for (uint32_t i = 0; i < count; i++) {
		bool has_archive = i + 1 < count || last_has_archive;

		needs[i] =
			sketch_object(&sketch, has_archive ? "/lib/libbar.so.1" : "/lib/libfoo.so");
		sketch.objects.items[needs[i]].layout = &library;
		sketch.objects.items[needs[i]].archive = has_archive ? "/lib/libbar.a" : NULL;
		sketch_faults(&sketch, sketch_section(&sketch, needs[i], ".dynsym", 1 << 20),
			      MODEL_SYMBOL_LOOKUP, 20);
	}
	sketch.objects.items[app].needed = needs;
	sketch.objects.items[app].needed_count = count;
	sketch_fill(&sketch, 100);
	return sketch_end(&sketch);
}

TEST(static_libraries_are_advised_only_where_there_are_archives_and_few)
{
	CLEANUP(model_closep) struct model *all = draw_many(2, true);
	CLEANUP(model_closep) struct model *not_all = draw_many(2, false);
	CLEANUP(model_closep) struct model *ten = draw_many(10, true);
	CLEANUP(model_closep) struct model *eleven = draw_many(11, true);
	const struct model_finding *finding = sketch_found(all, "dynamic-linking");

	assert_string_equal(finding->advice, "Link app with -no-pie, libraries as .a (libbar.a, "
					     "libbar.a); elfault whatif compares the links.");
	assert_null(sketch_finding(not_all, "dynamic-linking"));
	assert_non_null(sketch_finding(ten, "dynamic-linking"));
	assert_null(sketch_finding(eleven, "dynamic-linking"));
}

TEST(no_pie_is_not_said_to_what_has_a_fixed_address)
{
	CLEANUP(model_closep) struct model *model = draw(&fixed, 20, "/lib/libfoo.so");
	const struct model_finding *finding = sketch_found(model, "dynamic-linking");

	assert_null(strstr(finding->evidence, "-no-pie"));
	assert_null(strstr(finding->advice, "-no-pie"));
}

TEST(what_goes_with_the_libraries_is_saved_as_well)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t names = sketch_section(&sketch, lib, ".dynsym", 1 << 20);
	uint32_t unwinding = sketch_section(&sketch, lib, ".eh_frame_hdr", 1 << 20);

	sketch.objects.items[app].layout = &pie;
	sketch.objects.items[app].needed = needs_lib;
	sketch.objects.items[app].needed_count = 1;
	sketch.objects.items[lib].layout = &library;
	sketch.objects.items[lib].archive = "/lib/libfoo.a";
	sketch.objects.items[lib].relocation = &(struct model_relocation){ 0 };
	sketch_fault(&sketch, sketch_section(&sketch, app, ".text", 1 << 20), MODEL_PROGRAM);
	for (int i = 0; i < 20; i++)
		sketch_fault(&sketch, names, MODEL_SYMBOL_LOOKUP);
	for (int i = 0; i < 30; i++)
		sketch_fault(&sketch, unwinding, MODEL_PROGRAM);
	sketch_fill(&sketch, 100);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "dynamic-linking");

	assert_int_equal(finding->faults, 20);
	assert_int_equal(finding->saves.faults, 42);
}

TEST(it_is_silent_below_its_share_and_where_no_link_helps)
{
	CLEANUP(model_closep) struct model *few = draw(&pie, 9, "/lib/libfoo.so");
	CLEANUP(model_closep) struct model *not_its_own = draw(&library, 20, "/lib/libfoo.so");

	assert_null(sketch_finding(few, "dynamic-linking"));
	assert_null(sketch_finding(not_its_own, "dynamic-linking"));
}
