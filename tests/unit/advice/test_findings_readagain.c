// SPDX-License-Identifier: Apache-2.0
// When read-again speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** @again faults on pages that were evicted, of code as @access says, half of them major. */
static struct model *draw(size_t again, size_t total, enum model_access access)
{
	struct sketch sketch = sketch_start();
	uint32_t object = sketch_object(&sketch, "/usr/bin/app");
	uint32_t text = sketch_section(&sketch, object, ".text", 1 << 20);
	uint32_t function = sketch_function(&sketch, object, "look", 64);

	sketch.model->counts.has_read_again = true;
	sketch.model->counts.read_again_bytes = 3 << 20;
	for (size_t i = 0; i < again; i++) {
		struct model_fault *fault = sketch_fault(&sketch, text, MODEL_PROGRAM);

		fault->mechanism = MODEL_REFAULT;
		fault->access = access & 3;
		fault->kind = i % 2;
		SKETCH_IP(fault)->name = function;
	}
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_says_how_much_was_read_again_and_by_whom)
{
	CLEANUP(model_closep) struct model *model = draw(32, 3200, MODEL_ACCESS_EXEC);
	const struct model_finding *finding = sketch_found(model, "read-again");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->saves.faults, 32);
	assert_int_equal(finding->saves.is, MODEL_AT_MOST);
	assert_string_equal(
		finding->evidence,
		"32 faults were on 32 pages of files that the run had had in memory; "
		"most: app 32. Storage delivered 3.0 MiB again. Most happened in look, 32.");
	assert_non_null(strstr(finding->advice, "memory.max"));
	// A list of what to read does not help there.
	assert_null(sketch_finding(model, "cold-start"));
}

TEST(only_code_is_to_be_ordered)
{
	CLEANUP(model_closep) struct model *code = draw(32, 3200, MODEL_ACCESS_EXEC);
	CLEANUP(model_closep) struct model *data = draw(32, 3200, MODEL_ACCESS_READ);

	assert_int_equal(sketch_finding(code, "read-again")->cure_count, 2);
	assert_int_equal(sketch_finding(data, "read-again")->cure_count, 1);
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 100, MODEL_ACCESS_EXEC);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201, MODEL_ACCESS_EXEC);

	assert_null(sketch_finding(few, "read-again"));
	assert_null(sketch_finding(small_share, "read-again"));
}
