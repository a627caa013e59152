// SPDX-License-Identifier: Apache-2.0
// When hardly-used-library speaks.
#include "base/cleanup.h"
#include "model/account.h"
#include "tests/support/sketch.h"
#include "tests/support/test.h"

#include <string.h>

/**
 * A library with @faults: relocation, but for one in its initializer; the program's functions call
 * @used of its functions.
 */
static struct sketch draw(size_t faults, size_t used, size_t total)
{
	struct sketch sketch = sketch_start();
	uint32_t lib = sketch_object(&sketch, "/lib/libfoo.so");
	uint32_t app = sketch_object(&sketch, "/bin/app");
	uint32_t data = sketch_section(&sketch, lib, ".data.rel.ro", 1 << 20);
	uint32_t heap = sketch_section(&sketch, app, ".data", 1 << 20);
	uint32_t start = sketch_function(&sketch, app, "_start", 16);
	uint32_t init = sketch_initializer(&sketch, lib, "setup()");
	uint32_t setup = sketch_function(&sketch, lib, "setup()", 16);
	uint32_t helper = sketch_function(&sketch, lib, "helper()", 16);

	sketch_faults(&sketch, data, MODEL_RELOCATION, faults - 1);
	struct model_fault *fault = sketch_fault(&sketch, data, MODEL_STATIC_INIT);
	fault->initializer = init;
	fault->stack = sketch_stack(&sketch, setup, 0, start);
	// What the initializer calls, and what else happens meanwhile, is no use of the library.
	fault = sketch_fault(&sketch, heap, MODEL_LAZY_BINDING);
	fault->initializer = init;
	fault->stack = sketch_stack(&sketch, helper, 64, start);
	for (size_t i = 0; i < used; i++) {
		uint32_t function = sketch_function(&sketch, lib, "foo()", 16);
		uint32_t stack = sketch_stack(&sketch, function, i << 20, start);

		sketch_fault(&sketch, heap, MODEL_PROGRAM)->stack = stack;
	}
	sketch_fill(&sketch, total);
	return sketch;
}

TEST(it_tells_what_loading_cost_and_that_nothing_ran)
{
	struct sketch sketch = draw(32, 0, 3200);
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_found(model, "hardly-used-library");

	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 32);
	assert_int_equal(finding->pages, 32);
	assert_int_equal(finding->saves.faults, 33); // and what its initializer faults elsewhere
	assert_string_equal(
		finding->evidence,
		"No file needs it by name: it was opened with dlopen() or preloaded. "
		"Loading and relocation cause 31 of its 32 faults, static initializers 1; "
		"apart from these, nothing of it was seen to run.");
	assert_int_equal(finding->cure_count, 1);
	assert_int_equal(finding->cures[0].who, MODEL_FOR_BUILD);
}

/** The library of draw() is needed by its program, which uses so much of it; NULL: unknown. */
static struct model *draw_needed(const struct model_used *used)
{
	static const uint32_t needed[] = { 0 };
	struct sketch sketch = draw(32, 0, 3200);

	sketch.objects.items[1].needed = needed;
	sketch.objects.items[1].needed_count = 1;
	sketch.objects.items[1].used = used;
	return sketch_end(&sketch);
}

TEST(as_needed_drops_it_only_where_nobody_uses_a_symbol)
{
	CLEANUP(model_closep) struct model *unused = draw_needed(&(struct model_used){ 0 });
	CLEANUP(model_closep)
	struct model *used = draw_needed(&(struct model_used){ 3, "foo, bar", .data = 0 });
	const struct model_finding *none = sketch_finding(unused, "hardly-used-library");
	const struct model_finding *some = sketch_finding(used, "hardly-used-library");

	assert_int_equal(none->cure_count, 2);
	assert_int_equal(none->cures[0].who, MODEL_FOR_LINK);
	assert_non_null(strstr(none->cures[0].text, "with -Wl,--as-needed"));
	assert_non_null(strstr(none->evidence, "Needed by app, which uses none of its symbols."));
	assert_int_equal(some->cure_count, 3);
	assert_int_equal(some->cures[0].who, MODEL_FOR_RUN);
	assert_int_equal(some->cures[1].who, MODEL_FOR_BUILD);
	assert_int_equal(some->cures[2].who, MODEL_FOR_PACKAGE);
	assert_non_null(
		strstr(some->evidence, "Needed by app, which uses 3 symbols of it (foo, bar)."));
}

static bool advises(const struct model_finding *finding, const char *what)
{
	assert_non_null(finding);
	for (size_t i = 0; i < finding->cure_count; i++)
		if (strstr(finding->cures[i].text, what))
			return true;
	return false;
}

TEST(neither_dlopen_nor_a_stand_in_is_advised_for_data_or_what_is_unknown)
{
	const struct model_used calls = { 3, "foo, bar", .data = 0 };
	const struct model_used vtable = { 3, "foo, bar", .data = 1, .datum = "vtable for Foo" };
	CLEANUP(model_closep) struct model *of_calls = draw_needed(&calls);
	CLEANUP(model_closep) struct model *of_data = draw_needed(&vtable);
	CLEANUP(model_closep) struct model *of_unknown = draw_needed(NULL);
	const struct model_finding *data = sketch_finding(of_data, "hardly-used-library");

	assert_true(advises(sketch_finding(of_calls, "hardly-used-library"), "dlopen()"));
	assert_true(advises(sketch_finding(of_calls, "hardly-used-library"), "elfault tune -- "));
	const struct model_finding *const others[] = {
		data, sketch_finding(of_unknown, "hardly-used-library")
	};

	array_foreach (other, others, 2) {
		assert_false(advises(*other, "dlopen()"));
		assert_false(advises(*other, "elfault tune"));
	}
	assert_non_null(strstr(data->evidence, "which uses 3 symbols of it (foo, bar), 1 of them "
					       "data, as vtable for Foo."));
}

/** A sample, or a pause, in libfoo.so or in what it called. */
static bool is_found_with(struct model_spot spot, bool is_blame)
{
	struct sketch sketch = draw(32, 0, 3200);
	struct model_account account = { .samples = 1, .spots = &spot, .spot_count = 1 };
	uint32_t function = sketch_function(&sketch, 0, "foo()", 16);

	spot.function = is_blame ? MODEL_NONE : function;
	spot.blame = is_blame ? function : MODEL_NONE;
	sketch.model->account = &account;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	return sketch_finding(model, "hardly-used-library") != NULL;
}

TEST(a_function_that_ran_in_a_fault_a_sample_or_a_pause_is_a_use)
{
	struct sketch fault = draw(32, 1, 3200);
	CLEANUP(model_closep) struct model *in_fault = sketch_end(&fault);
	const struct model_spot sample = { .state = MODEL_STATE_CPU, .initiator = MODEL_PROGRAM };
	const struct model_spot pause = { .state = MODEL_STATE_WAIT, .initiator = MODEL_STARTUP };
	const struct model_spot own = { .state = MODEL_STATE_CPU, .initiator = MODEL_STATIC_INIT };

	assert_null(sketch_finding(in_fault, "hardly-used-library"));
	assert_false(is_found_with(sample, false));
	assert_false(is_found_with(pause, true));
	assert_true(is_found_with(own, false));
}

/** The program needs libfoo.so, that libbar.so, that libbaz.so; @used: the program calls the last.
 */
static struct model *draw_chain(bool used)
{
	static const uint32_t foo[] = { 0 }, bar[] = { 2 }, baz[] = { 3 };
	struct sketch sketch = draw(20, 0, 3100);
	uint32_t libs[] = { sketch_object(&sketch, "/lib/libbar.so"),
			    sketch_object(&sketch, "/lib/libbaz.so") };
	uint32_t start = sketch_function(&sketch, 1, "_start", 16);

	for (size_t i = 0; i < 2; i++) {
		uint32_t data = sketch_section(&sketch, libs[i], ".data.rel.ro", 1 << 20);

		sketch_faults(&sketch, data, MODEL_RELOCATION, 20);
	}
	for (uint32_t i = 0; used && i < 3; i++) {
		uint32_t function = sketch_function(&sketch, libs[1], "baz()", 16);

		sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->stack =
			sketch_stack(&sketch, function, (uint64_t)i << 20, start);
	}
	sketch.objects.items[1].needed = foo;
	sketch.objects.items[1].needed_count = 1;
	sketch.objects.items[0].needed = bar;
	sketch.objects.items[0].needed_count = 1;
	sketch.objects.items[2].needed = baz;
	sketch.objects.items[2].needed_count = 1;
	return sketch_end(&sketch);
}

TEST(what_it_alone_brings_counts_with_it)
{
	CLEANUP(model_closep) struct model *model = draw_chain(false);
	const struct model_finding *finding = sketch_found(model, "hardly-used-library");

	// One finding, though two others are hardly used.
	assert_int_equal(model->finding_count, 1);
	assert_int_equal(finding->object, 0);
	assert_int_equal(finding->faults, 60);
	assert_string_equal(finding->where, "object=/lib/libfoo.so|/lib/libbar.so|/lib/libbaz.so");
	assert_non_null(strstr(finding->evidence,
			       " It alone brings 2 more libraries, unused as well, with 40 "
			       "faults on them, 60 in all."));
}

TEST(several_are_one_finding_and_its_condition_has_all_they_bring)
{
	static const uint32_t needed[] = { 0, 2 }, of_bar[] = { 3 };
	static const struct model_used used[] = { { 1, "foo", .data = 0 },
						  { 2, "bar", .data = 0 } };
	struct sketch sketch = draw(40, 0, 3100);
	uint32_t libs[] = { sketch_object(&sketch, "/lib/libbar.so"),
			    sketch_object(&sketch, "/lib/libbaz.so") };

	for (size_t i = 0; i < 2; i++) {
		uint32_t data = sketch_section(&sketch, libs[i], ".data.rel.ro", 1 << 20);

		sketch_faults(&sketch, data, MODEL_RELOCATION, 20);
	}
	sketch.objects.items[1].needed = needed;
	sketch.objects.items[1].needed_count = 2;
	sketch.objects.items[1].used = used;
	sketch.objects.items[2].needed = of_bar;
	sketch.objects.items[2].needed_count = 1;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);
	const struct model_finding *finding = sketch_finding(model, "hardly-used-library");

	assert_int_equal(model->finding_count, 1);
	assert_int_equal(finding->faults, 80);
	assert_int_equal(finding->file_count, 2);
	assert_string_equal(finding->where, "object=/lib/libfoo.so|/lib/libbar.so|/lib/libbaz.so");
	assert_non_null(
		strstr(finding->evidence, "libbar.so: Needed by app, which uses 2 symbols"));
}

TEST(what_is_used_stays_and_all_it_needs)
{
	CLEANUP(model_closep) struct model *model = draw_chain(true);
	const struct model_finding *finding = sketch_found(model, "hardly-used-library");

	assert_int_equal(finding->faults, 40);
	assert_non_null(strstr(finding->evidence, "brings 1 more library"));
}

TEST(it_is_silent_below_each_threshold)
{
	struct sketch few = draw(31, 0, 100), small = draw(32, 0, 3201), busy = draw(32, 1, 3200);
	CLEANUP(model_closep) struct model *few_faults = sketch_end(&few);
	CLEANUP(model_closep) struct model *small_share = sketch_end(&small);
	CLEANUP(model_closep) struct model *used = sketch_end(&busy);

	assert_null(sketch_finding(few_faults, "hardly-used-library"));
	assert_null(sketch_finding(small_share, "hardly-used-library"));
	assert_null(sketch_finding(used, "hardly-used-library"));
}

TEST(it_is_silent_without_stacks_or_with_faults_left_out)
{
	struct sketch blind = draw(32, 0, 3200), part = draw(32, 0, 3200);

	blind.model->trace.has_stacks = false;
	part.model->is_narrowed = true;
	CLEANUP(model_closep) struct model *no_stacks = sketch_end(&blind);
	CLEANUP(model_closep) struct model *narrowed = sketch_end(&part);

	assert_null(sketch_finding(no_stacks, "hardly-used-library"));
	assert_null(sketch_finding(narrowed, "hardly-used-library"));
}

TEST(a_program_is_no_library)
{
	struct sketch sketch = draw(32, 0, 3199);
	uint32_t start = sketch_function(&sketch, 0, "_start", 16);
	uint32_t stack = sketch_stack(&sketch, start, 0, MODEL_NONE);

	// The outermost frame of a thread lies in it.
	sketch_fault(&sketch, MODEL_NONE, MODEL_PROGRAM)->stack = stack;
	CLEANUP(model_closep) struct model *model = sketch_end(&sketch);

	assert_null(sketch_finding(model, "hardly-used-library"));
}
