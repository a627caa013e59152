// SPDX-License-Identifier: Apache-2.0
// When backward-runs speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

struct walk {
	size_t runs, length, majors; // of them all
	int64_t step;		     // pages from one fault to the next
	size_t total;
};

/** Runs over one section, each from the end of its own 4 MiB; a second process goes forward. */
static struct model *draw(const struct walk *walk)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 1 << 30);
	size_t majors = walk->majors;

	for (size_t r = 0; r < walk->runs; r++) {
		uint64_t at = (r + 2) << 22;

		for (size_t i = 0; i < walk->length; i++) {
			struct model_fault *fault = sketch_fault(&sketch, text, MODEL_STATIC_INIT);

			fault->at.offset = fault->at.vaddr = at;
			fault->kind = majors > 0 ? MODEL_MAJOR : MODEL_MINOR;
			majors -= majors > 0;
			at += (uint64_t)(walk->step * SKETCH_PAGE);
			// It comes between, on the same section, and breaks no run.
			sketch_fault(&sketch, text, MODEL_PROGRAM)->thread =
				sketch_thread(&sketch, SKETCH_PID + 1, MODEL_NONE);
		}
	}
	sketch_fill(&sketch, walk->total);
	return sketch_end(&sketch);
}

TEST(it_speaks_of_runs_that_wait_for_the_disk)
{
	CLEANUP(model_closep)
	struct model *model = draw(
		&(struct walk){ .runs = 4, .length = 8, .majors = 8, .step = -1, .total = 3200 });
	const struct model_finding *finding = sketch_found(model, "backward-runs");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_int_equal(finding->saves.faults, 8);
	assert_string_equal(finding->evidence,
			    "32 faults, 8 of them waiting for the disk, in 4 runs of falling file "
			    "offsets; the longest has 8 in .text, from 0x800000 down to 0x7f9000.");
}

TEST(it_is_silent_below_each_threshold)
{
	const struct walk walks[] = {
		{ 4, 8, 7, -1, 3200 },	// few waits
		{ 4, 8, 8, -1, 3201 },	// small share
		{ 5, 7, 8, -1, 400 },	// short runs
		{ 4, 8, 8, -257, 400 }, // leaps of more than 1 MiB
		{ 4, 8, 8, 1, 400 },	// forward
		{ 4, 8, 8, 0, 400 },	// the same page
	};

	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		CLEANUP(model_closep) struct model *model = draw(&walks[i]);

		assert_null(sketch_finding(model, "backward-runs"));
	}
}
