// SPDX-License-Identifier: Apache-2.0
// Common parts of all findings: their order, and names that files made up.
#include "base/cleanup.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

/** Copies after forks and of .data, each taking a time of its own. */
static struct model *draw(uint64_t copy_ns, uint64_t touch_ns)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t data = sketch_section(&sketch, lib, ".data", 1 << 20);

	for (size_t i = 0; i < 40; i++) {
		struct model_fault *fault = sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM);

		fault->mechanism = MODEL_FORK_COW;
		fault->duration_ns = copy_ns;
		fault->has_duration = copy_ns > 0;
		fault = sketch_fault(&sketch, data, MODEL_PROGRAM);
		fault->mechanism = MODEL_PRIVATE_WRITE;
		fault->duration_ns = touch_ns;
		fault->has_duration = touch_ns > 0;
	}
	sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->mechanism = MODEL_FORK_COW;
	return sketch_end(&sketch);
}

TEST(what_saves_most_time_comes_first_and_without_times_most_faults)
{
	CLEANUP(model_closep) struct model *slow_touches = draw(10, 1000);
	CLEANUP(model_closep) struct model *no_times = draw(0, 0);

	assert_int_equal(slow_touches->finding_count, 2);
	assert_string_equal(slow_touches->findings[0].id, "data-copies");
	assert_int_equal(slow_touches->findings[0].duration_ns, 40000);
	assert_string_equal(slow_touches->findings[1].id, "fork-copies");
	assert_string_equal(no_times->findings[0].id, "fork-copies");
}

TEST(a_long_name_loses_its_middle_between_characters)
{
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

/** Copies of .data of three files, of 40, 50 and 60 pages; some of them wait @wait_ns for storage.
 */
static struct sketch draw_three(size_t majors, uint64_t wait_ns)
{
	static const char *const paths[] = { "/lib/liba.so", "/lib/b,b.so", "/lib/libd.so" };
	struct sketch sketch = sketch_start();

	for (size_t n = 0; n < 3; n++) {
		uint32_t lib = sketch_object(&sketch, paths[n]);
		uint32_t data = sketch_section(&sketch, lib, ".data", 100 * SKETCH_PAGE);

		for (size_t i = 0; i < 40 + 10 * n; i++) {
			struct model_fault *fault = sketch_fault(&sketch, data, MODEL_PROGRAM);

			fault->mechanism = MODEL_PRIVATE_WRITE;
			fault->kind = i < majors ? MODEL_MAJOR : MODEL_MINOR;
			fault->duration_ns = i < majors ? wait_ns : 1000;
			fault->has_duration = true;
		}
	}
	return sketch;
}

TEST(what_several_files_have_is_one_finding_with_a_list_of_them)
{
	struct sketch sketch = draw_three(0, 0);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_int_equal(model->finding_count, 1);
	const struct model_finding *finding = &model->findings[0];

	assert_int_equal(finding->object, MODEL_NONE);
	assert_int_equal(finding->faults, 150);
	assert_int_equal(finding->pages, 150);
	assert_int_equal(finding->duration_ns, 150000);
	assert_int_equal(finding->saves.faults, 150);
	assert_int_equal(finding->saves.duration_ns, 150000);
	assert_int_equal(finding->file_count, 3);
	// What saves most first.
	assert_int_equal(finding->files[0].object, 2);
	assert_int_equal(finding->files[0].faults, 60);
	assert_int_equal(finding->files[2].saves.duration_ns, 40000);
	assert_string_equal(finding->where,
			    "object=/lib/liba.so|/lib/b\\,b.so|/lib/libd.so,section=.data,"
			    "mechanism=private-write|cow-break");
	assert_int_equal(strncmp(finding->evidence, "libd.so: 60 faults", 18), 0);
	assert_non_null(strstr(finding->evidence, " b,b.so: 50 faults"));
	assert_non_null(strstr(finding->evidence, " liba.so: 40 faults"));
}

TEST(the_c_library_is_not_linked_anew_for_a_program)
{
	static const char *const paths[] = { "/lib/libc.so.6", "/lib/ld-linux-x86-64.so.2",
					     "/lib/libstdc++.so.6" };

	for (size_t n = 0; n < 3; n++) {
		struct sketch sketch = sketch_start();
		uint32_t lib = sketch_object(&sketch, paths[n]);
		uint32_t data = sketch_section(&sketch, lib, ".data", 100 * SKETCH_PAGE);

		for (size_t i = 0; i < 40; i++)
			sketch_fault(&sketch, data, MODEL_PROGRAM)->mechanism = MODEL_PRIVATE_WRITE;
		CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

		assert_int_equal(sketch_finding(model, "data-copies") != NULL, n == 2);
	}
}

TEST(waiting_for_storage_that_whatever_comes_first_does_is_not_saved)
{
	struct sketch sketch = draw_three(10, 5000000);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "data-copies");

	// 30 of them waited 150 ms together; in memory each takes 1 us, as the others do.
	assert_int_equal(finding->faults, 150);
	assert_int_equal(finding->duration_ns, 150000000 + 120000);
	assert_int_equal(finding->major_ns, 150000000);
	assert_int_equal(finding->saves.duration_ns, 150000);
	assert_int_equal(finding->saves.storage_ns, 0);
	assert_int_equal(finding->saves.read_bytes, 0);
}

TEST(an_empty_answer_has_none)
{
	struct sketch sketch = sketch_start();
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_int_equal(model->finding_count, 0);
}
