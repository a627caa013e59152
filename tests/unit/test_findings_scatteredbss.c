// SPDX-License-Identifier: Apache-2.0
// When scattered-bss speaks.
#include "base/cleanup.h"
#include "model/data.h"
#include "tests/support/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/**
 * First touches of @count variables of @size bytes, each on a page of its own, where @others lie
 * as well, which were not seen.
 */
static struct model *draw_beside(size_t count, uint64_t size, size_t total, size_t others)
{
	static struct model_data_page pages[64];
	static struct model_data_symbol symbols[64];
	static struct model_data data;
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t bss = sketch_section(&sketch, lib, ".bss", 1 << 20);

	for (size_t i = 0; i < count; i++) {
		uint32_t variable = sketch_symbol(&sketch, bss, "variable", size);
		struct model_fault *fault = sketch_fault(&sketch, bss, MODEL_STATIC_INIT);

		fault->mechanism = MODEL_ZERO_FILL;
		fault->at.name = variable;
		fault->at.has_offset = false;
		symbols[i] = (struct model_data_symbol){ "variable", fault->at.vaddr, size, 1, 1 };
		pages[i] = (struct model_data_page){
			.vaddr = fault->at.vaddr,
			.symbols = &symbols[i],
			.symbol_count = 1,
			.symbols_on_page = 1 + others,
		};
	}
	data = (struct model_data){ .pages = pages, .page_count = count };
	sketch.objects.items[lib].data = &data;
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

static struct model *draw(size_t count, uint64_t size, size_t total)
{
	return draw_beside(count, size, total, 0);
}

static void it_tells_how_little_would_do(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *model = draw(32, 256, 3200);
	const struct model_finding *finding = sketch_finding(model, "scattered-bss");

	assert_non_null(finding);
	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_int_equal(finding->saves.faults, 30);
	assert_string_equal(
		finding->evidence,
		"32 variables, 8.0 KiB together, were the first to touch 32 pages; side "
		"by side they would fill 2 pages.");
}

static void it_is_silent_below_each_threshold(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *few = draw(31, 256, 100);
	CLEANUP(model_closep) struct model *small_share = draw(32, 256, 3201);
	CLEANUP(model_closep) struct model *dense = draw(32, SKETCH_PAGE / 2 + 1, 3200);
	CLEANUP(model_closep) struct model *large = draw(32, SKETCH_PAGE, 3200);
	CLEANUP(model_closep) struct model *sizeless = draw(32, 0, 3200);

	assert_null(sketch_finding(few, "scattered-bss"));
	assert_null(sketch_finding(small_share, "scattered-bss"));
	assert_null(sketch_finding(dense, "scattered-bss"));
	assert_null(sketch_finding(large, "scattered-bss"));
	assert_null(sketch_finding(sizeless, "scattered-bss"));
}

static void it_is_silent_where_the_rest_of_a_page_is_unseen(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *model = draw_beside(32, 256, 3200, 1);

	assert_null(sketch_finding(model, "scattered-bss"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_how_little_would_do),
		cmocka_unit_test(it_is_silent_below_each_threshold),
		cmocka_unit_test(it_is_silent_where_the_rest_of_a_page_is_unseen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
