// SPDX-License-Identifier: Apache-2.0
// When relocated-data speaks.
#include "base/cleanup.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/**
 * @faults of relocation on .data.rel.ro of @path, of whose 100 pages with slots it wrote @written;
 * @program ran.
 */
static struct model *draw_of(const char *path, const char *program, size_t faults, size_t total,
			     uint64_t written)
{
	static const struct model_layout executable = { 0 };
	static struct model_relocated_section section;
	static struct model_relocation relocation;
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, path);
	uint32_t data = sketch_section(&sketch, lib, ".data.rel.ro", 400000);
	uint32_t vtable = sketch_symbol(&sketch, data, "vtable for Foo", 64);
	uint32_t table = sketch_symbol(&sketch, data, "names", 64);
	uint32_t pointer = sketch_symbol(&sketch, data, "&.rodata+0x10", 8);

	section = (struct model_relocated_section){ .name = ".data.rel.ro",
						    .relocations = 20000,
						    .pages_holding = 100,
						    .pages_written = written,
						    .size = 400000 };
	relocation = (struct model_relocation){ .sections = &section, .section_count = 1 };
	sketch.symbols.items[pointer].kind = MODEL_POINTEE;
	sketch.objects.items[lib].relocation = &relocation;
	for (size_t i = 0; i < faults; i++)
		sketch_fault(&sketch, data, MODEL_RELOCATION)->at.name = i < 20	  ? vtable
									 : i < 30 ? table
									 : i < 35 ? pointer
										  : MODEL_NONE;
	// Reading the section is no relocation.
	sketch_faults(&sketch, data, MODEL_PROGRAM, 5);
	const uint32_t first = sketch_object(&sketch, program);

	sketch.objects.items[first].layout = &executable;
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

static struct model *draw(size_t faults, size_t total, uint64_t written)
{
	return draw_of("/lib/libfoo.so", "/usr/bin/app", faults, total, written);
}

static bool is_for_other_builds(const char *path, const char *program)
{
	CLEANUP(model_closep) struct model *model = draw_of(path, program, 100, 1000, 100);
	const struct model_finding *finding = sketch_finding(model, "relocated-data");
	bool is_other = strncmp(finding->cures[0].text,
				"In the build of the library itself: Reduce", 42) == 0;

	assert_int_equal(finding->cures[0].who, is_other ? MODEL_FOR_PACKAGE : MODEL_FOR_BUILD);
	return is_other;
}

TEST(those_who_build_a_program_are_not_told_to_change_libraries_of_the_system)
{
	const char *cmake = "/usr/bin/cmake", *firefox = "/usr/lib/firefox/firefox-bin";

	assert_true(is_for_other_builds("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", cmake));
	assert_true(is_for_other_builds("/lib64/libcrypto.so.3", cmake));
	assert_true(is_for_other_builds("/usr/lib/pulseaudio/libpulsecommon.so", cmake));
	assert_true(is_for_other_builds("/usr/lib/libnss3.so", firefox));
	assert_true(is_for_other_builds("/nix/store/a-openssl/lib/libcrypto.so", cmake));
	assert_false(is_for_other_builds("/usr/lib/firefox/libxul.so", firefox));
	assert_false(
		is_for_other_builds("/nix/store/b-app/lib/libapp.so", "/nix/store/b-app/bin/x"));
	assert_false(is_for_other_builds("/opt/app/lib/libfoo.so", "/opt/app/bin/app"));
	assert_false(is_for_other_builds("/home/me/build/libfoo.so", "/home/me/build/app"));
	assert_false(is_for_other_builds("/usr/local/lib/libfoo.so", "/usr/local/bin/app"));
}

TEST(it_speaks_of_the_pages_written)
{
	CLEANUP(model_closep) struct model *model = draw(100, 10000, 50);
	const struct model_finding *finding = sketch_found(model, "relocated-data");

	assert_int_equal(finding->faults, 100);
	assert_int_equal(finding->saves.faults, 100);
	assert_string_equal(
		finding->evidence,
		"20,000 pointers in .data.rel.ro (390.6 KiB) lie on 100 pages; relocation wrote 50 "
		"of them. First slot on each page: a vtable 20, a pointer to constants (strings, "
		"tables) 5, other data with a name 10, data without a name 65.");
}

TEST(it_names_owners_in_the_section)
{
	static const struct model_owner owners[] = {
		{ .kind = "got",
		  .section = ".got",
		  .relocations = 90,
		  .pages = 1,
		  .own_ns = 9000000 },
		{ .kind = "strings",
		  .section = ".data.rel.ro",
		  .relocations = 9000,
		  .pages = 40,
		  .pages_alone = 30,
		  .own_ns = 1500000 },
		{ .kind = "symbol",
		  .name = "Foo::names",
		  .source = "foo.cc",
		  .section = ".data.rel.ro",
		  .relocations = 1,
		  .pages = 1 },
	};
	CLEANUP(model_closep) struct model *model = draw(100, 10000, 50);
	struct model_relocation *relocation =
		(struct model_relocation *)model->objects[0].relocation;

	relocation->owners = owners;
	relocation->owner_count = 3;
	findings_find(model);
	assert_non_null(
		strstr(sketch_finding(model, "relocated-data")->evidence,
		       " First owners: [strings]: 9,000 pointers on 40 pages, 30 of them "
		       "alone, 1.5 ms; Foo::names of foo.cc: 1 pointer on 1 page, 0 of them "
		       "alone."));
}

TEST(it_is_silent_below_each_threshold)
{
	CLEANUP(model_closep) struct model *small_share = draw(100, 10001, 100);
	CLEANUP(model_closep) struct model *few_faults = draw(31, 100, 100);
	CLEANUP(model_closep) struct model *few_written = draw(100, 10000, 49);

	assert_null(sketch_finding(small_share, "relocated-data"));
	assert_null(sketch_finding(few_faults, "relocated-data"));
	assert_null(sketch_finding(few_written, "relocated-data"));
}
