// SPDX-License-Identifier: Apache-2.0
// When zeroed-tail speaks.
#include "base/cleanup.h"
#include "model/data.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** Two libraries whose .data ends at 0x5010, zeroed by @zeroed processes in all. */
static struct model *draw(size_t zeroed, size_t total, bool is_shared)
{
	static struct model_data data;
	struct sketch sketch = sketch_start();

	data = (struct model_data){ .tail_is_shared = is_shared,
				    .tail_vaddr = 0x5010,
				    .tail_bytes = 0xff0 };
	for (size_t i = 0; i < 2; i++) {
		uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");

		sketch_section(&sketch, lib, ".bss", 1 << 20);
		sketch.objects.items[lib].data = &data;
	}
	for (size_t i = 0; i < zeroed; i++) {
		struct model_fault *fault = sketch_fault(&sketch, i % 2, MODEL_LOADER);

		fault->at.vaddr = 0x5010;
		fault->mechanism = MODEL_PRIVATE_WRITE;
		fault->thread = sketch_thread(&sketch, SKETCH_PID + (uint32_t)(i / 2), MODEL_NONE);
	}
	// The program's own writes are its own.
	for (size_t i = 0; i < 40; i++) {
		struct model_fault *fault = sketch_fault(&sketch, 0, MODEL_PROGRAM);

		fault->at.vaddr = 0x5000;
		fault->mechanism = MODEL_PRIVATE_WRITE;
	}
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_counts_files_and_processes)
{
	CLEANUP(model_closep) struct model *model = draw(32, 3200, true);
	const struct model_finding *finding = sketch_found(model, "zeroed-tail");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 2);
	assert_string_equal(finding->evidence,
			    "In 2 files .data ends within a page and .bss begins "
			    "there; 16 processes loaded them.");
}

TEST(it_is_silent_below_each_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 200, true);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201, true);
	CLEANUP(model_closep) struct model *aligned = draw(32, 3200, false);

	assert_null(sketch_finding(few, "zeroed-tail"));
	assert_null(sketch_finding(small_share, "zeroed-tail"));
	assert_null(sketch_finding(aligned, "zeroed-tail"));
}
