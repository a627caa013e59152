// SPDX-License-Identifier: Apache-2.0
// When unwinding-at-start speaks.
#include "base/cleanup.h"
#include "derive/progress.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** Unwinding: @before main, @early after it, and 40 faults after @program faults of the program. */
static struct model *draw(size_t before, size_t early, size_t program, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t frames = sketch_section(&sketch, lib, ".eh_frame", 1 << 20);

	sketch_fault(&sketch, MODEL_NONE, MODEL_LOADER);
	sketch_faults(&sketch, frames, MODEL_UNWIND, before);
	sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);
	sketch_faults(&sketch, frames, MODEL_UNWIND, early);
	sketch_faults(&sketch, MODEL_NONE, MODEL_PROGRAM, program - 1);
	sketch_faults(&sketch, frames, MODEL_UNWIND, 40);
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_counts_what_was_thrown_before_main_and_soon_after)
{
	CLEANUP(model_closep) struct model *model = draw(12, 20, PROGRESS_EARLY_FAULTS + 1, 3200);
	const struct model_finding *finding = sketch_found(model, "unwinding-at-start");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_string_equal(finding->evidence, "32 unwinding faults, 12 before main, the others "
					       "soon after; they touched libfoo.so 32.");
}

TEST(the_start_lasts_so_many_faults_of_the_program)
{
	CLEANUP(model_closep) struct model *model = draw(0, 0, PROGRESS_EARLY_FAULTS, 3200);

	assert_int_equal(sketch_finding(model, "unwinding-at-start")->faults, 40);
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep)
	struct model *few_faults = draw(12, 19, PROGRESS_EARLY_FAULTS + 1, 500);
	CLEANUP(model_closep)
	struct model *small_share = draw(12, 20, PROGRESS_EARLY_FAULTS + 1, 3201);

	assert_null(sketch_finding(few_faults, "unwinding-at-start"));
	assert_null(sketch_finding(small_share, "unwinding-at-start"));
}
