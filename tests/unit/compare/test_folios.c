// SPDX-License-Identifier: Apache-2.0
// Large folios: windows that one fault maps, and sides that differ in them.
#include "base/cleanup.h"
#include "compare/compare.h"
#include "derive/windows.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** A run in which @small faults map 16 pages and @large map 32; two more map what is not known. */
static struct model *draw(size_t small, size_t large)
{
	struct sketch sketch = sketch_start();
	uint32_t text =
		sketch_section(&sketch, sketch_object(&sketch, "/a/program"), ".text", 1 << 20);

	for (size_t i = 0; i < small + large; i++) {
		struct model_fault *fault = sketch_fault(&sketch, text, MODEL_PROGRAM);

		fault->has_around = true;
		SKETCH_EXTENT(fault)->around_pages = i < small ? 16 : 32;
	}
	sketch_faults(&sketch, text, MODEL_PROGRAM, 2);
	struct model *model = sketch_end(&sketch);

	model->trace.path = "trace";
	model->trace.has_reads = true;
	return model;
}

/** Compare a run each; @expected: how the only note begins, NULL: there is none. */
static void assert_note(struct model *before, struct model *after, const char *expected)
{
	static const size_t counts[] = { 1, 1 };
	CLEANUP(compare_destroyp) struct compare *compare = compare_create(counts, NULL, 0);
	CLEANUP(model_closep) struct model *old = before;
	CLEANUP(model_closep) struct model *new = after;

	compare_add(compare, COMPARE_BEFORE, old);
	compare_add(compare, COMPARE_AFTER, new);
	CLEANUP(comparison_closep) struct comparison *comparison = compare_finish(compare);

	assert_int_equal(comparison->notes.list.count, expected != NULL);
	if (expected)
		assert_memory_equal(comparison->notes.list.items[0].text, expected,
				    strlen(expected));
}

TEST(windows_beyond_fault_around_are_counted)
{
	CLEANUP(model_closep) struct model *model = draw(7, 3);
	const struct windows windows = windows_count(model);

	assert_int_equal(windows.known, 10);
	assert_int_equal(windows.large, 3);
	assert_int_equal(windows.largest, 32 * SKETCH_PAGE);
}

TEST(sides_with_other_folios_are_told)
{
	assert_note(draw(20, 0), draw(15, 5),
		    "large folios: none of the faults that mapped parts of files mapped more than "
		    "64.0 KiB at once before, 25.0% after (up to 64.0 KiB and 128.0 KiB)");
}

TEST(sides_with_the_same_folios_are_not)
{
	assert_note(draw(15, 5), draw(29, 10), NULL);
	// Of the one nothing is known.
	assert_note(draw(0, 0), draw(15, 5), NULL);
}
