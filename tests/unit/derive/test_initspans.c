// SPDX-License-Identifier: Apache-2.0
// When the initializers of each file ran: a span for each run in each process.
#include "base/cleanup.h"
#include "derive/initspans.h"
#include "tests/support/pictures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

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

static void expect(const struct told *story, size_t count, const struct initspan *spans,
		   size_t span_count)
{
	CLEANUP(model_closep) struct model *model = tell(story, count);
	struct initspans found;

	initspans_init(&found, model);
	assert_int_equal(found.list.count, span_count);
	for (size_t i = 0; i < span_count; i++) {
		const struct initspan *span = &found.list.items[i];

		assert_int_equal(span->object, spans[i].object);
		assert_int_equal(span->pid, spans[i].pid);
		assert_int_equal(span->first_ns, spans[i].first_ns);
		assert_int_equal(span->end_ns, spans[i].end_ns);
	}
	initspans_deinit(&found);
}

#define EXPECT(story, ...)                                               \
	do {                                                             \
		static const struct initspan spans_[] = { __VA_ARGS__ }; \
		expect(story, sizeof(story) / sizeof(*(story)), spans_,  \
		       sizeof(spans_) / sizeof(*spans_));                \
	} while (0)

static void each_process_has_a_span_of_its_own(void **state)
{
	static const struct told story[] = { { 'a', 1, 10, 5 },
					     { 'b', 1, 20, 7 },
					     { 'P', 1, 30, 0 },
					     { 'a', 2, 3000000000, 0 },
					     { 'b', 2, 3000000005, 1 } };

	(void)state;
	EXPECT(story, { 0, 1, 10, 27 }, { 0, 2, 3000000000, 3000000006 });
}

static void initializers_that_run_again_make_a_second_span(void **state)
{
	// Closed and opened again, in main.
	static const struct told story[] = { { 'a', 1, 10, 0 }, { 'b', 1, 20, 0 },
					     { 'P', 1, 30, 0 }, { 'P', 1, 40, 0 },
					     { 'a', 1, 50, 2 }, { 'b', 1, 60, 2 } };

	(void)state;
	EXPECT(story, { 0, 1, 10, 20 }, { 0, 1, 50, 62 });
}

static void nothing_else_cuts_a_run(void **state)
{
	// An initializer of another file within one, another process, a fault of unknown cause.
	static const struct told story[] = { { 'a', 1, 10, 0 }, { 'c', 1, 20, 0 },
					     { 'P', 2, 25, 0 }, { '?', 1, 30, 0 },
					     { 'a', 1, 40, 0 }, { 'P', 1, 50, 0 } };

	(void)state;
	EXPECT(story, { 0, 1, 10, 40 }, { 1, 1, 20, 20 });
}

static void a_long_wait_ends_when_it_is_over(void **state)
{
	static const struct told story[] = { { 'a', 1, 10, 500 }, { 'b', 1, 511, 0 } };

	(void)state;
	EXPECT(story, { 0, 1, 10, 511 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_has_a_span_of_its_own),
		cmocka_unit_test(initializers_that_run_again_make_a_second_span),
		cmocka_unit_test(nothing_else_cuts_a_run),
		cmocka_unit_test(a_long_wait_ends_when_it_is_over),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
