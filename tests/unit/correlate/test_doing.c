// SPDX-License-Identifier: Apache-2.0
// Activities of a thread when it read from storage.
#include "correlate/storage/parts.h"
#include "tests/support/test.h"

enum { READ = 0, OPENAT = 257, START_NS = 1000 };

/** Thread 10 faults at 100 for 50, and waits in read() at 200, 300 and 400; 11 at 210. */
struct scene {
	struct model_thread thread;
	struct trace trace;
	struct all_faults faults;
	struct all_moments moments;
	struct doing doing;
};

static void add_pause(struct scene *scene, uint32_t tid, uint64_t time_ns,
		      enum model_initiator initiator, uint32_t initializer)
{
	vec_push(&scene->moments.sources,
		 (struct moment_source){ .index = scene->trace.pauses.count, .is_pause = true });
	vec_push(&scene->moments.list, (struct model_fault){ .initiator = (uint8_t)initiator,
							     .initializer = initializer });
	vec_push(&scene->trace.pauses, (struct trace_pause){ .time_ns = START_NS + time_ns,
							     .back_ns = START_NS + time_ns + 5,
							     .pid = 10,
							     .tid = tid,
							     .call = READ,
							     .flags = TRACE_PAUSE_HAS_CALL });
}

static int set_up(void **state)
{
	struct scene *scene = xcalloc(1, sizeof(*scene));

	scene->trace.meta.start_ns = START_NS;
	scene->thread = (struct model_thread){ .pid = 10, .tid = 10 };
	vec_push(&scene->faults.list, (struct model_fault){ .time_ns = 100,
							    .duration_ns = 50,
							    .kind = MODEL_MAJOR,
							    .initiator = MODEL_RELOCATION });
	// It has read nothing.
	vec_push(&scene->faults.list, (struct model_fault){ .time_ns = 160, .duration_ns = 50 });
	add_pause(scene, 10, 200, MODEL_STATIC_INIT, 1);
	add_pause(scene, 11, 210, MODEL_LOADER, MODEL_NONE);
	add_pause(scene, 10, 300, MODEL_STATIC_INIT, 1);
	add_pause(scene, 10, 400, MODEL_STATIC_INIT, 2);
	add_pause(scene, 10, 500, MODEL_PROGRAM, MODEL_NONE);
	vec_push(&scene->trace.tasks,
		 (struct trace_task){
			 .kind = TRACE_TASK_COMM, .pid = 10, .tid = 12, .comm = "iou-wrk-10" });
	doing_init(&scene->doing, &scene->thread, &scene->trace, &scene->faults, &scene->moments);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	CLEANUP(freep) struct scene *scene = *state;

	doing_deinit(&scene->doing);
	vec_deinit(&scene->faults.list);
	vec_deinit(&scene->moments.list);
	vec_deinit(&scene->moments.sources);
	vec_deinit(&scene->trace.pauses);
	vec_deinit(&scene->trace.tasks);
	return 0;
}

static const struct model_fault *at(const struct scene *scene, uint32_t tid, uint64_t time_ns,
				    uint32_t call, uint32_t flags)
{
	const struct trace_read read = {
		.time_ns = START_NS + time_ns, .tid = tid, .call = call, .flags = flags
	};

	return doing_at(&scene->doing, &read);
}

const struct tests_around tests_around = { .before_each = set_up, .after_each = tear_down };

TEST(a_read_in_a_fault_is_the_faults)
{
	const struct scene *scene = *state;
	const struct model_fault *fault = &scene->faults.list.items[0];

	assert_ptr_equal(at(scene, 10, 100, UINT32_MAX, TRACE_READ_FAULT), fault);
	assert_ptr_equal(at(scene, 10, 150, UINT32_MAX, TRACE_READ_FAULT), fault);
	assert_null(at(scene, 10, 99, UINT32_MAX, TRACE_READ_FAULT));
	assert_null(at(scene, 10, 151, UINT32_MAX, TRACE_READ_FAULT));
	assert_null(at(scene, 10, 170, UINT32_MAX, TRACE_READ_FAULT));
	assert_null(at(scene, 11, 120, UINT32_MAX, TRACE_READ_FAULT));
}

TEST(a_read_in_a_call_is_why_the_thread_then_waits_in_it)
{
	const struct scene *scene = *state;
	const struct model_fault *pauses = scene->moments.list.items;

	assert_ptr_equal(at(scene, 10, 190, READ, TRACE_READ_CALL), &pauses[0]);
	assert_ptr_equal(at(scene, 10, 205, READ, TRACE_READ_CALL), &pauses[2]);
	assert_ptr_equal(at(scene, 11, 205, READ, TRACE_READ_CALL), &pauses[1]);
	assert_null(at(scene, 10, 190, OPENAT, TRACE_READ_CALL));
	assert_null(at(scene, 10, 501, READ, TRACE_READ_CALL));
	assert_null(at(scene, 10, 190, READ, TRACE_READ_EXEC));
}

TEST(what_is_read_ahead_is_that_of_the_waits_around_it_if_they_agree)
{
	const struct scene *scene = *state;
	const struct model_fault *pauses = scene->moments.list.items;
	const uint32_t flags = TRACE_READ_CALL | TRACE_READ_ASYNC;

	assert_ptr_equal(at(scene, 10, 250, READ, flags), &pauses[0]);
	assert_null(at(scene, 10, 350, READ, flags)); // of two initializers
	assert_null(at(scene, 10, 450, READ, flags));
	assert_ptr_equal(at(scene, 10, 190, READ, flags), &pauses[0]);
	assert_ptr_equal(at(scene, 10, 550, READ, flags), &pauses[4]);
	assert_null(at(scene, 10, 250, OPENAT, flags));
}

TEST(io_uring_s_workers_read_for_the_program_once_main_has_run)
{
	const struct doing *doing = &((struct scene *)*state)->doing;
	struct trace_read read = { .time_ns = START_NS + 499, .pid = 10, .tid = 12 };

	assert_false(doing_by_worker(doing, &read));
	read.time_ns = START_NS + 500;
	assert_true(doing_by_worker(doing, &read));
	read.tid = 11;
	assert_false(doing_by_worker(doing, &read));
	read = (struct trace_read){ .time_ns = START_NS + 600, .pid = 20, .tid = 12 };
	assert_false(doing_by_worker(doing, &read));
}
