// SPDX-License-Identifier: Apache-2.0
// When new-memory speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** @heap pages of the heap, one after the other, and @bss of .bss, each of 1 us. */
static struct sketch draw(size_t heap, size_t bss, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t memory = sketch_object(&sketch, "[heap]");
	uint32_t libc = sketch_object(&sketch, "/lib/libc.so.6");
	uint32_t places[] = { sketch_section(&sketch, memory, "[heap]", 0),
			      sketch_section(&sketch, libc, ".bss", 1 << 20) };
	uint32_t parse = sketch_function(&sketch, libc, "parse()", 16);

	for (size_t i = 0; i < heap + bss; i++) {
		struct model_fault *fault = sketch_fault(&sketch, places[i >= heap], MODEL_PROGRAM);

		fault->mechanism = MODEL_ZERO_FILL;
		fault->blame = i < 3 ? parse : MODEL_NONE;
		fault->duration_ns = 1000;
		fault->has_duration = true;
	}
	sketch_fill(&sketch, total);
	return sketch;
}

TEST(it_says_which_memory_and_that_huge_pages_save_hardly_any_time)
{
	const struct model_account account = {
		.all.ns = { [MODEL_STATE_CPU] = 9000000, [MODEL_STATE_FAULT] = 1000000 },
	};
	struct sketch sketch = draw(600, 12, 2400);

	sketch.model->account = &account;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "new-memory");

	assert_int_equal(finding->faults, 612);
	assert_string_equal(finding->evidence,
			    "612 faults made a page of new memory each, 2.4 MiB together: the heap "
			    "600, .bss 12. Of those on the heap 599 touched the page after the one "
			    "before. Most were needed by parse() 3.");
	// The pages from 16 to 615: a huge page begins at 512, of 104. And 3 % of 10 ms.
	assert_int_equal(finding->saves.faults, 103);
	assert_int_equal(finding->saves.duration_ns, 300000);
	assert_int_equal(finding->saves.is, MODEL_AT_MOST);
	assert_int_equal(finding->cure_count, 2);
	assert_int_equal(finding->cures[1].who, MODEL_FOR_RUN);
}

TEST(memory_that_is_no_heap_has_no_setting)
{
	struct sketch sketch = draw(40, 472, 2048);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "new-memory");

	assert_int_equal(finding->cure_count, 1);
	assert_int_equal(finding->cures[0].who, MODEL_FOR_BUILD);
	assert_int_equal(finding->saves.faults, 0);
}

TEST(it_is_silent_below_either_threshold)
{
	struct sketch few = draw(511, 0, 600), small = draw(512, 0, 2049);
	CLEANUP(model_closep) struct model *few_faults = sketch_end(&few);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&small);

	assert_null(sketch_finding(few_faults, "new-memory"));
	assert_null(sketch_finding(small_share, "new-memory"));
}
