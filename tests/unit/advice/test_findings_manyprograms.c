// SPDX-License-Identifier: Apache-2.0
// When many-programs speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/**
 * @programs processes that @shell, a path, forked and that run "sed": two faults of exec and
 * @loading of the dynamic linker.
 */
static struct sketch draw_of(const char *shell, size_t programs, size_t loading, size_t total)
{
	static const char *const comms[] = { "script", "sed" };
	struct sketch sketch = sketch_start();

	sketch.model->comms = comms;
	sketch.model->comm_count = 2;
	sketch.programs.items[0].executable = shell;
	for (uint32_t p = 0; p < programs; p++) {
		for (size_t i = 0; i < loading + 2; i++) {
			struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE,
								 i < 2 ? MODEL_EXEC : MODEL_LOADER);

			fault->thread = sketch_thread(&sketch, SKETCH_PID + 1 + p, i > 0);
		}
		sketch.programs.items[sketch.programs.count - 1].parent = 0;
	}
	// A library that is opened later is no start.
	sketch_fault(&sketch, MODEL_NONE, MODEL_RELOCATION)->dlopen = MODEL_DLOPEN_YES;
	sketch_fill(&sketch, total);
	return sketch;
}

static struct sketch draw(size_t programs, size_t loading, size_t total)
{
	return draw_of("/bin/sh", programs, loading, total);
}

TEST(it_tells_how_many_and_which)
{
	struct sketch sketch = draw(8, 3, 400);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "many-programs");

	assert_int_equal(finding->faults, 40);
	assert_int_equal(finding->pages, 40);
	assert_int_equal(finding->saves.faults, 40);
	assert_string_equal(finding->evidence,
			    "8 programs were started, most often sed (8 times); a "
			    "start takes 5 faults on average.");
}

static bool is_told_to_use_builtins(const struct model *model)
{
	const struct model_finding *finding = sketch_found(model, "many-programs");

	assert_int_equal(finding->cure_count, 2);
	return strstr(finding->advice, "builtins");
}

static bool is_shell(const char *path)
{
	struct sketch sketch = draw_of(path, 8, 3, 400);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	return is_told_to_use_builtins(model);
}

TEST(only_shells_are_told_to_use_builtins)
{
	assert_true(is_shell("/usr/bin/dash"));
	assert_true(is_shell("/opt/bin/busybox"));
	assert_false(is_shell("/usr/lib/chromium/chromium"));
	assert_false(is_shell("/usr/bin/perl"));
	assert_false(is_shell(NULL));
}

/** The saving of eight programs of which one goes on to do @work faults. */
static uint64_t saved_beside(uint32_t work)
{
	struct sketch sketch = draw(8, 3, 0);

	for (uint32_t i = 0; i < work; i++)
		sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->thread =
			sketch_thread(&sketch, SKETCH_PID + 1, 1);
	// Forks: of a process that executes later, and of one that does not.
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t pid = i ? 99 : SKETCH_PID + 2;

		vec_push(&sketch.programs,
			 (struct model_program){ .pid = pid, .parent = MODEL_NONE });
		vec_push(&sketch.threads,
			 (struct model_thread){ (uint32_t)sketch.programs.count - 1, pid, pid, 0 });
		sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->thread =
			(uint32_t)sketch.threads.count - 1;
	}
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	return sketch_finding(model, "many-programs")->saves.faults;
}

TEST(a_program_that_mostly_starts_is_saved_as_a_whole)
{
	assert_int_equal(saved_beside(5), 47);
	assert_int_equal(saved_beside(6), 42);
}

TEST(it_is_silent_below_each_threshold)
{
	struct sketch seven = draw(7, 30, 300), share = draw(8, 3, 401), part = draw(8, 3, 400);

	part.model->is_narrowed = true;
	CLEANUP(model_closep) struct model *few_programs = sketch_end(&seven);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&share);
	CLEANUP(model_closep) struct model *narrowed = sketch_end(&part);

	assert_null(sketch_finding(few_programs, "many-programs"));
	assert_null(sketch_finding(small_share, "many-programs"));
	assert_null(sketch_finding(narrowed, "many-programs"));
}
