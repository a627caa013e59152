// SPDX-License-Identifier: Apache-2.0
// When each initializer ran: a span for each run in each thread.
#include "base/cleanup.h"
#include "derive/initspans.h"
#include "model/moments.h"
#include "tests/support/pictures.h"
#include "tests/support/test.h"

/** One fault: 'a' and 'b' in initializers of file 0, 'c' in one of file 1; P in main, ? unknown. */
struct told {
	char letter;
	uint32_t tid; // also the pid
	uint64_t time_ns, duration_ns;
};

static struct model *tell(const struct told *story, size_t count)
{
	static const struct model_initializer initializers[] = { { .object = 0 },
								 { .object = 0 },
								 { .object = 1 } };
	struct model *model = pictures_model(count);
	uint32_t threads[10] = { 0 }; // by tid

	for (size_t i = 0; i < count; i++) {
		bool is_in = story[i].letter >= 'a';
		struct model_fault fault =
			pictures_at(story[i].time_ns, 0,
				    is_in		     ? MODEL_STATIC_INIT
				    : story[i].letter == '?' ? MODEL_INITIATOR_UNKNOWN
							     : MODEL_PROGRAM);

		if (!threads[story[i].tid])
			threads[story[i].tid] = pictures_exec(model, story[i].tid);
		fault.thread = threads[story[i].tid];
		fault.has_duration = story[i].duration_ns > 0;
		fault.duration_ns = story[i].duration_ns;
		fault.initializer = is_in ? (uint32_t)(story[i].letter - 'a') : MODEL_NONE;
		pictures_add(model, fault);
	}
	model->initializers = initializers;
	model->initializer_count = 3;
	return model;
}

static void check(const struct model *model, const struct initspan *spans, size_t span_count)
{
	CLEANUP(initspans_deinit) struct initspans found;

	initspans_init(&found, model);
	assert_int_equal(found.list.count, span_count);
	for (size_t i = 0; i < span_count; i++) {
		const struct initspan *span = &found.list.items[i];

		assert_int_equal(span->initializer, spans[i].initializer);
		assert_int_equal(span->tid, spans[i].tid);
		assert_int_equal(span->depth, spans[i].depth);
		assert_int_equal(span->read_bytes, spans[i].read_bytes);
		assert_int_equal(span->first_ns, spans[i].first_ns);
		assert_int_equal(span->end_ns, spans[i].end_ns);
	}
}

static void expect(const struct told *story, size_t count, const struct initspan *spans,
		   size_t span_count)
{
	CLEANUP(model_closep) struct model *model = tell(story, count);

	check(model, spans, span_count);
}

#define EXPECT(story, ...)                                               \
	do {                                                             \
		static const struct initspan spans_[] = { __VA_ARGS__ }; \
		expect(story, sizeof(story) / sizeof(*(story)), spans_,  \
		       sizeof(spans_) / sizeof(*spans_));                \
	} while (0)

/** Of an initializer, by a thread, from, to. */
#define RUN(initializer_, tid_, first_, end_)                                       \
	{                                                                           \
		.initializer = (initializer_), .tid = (tid_), .first_ns = (first_), \
		.end_ns = (end_)                                                    \
	}

TEST(each_initializer_has_a_span_in_each_thread)
{
	static const struct told story[] = { { 'a', 1, 10, 5 },
					     { 'b', 1, 20, 7 },
					     { 'P', 1, 30, 0 },
					     { 'a', 2, 3000000000, 0 },
					     { 'b', 2, 3000000005, 1 } };

	EXPECT(story, RUN(0, 1, 10, 15), RUN(1, 1, 20, 27), RUN(0, 2, 3000000000, 3000000000),
	       RUN(1, 2, 3000000005, 3000000006));
}

TEST(an_initializer_that_runs_again_makes_a_second_span)
{
	// Closed and opened again, in main.
	static const struct told story[] = { { 'a', 1, 10, 0 }, { 'a', 1, 20, 0 },
					     { 'P', 1, 30, 0 }, { 'P', 1, 40, 0 },
					     { 'a', 1, 50, 2 }, { 'a', 1, 60, 2 } };

	EXPECT(story, RUN(0, 1, 10, 20), RUN(0, 1, 50, 62));
}

TEST(nothing_else_cuts_a_run)
{
	// An initializer of another file within one, another process, a fault of unknown cause.
	static const struct told story[] = { { 'a', 1, 10, 0 }, { 'c', 1, 20, 0 },
					     { 'P', 2, 25, 0 }, { '?', 1, 30, 0 },
					     { 'a', 1, 40, 0 }, { 'P', 1, 50, 0 } };

	EXPECT(story, RUN(0, 1, 10, 40),
	       { .initializer = 2, .tid = 1, .depth = 1, .first_ns = 20, .end_ns = 20 });
}

TEST(depths_count_what_goes_on_around)
{
	// One within one within one, then another on the second level; none within that of before.
	static const struct told story[] = { { 'a', 1, 10, 0 }, { 'b', 1, 20, 0 },
					     { 'c', 1, 30, 2 }, { 'b', 1, 40, 5 },
					     { 'a', 1, 60, 0 }, { 'c', 2, 70, 0 } };

	EXPECT(story, RUN(0, 1, 10, 60),
	       { .initializer = 1, .tid = 1, .depth = 1, .first_ns = 20, .end_ns = 45 },
	       { .initializer = 2, .tid = 1, .depth = 2, .first_ns = 30, .end_ns = 32 },
	       RUN(2, 2, 70, 70));
}

TEST(a_long_wait_ends_when_it_is_over)
{
	static const struct told story[] = { { 'a', 1, 10, 500 }, { 'a', 1, 511, 0 } };

	EXPECT(story, RUN(0, 1, 10, 511));
}

/** Samples and pauses beside the faults of @story. */
static void expect_with_moments(const struct told *story, size_t count,
				const struct model_moments *moments, const struct initspan *spans,
				size_t span_count)
{
	CLEANUP(model_closep) struct model *model = tell(story, count);

	model->moments = moments;
	check(model, spans, span_count);
}

TEST(samples_and_pauses_tell_as_well)
{
	// Threads of the model: one of the picture, then that of tid 1.
	static const struct model_moment moments[] = {
		{ .time_ns = 5,
		  .ns = 3,
		  .back_ns = 5,
		  .thread = 1,
		  .initializer = 0,
		  .initiator = MODEL_STATIC_INIT,
		  .is_sample = true },
		{ .time_ns = 12,
		  .ns = 8,
		  .back_ns = 22,
		  .thread = 1,
		  .initializer = 0,
		  .initiator = MODEL_STATIC_INIT,
		  .state = MODEL_STATE_FILE_IO },
		{ .time_ns = 24,
		  .back_ns = 24,
		  .thread = MODEL_NONE,
		  .initializer = MODEL_NONE,
		  .initiator = MODEL_PROGRAM },
		{ .time_ns = 30,
		  .back_ns = 30,
		  .thread = 1,
		  .initializer = MODEL_NONE,
		  .initiator = MODEL_PROGRAM,
		  .is_sample = true },
	};
	static const struct model_moments all = { .items = moments, .count = 4 };
	static const struct told story[] = { { 'a', 1, 10, 0 },
					     { 'a', 1, 25, 1 },
					     { 'a', 1, 40, 0 } };
	static const struct initspan spans[] = { RUN(0, 1, 5, 26), RUN(0, 1, 40, 40) };

	expect_with_moments(story, 3, &all, spans, 2);
}
