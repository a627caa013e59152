// SPDX-License-Identifier: Apache-2.0
// When cold-start speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <unistd.h>

/**
 * @majors faults that took @wait_ns each, one of them on .data, beside minor ones of 1 us. @time:
 * of each of the former; NULL: all of it is its own.
 */
static struct model *draw_late(size_t majors, uint64_t wait_ns, const struct model_fault_time *time,
			       size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 3 << 20);
	uint32_t data = sketch_section(&sketch, lib, ".data", 0);

	for (size_t i = 0; i < majors; i++) {
		struct model_fault *fault =
			sketch_fault(&sketch, i == 0 ? data : text, MODEL_PROGRAM);

		fault->kind = MODEL_MAJOR;
		fault->duration_ns = wait_ns;
		fault->time = time;
	}
	static const char *const command[] = { "app", "two words" };

	sketch.model->trace.path = "a trace";
	sketch.model->trace.command = command;
	sketch.model->trace.command_count = 2;
	sketch_fill(&sketch, total);
	vec_foreach (fault, &sketch.faults) {
		fault->has_duration = wait_ns > 0;
		if (fault->kind == MODEL_MINOR)
			fault->duration_ns = 1000;
	}
	return sketch_end(&sketch);
}

static struct model *draw(size_t majors, uint64_t wait_ns, size_t total)
{
	return draw_late(majors, wait_ns, NULL, total);
}

/** An elfault-prefetch in PATH, of which no more than its place matters. */
static int set_up(void **state)
{
	static char folder[] = "/tmp/elfault-coldstart-XXXXXX";
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	if (!mkdtemp(folder) || setenv("PATH", folder, 1) != 0)
		return -1;
	*state = folder;
	return symlink("/proc/self/exe", arena_printf(&arena, "%s/elfault-prefetch", folder));
}

static int tear_down(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	return unlink(arena_printf(&arena, "%s/elfault-prefetch", (char *)*state)) || rmdir(*state);
}

const struct tests_around tests_around = { .before_all = set_up, .after_all = tear_down };

TEST(it_names_the_sections_that_were_waited_for)
{
	// 8 * 6,250 ns = 50,000 ns, of 950 * 1,000 ns + 50,000 ns.
	CLEANUP(model_closep) struct model *model = draw(8, 6250, 958);
	const struct model_finding *finding = sketch_found(model, "cold-start");

	assert_int_equal(finding->faults, 8);
	assert_int_equal(finding->pages, 8);
	assert_int_equal(finding->duration_ns, 50000);
	assert_int_equal(finding->saves.faults, 8);
	assert_string_equal(finding->evidence,
			    "8 major faults in 2 sections; most: libfoo.so .text from 0x11000 to "
			    "0x18000: 7 waits, 43.8 us; libfoo.so .data from 0x10000 to 0x11000: "
			    "1 wait, 6.2 us.");
	// As minor faults they would take 1 us each, and none needs to wait.
	assert_true(finding->saves.are_waits);
	assert_int_equal(finding->saves.duration_ns, 42000);
	assert_int_equal(finding->saves.storage_ns, 42000);
	assert_int_equal(finding->cures[0].who, MODEL_FOR_RUN);
	assert_string_equal(finding->cures[0].text,
			    "elfault prefetch 'a trace' -o prefetch.list; elfault-prefetch "
			    "prefetch.list -- app 'two words' asks for these ranges before the "
			    "program does, without building anything.");
}

TEST(without_elfault_prefetch_it_names_elfault)
{
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	CLEANUP(model_closep) struct model *model = draw(8, 6250, 958);
	const struct model_finding *finding = sketch_finding(model, "cold-start");

	assert_string_equal(finding->cures[0].text,
			    "elfault prefetch 'a trace' -o prefetch.list; elfault prefetch --from "
			    "prefetch.list -- app 'two words' asks for these ranges before the "
			    "program does, without building anything.");
}

TEST(a_few_that_waited_long_are_worth_it)
{
	enum { MS = 1000000 };
	const struct model_account account = {
		.all.ns = { [MODEL_STATE_CPU] = 10 * MS, [MODEL_STATE_FAULT_IO] = 2 * MS }
	};
	CLEANUP(model_closep) struct model *model = draw(2, MS, 958);

	assert_null(sketch_finding(model, "cold-start"));
	model->account = &account;
	findings_find(model);
	assert_non_null(sketch_finding(model, "cold-start"));
}

TEST(it_says_how_much_was_read)
{
	CLEANUP(model_closep) struct model *model = draw(8, 6250, 958);
	struct model_fault *faults = (struct model_fault *)model->faults; // the sketch's own

	for (size_t i = 0; i < model->fault_count; i++) {
		faults[i].has_read = faults[i].kind == MODEL_MAJOR;
		SKETCH_EXTENT(&faults[i])->read_pages = 64;
	}
	findings_find(model); // once more
	const struct model_finding *finding = sketch_finding(model, "cold-start");

	// What they read, not how large the section is.
	assert_string_equal(finding->evidence,
			    "8 major faults in 2 sections; most: libfoo.so .text from 0x11000 to "
			    "0x18000: 7 waits, 43.8 us, reading 1.8 MiB; libfoo.so .data from "
			    "0x10000 to 0x11000: 1 wait, 6.2 us, reading 256.0 KiB. They read 2.0 "
			    "MiB.");
}

TEST(waiting_for_a_processor_in_faults_is_not_saved)
{
	const struct model_fault_time time = { .own_ns = 6250, .late_ns = 56250 };
	CLEANUP(model_closep) struct model *model = draw_late(8, 62500, &time, 958);

	assert_int_equal(sketch_finding(model, "cold-start")->duration_ns, 500000);
	assert_int_equal(sketch_finding(model, "cold-start")->own_ns, 50000);
	// But for what 8 minor faults take.
	assert_int_equal(sketch_finding(model, "cold-start")->saves.duration_ns, 50000 - 8 * 1000);
}

TEST(a_wait_in_bss_is_for_the_last_page_of_data)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t bss = sketch_section(&sketch, lib, ".bss", 3 << 20);

	for (size_t i = 0; i < 9; i++) {
		struct model_fault *fault = sketch_fault(&sketch, bss, MODEL_LOADER);

		fault->kind = MODEL_MAJOR;
		fault->duration_ns = 1000;
		fault->has_duration = true;
		// The last one was swapped out.
		fault->mechanism = i < 8 ? MODEL_PRIVATE_WRITE : MODEL_MECHANISM_OTHER;
	}
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "cold-start");

	assert_string_equal(
		finding->evidence,
		"9 major faults in 2 sections; most: the zeroed last page of libfoo.so "
		".data: 8 waits, 8.0 us; libfoo.so .bss from 0x18000 to 0x19000: 1 wait, 1.0 us.");
}

TEST(without_times_their_number_decides)
{
	CLEANUP(model_closep) struct model *enough = draw(32, 0, 3200);
	CLEANUP(model_closep) struct model *few = draw(31, 0, 400);

	assert_non_null(sketch_finding(enough, "cold-start"));
	assert_null(sketch_finding(few, "cold-start"));
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep) struct model *few = draw(7, 1000000, 958);
	CLEANUP(model_closep) struct model *fast = draw(8, 6249, 958);

	assert_null(sketch_finding(few, "cold-start"));
	assert_null(sketch_finding(fast, "cold-start"));
}
