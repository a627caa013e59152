// SPDX-License-Identifier: Apache-2.0
// When fork-copies speaks.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

/** @copies after a fork, in two processes of the file @executable, beside other writes. */
static struct model *draw_in(const char *executable, size_t copies, size_t total)
{
	static const char *const comms[] = { "quiet", "bash" };
	struct sketch sketch = sketch_start();

	sketch.model->comms = comms;
	sketch.model->comm_count = 2;
	for (size_t i = 0; i < copies; i++) {
		struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);

		fault->mechanism = MODEL_FORK_COW;
		fault->thread = sketch_thread(&sketch, SKETCH_PID + i % 2, i > 0);
	}
	vec_foreach (program, &sketch.programs)
		program->executable = executable;
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

static struct model *draw(size_t copies, size_t total)
{
	return draw_in("/usr/bin/bash", copies, total);
}

TEST(a_shell_is_told_other_things_than_a_program)
{
	CLEANUP(model_closep) struct model *in_shell = draw(32, 3200);
	CLEANUP(model_closep)
	struct model *in_server = draw_in("/usr/local/bin/postgres", 32, 3200);
	const struct model_finding *shell = sketch_finding(in_shell, "fork-copies");
	const struct model_finding *server = sketch_finding(in_server, "fork-copies");

	assert_non_null(strstr(shell->advice, "builtins"));
	assert_null(strstr(shell->advice, "posix_spawn()"));
	assert_null(strstr(server->advice, "shell"));
	assert_non_null(strstr(server->advice, "posix_spawn()"));
}

TEST(it_says_who_copies)
{
	CLEANUP(model_closep) struct model *model = draw(32, 3200);
	const struct model_finding *finding = sketch_found(model, "fork-copies");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_string_equal(
		finding->evidence,
		"32 faults copied pages shared by a fork, in 2 processes; most in bash, 31.");
}

TEST(what_children_do_before_they_execute_is_saved_too)
{
	struct sketch sketch = sketch_start();

	// A child that copies 32 pages, maps 3 anew, and executes; and another process.
	vec_push(&sketch.programs, (struct model_program){ .pid = 8, .parent = MODEL_NONE });
	vec_push(&sketch.threads, (struct model_thread){ 1, 8, 8, MODEL_NONE });
	for (size_t i = 0; i < 36; i++) {
		struct model_fault *fault =
			sketch_fault(&sketch, MODEL_NONE, i < 35 ? MODEL_PROGRAM : MODEL_EXEC);

		fault->mechanism = i < 32 ? MODEL_FORK_COW : MODEL_FILE_MAP;
		fault->thread = 1;
	}
	sketch_fill(&sketch, 100);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "fork-copies");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->saves.faults, 35);
	assert_int_equal(finding->saves.is, MODEL_AT_MOST);
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(31, 100);
	CLEANUP(model_closep) struct model *small_share = draw(32, 3201);

	assert_null(sketch_finding(few, "fork-copies"));
	assert_null(sketch_finding(small_share, "fork-copies"));
}
