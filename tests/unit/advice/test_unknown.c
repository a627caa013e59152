// SPDX-License-Identifier: Apache-2.0
// Reasons why initiators are not known.
#include "base/cleanup.h"
#include "derive/unknown.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

struct drawing {
	struct sketch sketch;
	uint32_t text, lib, function;
};

static struct drawing start(void)
{
	struct drawing drawing = { .sketch = sketch_start() };

	drawing.lib = sketch_object(&drawing.sketch, "/lib/libfoo.so");
	drawing.text = sketch_section(&drawing.sketch, drawing.lib, ".text", 1 << 30);
	drawing.function = sketch_function(&drawing.sketch, drawing.lib, "foo()", 256);
	drawing.sketch.model->trace.has_stacks = true;
	return drawing;
}

/** @count faults with stacks that end so. */
static void draw(struct drawing *drawing, uint32_t count, enum model_initiator initiator,
		 bool is_truncated, bool is_complete)
{
	struct sketch *sketch = &drawing->sketch;
	uint32_t stack = sketch_stack(sketch, drawing->function, 0, MODEL_NONE);

	sketch->stacks.items[stack].is_truncated = is_truncated;
	sketch->stacks.items[stack].is_complete = is_complete;
	for (uint32_t i = 0; i < count; i++)
		sketch_fault(sketch, drawing->text, initiator)->stack = stack;
}

TEST(the_most_common_reason_counts)
{
	struct drawing drawing = start();
	struct unknown unknown;

	draw(&drawing, 9, MODEL_PROGRAM, true, false);
	draw(&drawing, 3, MODEL_INITIATOR_UNKNOWN, true, false);
	draw(&drawing, 4, MODEL_INITIATOR_UNKNOWN, false, false);
	draw(&drawing, 2, MODEL_INITIATOR_UNKNOWN, false, true);
	sketch_fault(&drawing.sketch, drawing.text, MODEL_INITIATOR_UNKNOWN);
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);

	unknown_find(model, &unknown);
	assert_int_equal(unknown.faults, 10);
	assert_int_equal(unknown.by_reason[UNKNOWN_CUT], 3);
	assert_int_equal(unknown.by_reason[UNKNOWN_NO_CALLER], 4);
	assert_int_equal(unknown.by_reason[UNKNOWN_NOTHING_TELLS], 2);
	assert_int_equal(unknown.by_reason[UNKNOWN_STACK_LOST], 1);
	assert_int_equal(unknown.reason, UNKNOWN_NO_CALLER);
	assert_int_equal(unknown.object_faults, 4);
	assert_string_equal(model->objects[unknown.object].path, "/lib/libfoo.so");
}

TEST(a_stack_may_end_for_three_reasons_although_it_goes_on)
{
	struct drawing drawing = start();
	struct unknown unknown;

	for (uint32_t i = 0; i < 3; i++)
		draw(&drawing, i + 1, MODEL_INITIATOR_UNKNOWN, true, false);
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);
	struct model_stack *stacks = (struct model_stack *)model->stacks;

	stacks[model->faults[1].stack].is_elsewhere = true;
	stacks[model->faults[3].stack].frame_count = MODEL_STACK_FRAMES;
	unknown_find(model, &unknown);
	assert_int_equal(unknown.by_reason[UNKNOWN_CUT], 1);
	assert_int_equal(unknown.by_reason[UNKNOWN_ELSEWHERE], 2);
	assert_int_equal(unknown.by_reason[UNKNOWN_TOO_DEEP], 3);
	stacks[model->faults[3].stack].frame_count = 1;
}

TEST(without_stacks_that_is_the_reason)
{
	struct drawing drawing = start();
	struct unknown unknown;

	drawing.sketch.model->trace.has_stacks = false;
	sketch_fault(&drawing.sketch, drawing.text, MODEL_INITIATOR_UNKNOWN);
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);

	unknown_find(model, &unknown);
	assert_int_equal(unknown.reason, UNKNOWN_NO_STACKS);
	assert_int_equal(unknown.object, MODEL_NONE);
}

TEST(an_instruction_that_could_not_be_read_is_a_reason_of_its_own)
{
	struct drawing drawing = start();
	struct unknown unknown;

	for (int i = 0; i < 3; i++)
		sketch_fault(&drawing.sketch, drawing.text, MODEL_INITIATOR_UNKNOWN)->is_unread =
			i > 0;
	CLEANUP(model_closep) struct model *model = sketch_end(&drawing.sketch);

	unknown_find(model, &unknown);
	assert_int_equal(unknown.by_reason[UNKNOWN_STACK_LOST], 1);
	assert_int_equal(unknown.by_reason[UNKNOWN_UNREAD], 2);
	assert_int_equal(unknown.reason, UNKNOWN_UNREAD);
}
