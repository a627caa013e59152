// SPDX-License-Identifier: Apache-2.0
// What all findings have in common: their order, and names that files made up.
#include "base/cleanup.h"
#include "tests/support/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/** Copies after forks and first touches of .bss, each taking a time of its own. */
static struct model *draw(uint64_t copy_ns, uint64_t touch_ns)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t bss = sketch_section(&sketch, lib, ".bss", 1 << 20);
	uint32_t variable = sketch_symbol(&sketch, bss, "variable", 8);

	for (size_t i = 0; i < 40; i++) {
		struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);

		fault->mechanism = MODEL_FORK_COW;
		fault->duration_ns = copy_ns;
		fault->has_duration = copy_ns > 0;
		fault = sketch_fault(&sketch, bss, MODEL_PROGRAM);
		fault->mechanism = MODEL_ZERO_FILL;
		fault->at.name = variable;
		fault->duration_ns = touch_ns;
		fault->has_duration = touch_ns > 0;
	}
	sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->mechanism = MODEL_FORK_COW;
	return sketch_end(&sketch);
}

static void what_takes_most_time_comes_first_and_without_times_most_faults(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *slow_touches = draw(10, 1000);
	CLEANUP(model_closep) struct model *no_times = draw(0, 0);

	assert_int_equal(slow_touches->finding_count, 2);
	assert_string_equal(slow_touches->findings[0].id, "scattered-bss");
	assert_int_equal(slow_touches->findings[0].duration_ns, 40000);
	assert_string_equal(slow_touches->findings[1].id, "fork-copies");
	assert_string_equal(no_times->findings[0].id, "fork-copies");
}

static void a_long_name_loses_its_middle_between_characters(void **state)
{
	(void)state;
	static char name[4096];
	static const char *const comms[] = { name };
	struct sketch sketch = sketch_start();

	for (size_t i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "\xc3\xa4", 2);
	sketch.model->comms = comms;
	sketch.model->comm_count = 1;
	for (size_t i = 0; i < 40; i++) {
		struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);

		fault->mechanism = MODEL_FORK_COW;
		fault->thread = sketch_thread(&sketch, SKETCH_PID, 0);
	}
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const char *evidence = sketch_finding(model, "fork-copies")->evidence;

	assert_true(strlen(evidence) < 200);
	assert_non_null(strstr(evidence, "most in \xc3\xa4\xc3\xa4"));
	assert_non_null(strstr(evidence, "\xc3\xa4...\xc3\xa4"));
}

static void an_empty_answer_has_none(void **state)
{
	(void)state;
	struct sketch sketch = sketch_start();
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_int_equal(model->finding_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_takes_most_time_comes_first_and_without_times_most_faults),
		cmocka_unit_test(a_long_name_loses_its_middle_between_characters),
		cmocka_unit_test(an_empty_answer_has_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
