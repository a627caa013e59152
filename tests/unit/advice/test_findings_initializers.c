// SPDX-License-Identifier: Apache-2.0
// When costly-initializers speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

/** Two initializers of a library with @first and @second faults, two of them on one page. */
static struct model *draw(size_t first, size_t second, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/opt/app/libfoo.so");
	uint32_t data = sketch_section(&sketch, lib, ".data", 1 << 20);

	sketch_initializer(&sketch, lib, "quiet()");
	uint32_t loud = sketch_initializer(&sketch, lib, "loud()");
	uint32_t nameless = sketch_initializer(&sketch, lib, NULL);

	sketch.initializers.items[loud].source = "loud.cc";
	for (size_t i = 0; i < first; i++)
		sketch_fault(&sketch, data, MODEL_STATIC_INIT)->initializer = loud;
	for (size_t i = 0; i < second; i++)
		sketch_fault(&sketch, data, MODEL_LAZY_BINDING)->initializer = nameless;
	sketch.faults.items[1].at.vaddr = sketch.faults.items[0].at.vaddr;
	sketch.faults.items[0].kind = MODEL_MAJOR;
	sketch_fill(&sketch, total);
	return sketch_end(&sketch);
}

TEST(it_names_those_that_fault_most)
{
	CLEANUP(model_closep) struct model *model = draw(30, 2, 3200);
	const struct model_finding *finding = sketch_found(model, "costly-initializers");

	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 31);
	assert_int_equal(finding->saves.faults, 32);
	assert_string_equal(finding->evidence, "2 of 3 initializers faulted, 1 fault with I/O; "
					       "most: loud() of loud.cc 30, .init_array[2] 2.");
	// They read data, which no order of functions changes.
	assert_int_equal(finding->cure_count, 1);
	assert_int_equal(finding->cures[0].who, MODEL_FOR_BUILD);
}

TEST(what_they_compute_counts_with_its_error)
{
	const struct model_account account = {
		.samples = 98,
		.all.ns = { [MODEL_STATE_CPU] = 100000000, [MODEL_STATE_FAULT] = 32000 },
	};
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/opt/app/libfoo.so");
	uint32_t text = sketch_section(&sketch, lib, ".text", 1 << 20);
	uint32_t init = sketch_initializer(&sketch, lib, "setup()");

	sketch.model->account = &account;
	sketch.initializers.items[init].cpu_ns = 20000000;
	for (size_t i = 0; i < 32; i++) {
		struct model_fault *fault = sketch_fault(&sketch, text, MODEL_STATIC_INIT);

		fault->initializer = init;
		fault->access = i < 16 ? MODEL_ACCESS_EXEC : MODEL_ACCESS_READ;
		fault->duration_ns = 1000;
		fault->has_duration = true;
	}
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "costly-initializers");

	assert_int_equal(finding->cpu_ns, 20000000);
	// (0.2 * 98 + 1) / 100 = 0.206; 1.96 * sqrt(0.206 * 0.794 / 100) of 100 ms.
	assert_in_range(finding->cpu_error_ns, 7925000, 7930000);
	assert_int_equal(finding->saves.duration_ns, 20032000);
	// Half of the faults fetch code: order it first.
	assert_int_equal(finding->cure_count, 2);
	assert_int_equal(finding->cures[0].who, MODEL_FOR_LINK);
	assert_string_equal(
		finding->evidence,
		"1 of 1 initializer faulted; most: setup() 32. 16 of these faults fetched "
		"code.");
}

TEST(go_packages_have_a_cure_of_their_own)
{
	for (size_t others = 0; others <= 2; others += 2) {
		struct sketch sketch = sketch_start();
		uint32_t program = sketch_object(&sketch, "/opt/app/gopher");
		uint32_t text = sketch_section(&sketch, program, ".text", 1 << 20);
		uint32_t package = sketch_initializer(&sketch, program, "regexp.init");
		uint32_t of_c = sketch_initializer(&sketch, program, "setup");

		sketch.initializers.items[package].package = "regexp";
		for (size_t i = 0; i < 40 + others; i++) {
			struct model_fault *fault = sketch_fault(&sketch, text, MODEL_STATIC_INIT);

			fault->initializer = i < 40 ? package : of_c;
			fault->access = MODEL_ACCESS_EXEC;
		}
		CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
		const struct model_finding *finding = sketch_finding(model, "costly-initializers");

		assert_int_equal(finding->cure_count, others ? 2 : 1);
		assert_non_null(strstr(finding->cures[finding->cure_count - 1].text, "sync."));
	}
}

TEST(faults_that_are_not_shown_do_not_count)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/opt/app/libfoo.so");
	uint32_t init = sketch_initializer(&sketch, lib, "loud()");

	// The model counts the faults inside it in all files; here none of them is shown.
	sketch.initializers.items[init].count =
		(struct model_count){ 1000, 10, 5000, .own_ns = 5000 };
	sketch.model->is_narrowed = true;
	sketch_fill(&sketch, 100);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "costly-initializers"));
}

TEST(it_is_silent_below_either_threshold)
{
	CLEANUP(model_closep) struct model *few_faults = draw(30, 1, 100);
	CLEANUP(model_closep) struct model *small_share = draw(30, 2, 3201);

	assert_null(sketch_finding(few_faults, "costly-initializers"));
	assert_null(sketch_finding(small_share, "costly-initializers"));
}
