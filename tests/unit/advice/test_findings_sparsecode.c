// SPDX-License-Identifier: Apache-2.0
// When sparse-code speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

/**
 * @functions functions of 256 bytes, a MiB apart, each seen in the stack of a fault that fetched
 * it,
 * @around pages at once, in each of @processes processes.
 */
static struct sketch draw(size_t functions, uint32_t around, uint32_t processes, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/opt/app/libfoo.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 1 << 30);

	for (size_t i = 0; i < functions; i++) {
		uint32_t function = sketch_function(&sketch, lib, "foo()", 256);
		uint32_t stack = sketch_stack(&sketch, function, i << 20, MODEL_NONE);

		for (uint32_t p = 0; p < processes; p++) {
			struct model_fault *fault = sketch_fault(&sketch, text, MODEL_PROGRAM);

			fault->thread = sketch_thread(&sketch, SKETCH_PID + p, MODEL_NONE);
			fault->access = MODEL_ACCESS_EXEC;
			fault->stack = stack;
			fault->has_around = true;
			SKETCH_EXTENT(fault)->around_pages = around;
		}
	}
	sketch_fill(&sketch, total);
	return sketch;
}

/** The advice where @words started the run. */
static bool advises(const char *const *words, size_t count, const char *line)
{
	struct sketch sketch = draw(32, 2, 2, 6400);

	sketch.model->trace.command = words;
	sketch.model->trace.command_count = count;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	return strstr(sketch_finding(model, "sparse-code")->advice, line);
}

TEST(the_command_is_printed_as_a_shell_takes_it_or_not_at_all)
{
	static const char *const script[] = { "sh", "-c",
					      "printf '%s' \"$HOME\"; exec app --long-option" };
	static const char *const hidden[] = { "app", "--token=\u2026" };

	assert_true(advises(script, 3,
			    "elfault order --exact -o functions.order -- sh -c 'printf "
			    "'\\''%s'\\'' \"$HOME\"; exec app --long-option' finds"));
	// What is not shown cannot be typed.
	assert_true(
		advises(hidden, 2, "elfault order --exact -o functions.order -- COMMAND finds"));
	assert_true(advises(NULL, 0, "elfault order --exact -o functions.order -- COMMAND finds"));
}

TEST(it_tells_how_few_pages_would_do)
{
	struct sketch sketch = draw(32, 2, 2, 6400);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "sparse-code");

	assert_int_equal(finding->faults, 64);
	assert_int_equal(finding->pages, 32);
	assert_int_equal(finding->saves.faults, 62);
	assert_string_equal(
		finding->evidence,
		"32 functions (8.0 KiB) were seen to run, on 32 pages. Side by side they "
		"would fill 2 pages, and 2 faults in 2 address spaces would map them, 2 pages "
		"each.");
	assert_int_equal(finding->cure_count, 2);
	// What gcc orders by a profile is a fraction of what a list orders.
	assert_null(strstr(finding->advice, "-fprofile-use"));
	assert_non_null(strstr(finding->advice, "elfault order --exact"));
	assert_int_equal(finding->cures[0].who, MODEL_FOR_LINK);
	assert_int_equal(finding->saves.is, MODEL_AT_MOST);
}

TEST(it_is_silent_below_either_threshold)
{
	struct sketch few = draw(31, 16, 1, 100), small = draw(32, 16, 1, 3201);
	CLEANUP(model_closep) struct model *few_faults = sketch_end(&few);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&small);

	assert_null(sketch_finding(few_faults, "sparse-code"));
	assert_null(sketch_finding(small_share, "sparse-code"));
}

TEST(it_is_silent_where_few_functions_are_known)
{
	struct sketch sketch = draw(40, 2, 2, 6400);

	for (size_t i = 0; i < 21; i++)
		sketch.functions.items[i].name = NULL;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "sparse-code"));
}

TEST(it_says_on_how_many_pages_functions_are_known)
{
	struct sketch sketch = draw(40, 2, 2, 6400);

	sketch.functions.items[0].name = NULL;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "sparse-code");

	assert_non_null(
		strstr(finding->evidence, "on 40 pages, on 39 of which functions are known."));
}

TEST(a_stripped_file_needs_its_debug_file_first)
{
	struct sketch sketch = draw(32, 2, 2, 6400);

	sketch.objects.items[0].symbols = "eh-frame";
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "sparse-code");

	assert_int_equal(finding->cure_count, 3);
	assert_int_equal(finding->cures[2].who, MODEL_FOR_PACKAGE);
}

TEST(it_is_silent_where_code_is_dense)
{
	struct sketch sketch = draw(40, 1, 1, 400);

	vec_foreach (function, &sketch.functions)
		function->size = SKETCH_PAGE / 2 + 1; // 21 pages of 40 are needed
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "sparse-code"));
}

TEST(it_does_not_count_on_large_folios)
{
	struct sketch sketch = draw(40, 512, 1, 400);

	vec_foreach (function, &sketch.functions)
		function->size = SKETCH_PAGE / 2; // 20 pages in all
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "sparse-code");

	assert_int_equal(finding->saves.faults, 38); // 2 of 16 pages are left
}

TEST(it_is_silent_when_functions_may_be_missing)
{
	struct sketch sketch = draw(40, 16, 1, 400);

	sketch.model->is_narrowed = true;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "sparse-code"));
}
