// SPDX-License-Identifier: Apache-2.0
// When large-symbol-tables speaks.
#include "base/cleanup.h"
#include "model/layout.h"
#include "model/relocation.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

static const struct model_relocation_table tables[] = {
	{ .name = ".dynsym", .is_lookup = true, .size = 1 << 20, .pages_mapped = 100 },
	{ .name = ".rela.dyn", .size = 1 << 20, .pages_mapped = 50 },
	{ .name = ".dynstr", .is_lookup = true, .size = 1 << 20, .pages_mapped = 20 },
};
static const struct model_relocation relocation = { .lookups_at_load = 535,
						    .tables = tables,
						    .table_count = 3 };

/** Symbol lookup's faults: @here on a program, @elsewhere on a library. */
static struct sketch draw(size_t here, size_t elsewhere, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t app_symbols = sketch_section(&sketch, app, ".dynsym", 1 << 20);
	uint32_t app_strings = sketch_section(&sketch, app, ".dynstr", 1 << 20);
	uint32_t lib_symbols = sketch_section(&sketch, lib, ".dynsym", 1 << 20);

	sketch.objects.items[app].relocation = &relocation;
	sketch_faults(&sketch, app_symbols, MODEL_SYMBOL_LOOKUP, here - 2);
	sketch_faults(&sketch, app_strings, MODEL_SYMBOL_LOOKUP, 2);
	sketch_faults(&sketch, app_strings, MODEL_LOADER, 9);
	sketch_faults(&sketch, lib_symbols, MODEL_SYMBOL_LOOKUP, elsewhere);
	sketch_fill(&sketch, total);
	return sketch;
}

TEST(it_speaks_where_most_lookups_go)
{
	struct sketch sketch = draw(32, 32, 3200);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "large-symbol-tables");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 120);
	assert_string_equal(
		finding->evidence,
		"Its dynamic symbol tables take 2.0 MiB, of which 120 pages were mapped. 32 of the "
		"64 symbol-lookup faults are on this file; loading it looks up 535 names.");
}

TEST(programs_and_libraries_export_less_in_different_ways)
{
	static const struct model_layout program_layout = { .is_library = false };
	static const struct model_layout library_layout = { .is_library = true };
	struct sketch first = draw(32, 32, 3200), second = draw(32, 32, 3200);

	first.objects.items[0].layout = &program_layout;
	second.objects.items[0].layout = &library_layout;
	CLEANUP(model_closep) struct model *program = sketch_end(&first);
	CLEANUP(model_closep) struct model *library = sketch_end(&second);
	const char *of_program = sketch_finding(program, "large-symbol-tables")->advice;
	const char *of_library = sketch_finding(library, "large-symbol-tables")->advice;

	assert_non_null(strstr(of_program, "--dynamic-list"));
	assert_null(strstr(of_program, "--version-script"));
	assert_non_null(strstr(of_library, "--version-script"));
	assert_null(strstr(of_library, "--dynamic-list"));
	// Nothing is known of calls of its own functions by name.
	assert_null(strstr(of_library, "-Bsymbolic-functions"));
}

TEST(it_is_silent_below_each_threshold)
{
	struct sketch faults = draw(31, 0, 100), share = draw(32, 0, 3201);
	struct sketch others = draw(32, 33, 3200), part = draw(32, 0, 3200);

	part.model->is_narrowed = true;
	CLEANUP(model_closep) struct model *few = sketch_end(&faults);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&share);
	CLEANUP(model_closep) struct model *elsewhere = sketch_end(&others);
	CLEANUP(model_closep) struct model *narrowed = sketch_end(&part);

	assert_null(sketch_finding(few, "large-symbol-tables"));
	assert_null(sketch_finding(small_share, "large-symbol-tables"));
	assert_null(sketch_finding(elsewhere, "large-symbol-tables"));
	assert_null(sketch_finding(narrowed, "large-symbol-tables"));
}

TEST(it_speaks_of_few_faults_that_wait_long)
{
	struct sketch sketch = draw(4, 33, 3200);

	for (size_t i = 0; i < sketch.faults.count; i++) {
		struct model_fault *fault = &sketch.faults.items[i];

		fault->has_duration = true;
		fault->duration_ns =
			fault->initiator == MODEL_SYMBOL_LOOKUP && i < 4 ? 200000 : 100;
	}
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_non_null(sketch_finding(model, "large-symbol-tables"));
}
