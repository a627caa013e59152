// SPDX-License-Identifier: Apache-2.0
// Costs of each initializer: faults, pages, and the pages of code that only it needed.
#include "correlate/answer/phases.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

enum { PAGE = 4096, OBJECT = 3, OTHER = 4 };

/** Input that the replay and initiators_decide() leave. */
static struct {
	struct rows rows;
	struct all_faults faults;
	struct init_runs runs;
} given;
static struct model model;

/** @count initializers and three threads. */
static void prepare(size_t count)
{
	given.rows.model = &model;
	for (size_t i = 0; i < count; i++)
		vec_push(&given.rows.initializers, (struct model_initializer){ .object = OBJECT });
	for (uint32_t i = 0; i < 3; i++)
		vec_push(&given.rows.threads, (struct model_thread){ .pid = i });
}

static int finish(void **state)
{
	rows_deinit(&given.rows);
	all_faults_deinit(&given.faults);
	init_runs_deinit(&given.runs);
	arena_deinit(&model.arena);
	memset(&given, 0, sizeof(given));
	memset(&model, 0, sizeof(model));
	return 0;
}

/** A stack whose frames lie on these pages of OBJECT, innermost first; MODEL_NONE: no object. */
static uint32_t add_stack(const uint32_t *pages, uint32_t count)
{
	struct arena *arena = &given.rows.model->arena;
	struct model_frame *list = arena_array(arena, count, sizeof(*list));
	const struct model_frame **frames = arena_array(arena, count, sizeof(*frames));

	for (uint32_t i = 0; i < count; i++) {
		list[i] = (struct model_frame){
			.addr = 0x10000 + (uint64_t)pages[i] * PAGE,
			.object = pages[i] == MODEL_NONE ? MODEL_NONE : OBJECT,
			.has_vaddr = pages[i] != MODEL_NONE,
			.vaddr = (uint64_t)pages[i] * PAGE + 8 * i,
		};
		frames[i] = &list[i];
	}
	vec_push(&given.rows.stacks, (struct model_stack){ frames, count, false });
	return (uint32_t)given.rows.stacks.count - 1;
}
#define STACK(...)                                   \
	add_stack((const uint32_t[]){ __VA_ARGS__ }, \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void add_run(uint32_t stack, uint32_t frame, uint32_t initializer)
{
	vec_push(&given.runs.list, (struct init_run){ stack, frame, initializer });
}

/** A fault on page @page of OBJECT's file. */
static struct model_fault *add_fault(uint32_t stack, uint32_t initializer, uint64_t page)
{
	struct model_ip *ip = arena_alloc(&given.rows.model->arena, sizeof(*ip));
	const struct model_fault fault = {
		.time_ns = 100 * (given.faults.list.count + 1),
		.initiator = MODEL_STATIC_INIT,
		.stack = stack,
		.initializer = initializer,
		.at.object = OBJECT,
		.at.has_vaddr = true,
		.at.vaddr = page * PAGE + 5,
		.by = ip,
	};

	*ip = (struct model_ip){ .object = MODEL_NONE };
	vec_push(&given.faults.list, fault);
	return &given.faults.list.items[given.faults.list.count - 1];
}

const struct tests_around tests_around = { .after_each = finish };

TEST(faults_are_counted_with_what_they_are)
{
	prepare(3);
	uint32_t stack = STACK(1, 2);
	add_run(stack, 0, 1);
	struct model_fault *fault = add_fault(stack, 1, 50);
	fault->kind = MODEL_MAJOR;
	fault->has_duration = true;
	fault->duration_ns = 70;
	add_fault(stack, 1, 50)->initiator = MODEL_LAZY_BINDING;
	add_fault(MODEL_NONE, MODEL_NONE, 51);
	add_fault(MODEL_NONE, MODEL_NONE, 51)->initiator = MODEL_PROGRAM;
	fault = add_fault(stack, 1, 52);
	fault->duration_ns = 7; // not known: has_duration is false

	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	const struct model_initializer *row = &given.rows.initializers.items[1];
	assert_int_equal(row->count.faults, 3);
	assert_int_equal(row->count.major, 1);
	assert_int_equal(row->count.duration_ns, 70);
	assert_int_equal(row->lazy_binding, 1);
	assert_int_equal(row->pages, 2);
	assert_int_equal(row->first_ns, 100);
	assert_int_equal(row->last_ns, 500);
	assert_int_equal(model.untold.faults, 1); // static-init, but nobody's
	for (size_t i = 0; i < 3; i += 2)
		assert_memory_equal(&given.rows.initializers.items[i],
				    &((struct model_initializer){ .object = OBJECT }),
				    sizeof(struct model_initializer));
}

TEST(pages_are_told_apart_by_what_they_are_of)
{
	prepare(2);
	uint32_t stack = STACK(1);
	add_run(stack, 0, 0);
	add_fault(stack, 0, 7);
	add_fault(stack, 0, 7)->at.vaddr += PAGE - 6; // its last byte
	add_fault(stack, 0, 7)->thread = 2;	      // a file's page is the same in any process
	add_fault(stack, 0, 7)->at.object = OTHER;
	for (int i = 0; i < 4; i++) { // anonymous: each process's own, wherever it is mapped
		struct model_fault *fault = add_fault(stack, 0, 0);

		fault->at.has_vaddr = false;
		fault->addr = 7 * PAGE;
		fault->thread = (uint32_t)i / 2;
	}
	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	assert_int_equal(given.rows.initializers.items[0].count.faults, 8);
	assert_int_equal(given.rows.initializers.items[0].pages, 4);
}

TEST(only_frames_inside_an_initializer_are_its_code)
{
	prepare(2);
	uint32_t first = STACK(10, 11, 10, 90, 91); // [0, 2] are inside
	uint32_t second = STACK(11, 12, 90, 91);    // [0, 1] are
	add_run(first, 2, 0);
	add_run(second, 1, 1);
	add_fault(first, 0, 50);
	add_fault(second, 1, 50);
	add_fault(second, 1, 51);
	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	// Page 11 ran in both.
	assert_int_equal(given.rows.initializers.items[0].code_pages, 2);
	assert_int_equal(given.rows.initializers.items[0].code_pages_only, 1);
	assert_int_equal(given.rows.initializers.items[1].code_pages, 2);
	assert_int_equal(given.rows.initializers.items[1].code_pages_only, 1);
}

TEST(code_that_ran_outside_is_not_of_one_only)
{
	prepare(1);
	uint32_t inside = STACK(10, 11, 12, 90);
	uint32_t outside = STACK(MODEL_NONE, 11, 90);
	add_run(inside, 2, 0);
	add_fault(inside, 0, 50);
	add_fault(outside, MODEL_NONE, 50);
	struct model_fault *fault = add_fault(MODEL_NONE, MODEL_NONE, 50);
	fault->has_ip = true; // on page 12, without a stack
	*(struct model_ip *)fault->by =
		(struct model_ip){ .has_vaddr = true, .object = OBJECT, .vaddr = 12 * PAGE };
	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	assert_int_equal(given.rows.initializers.items[0].code_pages, 3);
	assert_int_equal(given.rows.initializers.items[0].code_pages_only, 1);
}

TEST(an_ip_that_its_stack_lacks_counts_too)
{
	prepare(1);
	uint32_t stack = STACK(10);
	add_run(stack, 0, 0);
	struct model_fault *fault = add_fault(stack, 0, 50);
	fault->has_ip = true;
	*(struct model_ip *)fault->by = (struct model_ip){
		.ip = 0x777000, .has_vaddr = true, .object = OTHER, .vaddr = 10 * PAGE
	};
	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	assert_int_equal(given.rows.initializers.items[0].code_pages, 2);
	assert_int_equal(given.rows.initializers.items[0].code_pages_only, 2);
}

TEST(an_initializer_that_runs_another_has_its_own_frames)
{
	prepare(2);
	// Initializer 1 runs within 0, by dlopen; the third run is of one that is not known.
	uint32_t stack = STACK(10, 11, 12, 13, 14, 15);
	add_run(stack, 1, 1);
	add_run(stack, 3, 0);
	add_run(stack, 4, MODEL_NONE);
	add_fault(stack, 1, 50);
	initcounts_fill(&given.rows, &given.faults, &given.runs, PAGE);
	assert_int_equal(given.rows.initializers.items[0].count.faults, 0);
	assert_int_equal(given.rows.initializers.items[0].code_pages, 2);
	assert_int_equal(given.rows.initializers.items[0].code_pages_only, 2);
	assert_int_equal(given.rows.initializers.items[1].count.faults, 1);
	assert_int_equal(given.rows.initializers.items[1].code_pages, 2);
	assert_int_equal(given.rows.initializers.items[1].code_pages_only, 2);
}
