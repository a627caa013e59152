// SPDX-License-Identifier: Apache-2.0
// Curves of pages over first use, and the area under them, of models drawn by hand.
#include "base/cleanup.h"
#include "derive/locality.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

enum { PAGE = SKETCH_PAGE };

struct drawing {
	struct sketch sketch;
	uint32_t lib, text;
};

static struct drawing start(void)
{
	struct drawing drawing = { .sketch = sketch_start() };

	drawing.lib = sketch_object(&drawing.sketch, "/a/libx.so");
	drawing.text = sketch_section(&drawing.sketch, drawing.lib, ".text", 1 << 20);
	return drawing;
}

/** A fault at the first byte of a new function, which is returned. */
static uint32_t run_function(struct drawing *drawing, const char *name, uint64_t vaddr,
			     uint64_t size)
{
	uint32_t function = sketch_function(&drawing->sketch, drawing->lib, name, size);
	struct model_fault *fault = sketch_fault(&drawing->sketch, drawing->text, MODEL_PROGRAM);

	*SKETCH_IP(fault) = (struct model_ip){
		.object = drawing->lib, .name = function, .has_vaddr = true, .vaddr = vaddr
	};
	fault->at.vaddr = vaddr;
	fault->access = MODEL_ACCESS_EXEC;
	return function;
}

TEST(the_area_adds_up_the_pages_at_each_first_use)
{
	struct drawing drawing = start();

	// By hand: a is on page 1, b on pages 1 and 2, c on page 9, d on page 2 again.
	run_function(&drawing, "a", PAGE, 100);
	run_function(&drawing, "b", 2 * PAGE - 10, 20);
	run_function(&drawing, "c", 9 * PAGE, PAGE);
	run_function(&drawing, "d", 2 * PAGE + 100, 50);
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	const struct locality *lib = &localities->objects[0];
	static const uint64_t curve[] = { 1, 2, 3, 3 };

	assert_int_equal(lib->function_count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(lib->functions[i].pages, curve[i]);
		assert_int_equal(lib->functions[i].faults, 1);
		assert_int_equal(lib->functions[i].first_ns, i + 1);
	}
	assert_int_equal(lib->area.code_pages, 3);
	assert_int_equal(lib->area.code_bytes, 100 + 20 + PAGE + 50);
	assert_int_equal(lib->area.area, 1 + 2 + 3 + 3);
	// Side by side: 100, 120, 4216, 4266 bytes.
	assert_int_equal(lib->area.least_area, 1 + 1 + 2 + 2);
}

TEST(callers_ran_before_what_they_call)
{
	struct drawing drawing = start();
	uint32_t inner = sketch_function(&drawing.sketch, drawing.lib, "inner", 10);
	uint32_t outer = sketch_function(&drawing.sketch, drawing.lib, "outer", 10);
	uint32_t stack = sketch_stack(&drawing.sketch, inner, 5 * PAGE, outer);

	for (int i = 0; i < 2; i++)
		sketch_fault(&drawing.sketch, drawing.text, MODEL_PROGRAM)->stack = stack;
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	const struct locality *lib = &localities->objects[0];

	assert_int_equal(lib->function_count, 2);
	assert_int_equal(lib->functions[0].function, outer);
	assert_int_equal(lib->functions[1].function, inner);
	assert_int_equal(lib->functions[1].vaddr, 5 * PAGE);
	assert_int_equal(lib->functions[0].faults, 0); // it was data that faulted
}

TEST(what_has_no_place_of_its_own_is_no_function)
{
	struct drawing drawing = start();

	run_function(&drawing, NULL, PAGE, 0);
	uint32_t stub = run_function(&drawing, "plt:malloc", 2 * PAGE, 16);
	drawing.sketch.functions.items[stub].section = ".plt.sec";
	uint32_t sizeless = run_function(&drawing, "start", 3 * PAGE, 0);
	SKETCH_IP(&drawing.sketch.faults.items[2])->vaddr += 40;
	SKETCH_IP(&drawing.sketch.faults.items[2])->name_offset = 40;
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	const struct locality *lib = &localities->objects[0];

	assert_int_equal(lib->function_count, 1);
	assert_int_equal(lib->functions[0].function, sizeless);
	assert_int_equal(lib->functions[0].vaddr, 3 * PAGE);
	assert_int_equal(lib->functions[0].size, 41);
}

TEST(functions_folded_into_one_take_its_bytes_once)
{
	struct drawing drawing = start();

	run_function(&drawing, "a", PAGE, 100);
	run_function(&drawing, "b", PAGE, 100);
	run_function(&drawing, "huge", 2 * PAGE, UINT64_MAX - 10);
	drawing.sketch.objects.items[0].size = 8 * PAGE;
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	const struct locality *lib = &localities->objects[0];

	assert_int_equal(lib->area.code_bytes, 100 + 8 * PAGE);
	assert_int_equal(lib->area.code_pages, 9);
	assert_int_equal(lib->area.area, 1 + 1 + 9);
}

/**
 * 70 functions laid out as `llvm-profdata order` of LLVM 19 laid them out, 32 to a page as it takes
 * for granted, and used as its held-out trace used them: "Total area under the page fault curve:
 * 1.650000e+02". Its input: the traces (3i+5) mod 70, (11i+2) mod 70, (23i+7) mod 70 of 70
 * functions each, and, kept aside by --num-test-traces=1, the first 60 of (37i+11) mod 70.
 */
TEST(the_area_is_what_llvm_profdata_prints)
{
	enum { FUNCTIONS = 70, USED = 60, BYTES = PAGE / 32 };
	static const int order[FUNCTIONS] = {
		5,  8,	11, 14, 29, 26, 28, 7,	30, 53, 6,  52, 17, 20, 23, 13, 2,  24,
		68, 35, 46, 57, 9,  51, 27, 49, 3,  31, 42, 64, 16, 32, 4,  50, 44, 47,
		38, 41, 25, 59, 62, 65, 10, 56, 19, 48, 0,  69, 21, 45, 67, 22, 1,  60,
		12, 34, 63, 43, 66, 15, 37, 40, 18, 55, 58, 33, 61, 39, 36, 54,
	};
	struct drawing drawing = start();
	uint64_t places[FUNCTIONS];

	for (uint64_t i = 0; i < FUNCTIONS; i++)
		places[order[i]] = i;
	for (int i = 0; i < USED; i++)
		run_function(&drawing, "f", places[(37 * i + 11) % FUNCTIONS] * BYTES, BYTES);
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);

	assert_int_equal(localities->objects[0].function_count, USED);
	assert_int_equal(localities->objects[0].area.area, 165);
}

TEST(the_curve_of_a_file_keeps_its_ends_and_its_order)
{
	enum { FAULTS = 1000 };
	struct drawing drawing = start();

	for (size_t i = 0; i < FAULTS; i++) {
		struct model_fault *fault =
			sketch_fault(&drawing.sketch, drawing.text, MODEL_PROGRAM);

		// Each page faults twice, one after the other.
		fault->at.vaddr = i / 2 * PAGE;
		fault->step = i % 2 ? MODEL_STEP_SAME : MODEL_STEP_NEXT;
	}
	sketch_fill(&drawing.sketch, FAULTS + 5); // of no file
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	CLEANUP(localities_closep) struct localities *localities = localities_find(model);
	const struct locality *lib = &localities->objects[0];

	assert_int_equal(lib->point_count, LOCALITY_POINTS);
	assert_int_equal(lib->points[0].count, 1);
	assert_int_equal(lib->points[0].pages, 1);
	assert_int_equal(lib->points[LOCALITY_POINTS - 1].count, FAULTS);
	assert_int_equal(lib->points[LOCALITY_POINTS - 1].pages, FAULTS / 2);
	for (size_t i = 0; i < LOCALITY_POINTS; i++) {
		assert_int_equal(lib->points[i].pages, (lib->points[i].count + 1) / 2);
		assert_int_equal(lib->points[i].time_ns, lib->points[i].count);
		assert_true(i == 0 || lib->points[i].count > lib->points[i - 1].count);
	}
	assert_int_equal(lib->steps[MODEL_STEP_SAME], FAULTS / 2);
	assert_int_equal(lib->steps[MODEL_STEP_NEXT], FAULTS / 2);
	assert_int_equal(lib->function_count, 0);
	assert_int_equal(lib->area.area, 0);
}

TEST(a_short_curve_is_kept_whole)
{
	for (size_t faults = 1; faults <= LOCALITY_POINTS + 1; faults += LOCALITY_POINTS / 2) {
		struct drawing drawing = start();

		sketch_faults(&drawing.sketch, drawing.text, MODEL_PROGRAM, faults);
		CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
		CLEANUP(localities_closep) struct localities *localities = localities_find(model);
		const struct locality *lib = &localities->objects[0];

		assert_int_equal(lib->point_count,
				 faults < LOCALITY_POINTS ? faults : LOCALITY_POINTS);
		assert_int_equal(lib->points[lib->point_count - 1].count, faults);
		assert_int_equal(lib->points[lib->point_count - 1].pages, faults);
	}
}
