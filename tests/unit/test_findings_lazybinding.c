// SPDX-License-Identifier: Apache-2.0
// When lazy-binding-at-start speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

/** @before faults of lazy binding before the program's first fault, and 40 after it. */
static struct model *draw(size_t before, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t strings = sketch_section(&sketch, lib, ".dynstr", 1 << 20);

	// A process whose start is not known: this may be main already.
	for (size_t i = 0; i < 40; i++)
		sketch_fault(&sketch, strings, MODEL_LAZY_BINDING)->thread =
			sketch_thread(&sketch, SKETCH_PID + 1, MODEL_NONE);
	sketch_fault(&sketch, MODEL_NONE, MODEL_EXEC);
	sketch_faults(&sketch, strings, MODEL_LAZY_BINDING, before);
	sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);
	sketch_faults(&sketch, strings, MODEL_LAZY_BINDING, 40);
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

static void it_counts_what_was_bound_before_main(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *model = draw(32, 3200);
	const struct model_finding *finding = sketch_finding(model, "lazy-binding-at-start");

	assert_non_null(finding);
	assert_int_equal(finding->object, MODEL_NONE);
	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_string_equal(finding->evidence,
			    "32 faults before main bound PLT entries at their first call; most of "
			    "them touched libfoo.so 32.");
}

static void it_is_silent_below_either_threshold(void **state)
{
	(void)state;
	CLEANUP(model_closep) struct model *few_faults = draw(31, 200);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201);

	assert_null(sketch_finding(few_faults, "lazy-binding-at-start"));
	assert_null(sketch_finding(small_share, "lazy-binding-at-start"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_counts_what_was_bound_before_main),
		cmocka_unit_test(it_is_silent_below_either_threshold),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
