// SPDX-License-Identifier: Apache-2.0
// Cuts of the axis: stretches in which every thread waits for something else than storage. Times of
// the traces begin at 1000.
#include "tests/support/answers.h"

#include "derive/cuts.h"
#include "derive/lifetime.h"

#define START                                                          \
	"elfault-trace-text 1\n"                                       \
	"meta root_pid=10 start=1000 pauses=yes backend=bpf arg=cmd\n" \
	"exec time=2000 pid=10 comm=cmd\n"
#define FUTEX "call=202 "
#define POLL  "call=7 "
#define CHILD "call=61 "

struct expected {
	uint64_t start, end;
	const char *label;
};

static void expect(const char *text, const struct expected *expected, size_t count)
{
	answer_text(text, &(struct correlate_options){ .needs = NEED_MOMENTS });
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct cuts cuts = cuts_find(&arena, model, lifetime_axis(model));

	assert_int_equal(cuts.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(cuts.items[i].time.start, expected[i].start);
		assert_int_equal(cuts.items[i].time.end, expected[i].end);
		assert_string_equal(cuts.items[i].label, expected[i].label);
	}
}

#define EXPECT(text, ...)                                                        \
	do {                                                                     \
		const struct expected expected_[] = { __VA_ARGS__ };             \
		expect(text, expected_, sizeof(expected_) / sizeof(*expected_)); \
	} while (0)
#define EXPECT_NONE(text) expect(text, NULL, 0)

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(a_wait_is_cut_with_what_it_was_for)
{
	EXPECT(START "pause time=3000 woken=8000 back=8100 " POLL "\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 2000, 7100, "poll" });
}

TEST(waiting_for_storage_is_not_cut)
{
	EXPECT_NONE(START "pause time=3000 woken=8000 back=8000 call=0 for=storage\n"
			  "pause time=9000 ends=thread\n"
			  "summary end=9999\n");
	EXPECT_NONE(START "fault time=3000 addr=0x1000 duration=5000 kind=major\n"
			  "pause time=3000 woken=8000 back=8000 in=fault for=storage\n"
			  "pause time=9000 ends=thread\n"
			  "summary end=9999\n");
}

TEST(waiting_for_a_processor_after_storage_is_cut)
{
	EXPECT(START "fault time=3000 addr=0x1000 duration=5000 kind=major\n"
		     "pause time=3000 woken=4000 back=8000 in=fault for=storage\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 3000, 7000, "late" });
}

TEST(another_thread_that_runs_leaves_less_to_cut)
{
	EXPECT(START "fork time=2500 pid=10 tid=11 parent_pid=10 parent_tid=10\n"
		     "pause pid=10 tid=10 time=3000 woken=8000 back=8100 " POLL "\n"
		     "pause pid=10 tid=11 time=3500 woken=5000 back=5000 " FUTEX "\n"
		     "pause pid=10 tid=11 time=6000 ends=thread\n"
		     "pause pid=10 tid=10 time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 2500, 4000, "poll" }, { 5000, 7100, "poll" });
}

TEST(a_child_that_was_not_recorded_is_outside)
{
	EXPECT(START "pause time=3000 woken=8000 back=8000 " CHILD "\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 2000, 7000, "child outside" });
}

TEST(the_child_says_what_both_wait_for)
{
	EXPECT(START "fork time=2500 pid=11 tid=11 parent_pid=10 parent_tid=10\n"
		     "pause pid=10 tid=10 time=3000 woken=8000 back=8000 " CHILD "\n"
		     "pause pid=11 tid=11 time=3000 woken=7900 back=7900 " FUTEX "\n"
		     "pause pid=11 tid=11 time=8000 ends=thread\n"
		     "pause pid=10 tid=10 time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 2000, 6900, "lock" });
}

TEST(what_is_short_beside_the_rest_stays)
{
	// 600 of 7,000 ns; with 800 it is more than a tenth.
	EXPECT_NONE(START "pause time=3000 woken=3600 back=3600 " POLL "\n"
			  "pause time=9000 ends=thread\n"
			  "summary end=9999\n");
	EXPECT(START "pause time=3000 woken=3800 back=3800 " POLL "\n"
		     "pause time=9000 ends=thread\n"
		     "summary end=9999\n",
	       { 2000, 2800, "poll" });
}
