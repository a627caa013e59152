// SPDX-License-Identifier: Apache-2.0
// When returned-memory speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** Each of 16 pages is made once and then @again times in all; a fork and an exec make them, too.
 */
static struct model *draw(size_t again, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t function = sketch_function(&sketch, app, "grow()", 64), thread = 0;

	for (size_t i = 0; i < 16 + again + 32; i++) {
		struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);

		fault->mechanism = MODEL_ZERO_FILL;
		fault->addr = (i % 16) * SKETCH_PAGE;
		fault->blame = i < 16 ? MODEL_NONE : function;
		if (i == 16 + again || i == 32 + again)
			thread = sketch_exec(&sketch, SKETCH_PID + (i == 16 + again), MODEL_NONE);
		fault->thread = thread;
		if (i == 32 + again) {
			fault->initiator = MODEL_EXEC;
			fault->mechanism = MODEL_FILE_MAP;
		}
	}
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_counts_pages_that_had_been_there)
{
	CLEANUP(model_closep) struct model *model = draw(32, 3200);
	const struct model_finding *finding = sketch_found(model, "returned-memory");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 16);
	assert_string_equal(finding->evidence,
			    "32 faults made a page at an address that had one before, on 16 pages. "
			    "Most were needed by grow(), 32.");
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 200);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201);

	assert_null(sketch_finding(few, "returned-memory"));
	assert_null(sketch_finding(small_share, "returned-memory"));
}
