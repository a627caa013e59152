// SPDX-License-Identifier: Apache-2.0
// When data-copies speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** @written pages of .data that the program writes first, beside 40 that relocation does. */
static struct model *draw(size_t written, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libpython3.so");
	uint32_t data = sketch_section(&sketch, lib, ".data", 100 * SKETCH_PAGE);
	uint32_t ready = sketch_function(&sketch, lib, "PyType_Ready", 16);

	for (size_t i = 0; i < written; i++) {
		struct model_fault *fault = sketch_fault(&sketch, data, MODEL_PROGRAM);

		fault->mechanism = i % 2 ? MODEL_PRIVATE_WRITE : MODEL_COW_BREAK;
		fault->blame = ready;
	}
	for (size_t i = 0; i < 40; i++)
		sketch_fault(&sketch, data, MODEL_RELOCATION)->mechanism = MODEL_PRIVATE_WRITE;
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_counts_what_the_program_itself_wrote)
{
	CLEANUP(model_closep) struct model *model = draw(32, 3200);
	const struct model_finding *finding = sketch_found(model, "data-copies");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 32);
	assert_string_equal(finding->evidence,
			    "32 faults of the program itself copied 32 of the 100 pages of .data, "
			    "each at the first write. First to write: PyType_Ready 32.");
}

TEST(it_is_silent_below_each_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 200);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201);

	assert_null(sketch_finding(few, "data-copies"));
	assert_null(sketch_finding(small_share, "data-copies"));
}
