// SPDX-License-Identifier: Apache-2.0
// When relocated-data speaks.
#include "base/cleanup.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/** @faults of relocation on .data.rel.ro, of whose 100 pages with slots it wrote @written. */
static struct model *draw(size_t faults, size_t total, uint64_t written)
{
	static struct model_relocated_section section;
	static struct model_relocation relocation;
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
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
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

static void it_speaks_of_the_pages_written(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *model = draw(100, 10000, 50);
	const struct model_finding *finding = sketch_finding(model, "relocated-data");

	assert_non_null(finding);
	assert_int_equal(finding->faults, 100);
	assert_int_equal(finding->saves.faults, 100);
	assert_string_equal(
		finding->evidence,
		"20,000 pointers in .data.rel.ro (390.6 KiB) lie on 100 pages; relocation wrote 50 "
		"of them. First slot on each page: a vtable 20, a pointer to constants (strings, "
		"tables) 5, other data with a name 10, data without a name 65.");
}

static void it_is_silent_below_each_threshold(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *small_share = draw(100, 10001, 100);
	CLEANUP(model_closep) struct model *few_faults = draw(31, 100, 100);
	CLEANUP(model_closep) struct model *few_written = draw(100, 10000, 49);

	assert_null(sketch_finding(small_share, "relocated-data"));
	assert_null(sketch_finding(few_faults, "relocated-data"));
	assert_null(sketch_finding(few_written, "relocated-data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_speaks_of_the_pages_written),
		cmocka_unit_test(it_is_silent_below_each_threshold),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
