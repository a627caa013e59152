// SPDX-License-Identifier: Apache-2.0
// Functions that computed and waited: traces whose samples and pauses are written by hand. The
// files do not exist, so that each has one function.
#include "derive/hot.h"
#include "model/filter.h"
#include "tests/support/answers.h"

#define START                                                                                     \
	"elfault-trace-text 1\n"                                                                  \
	"meta root_pid=10 start=1000 pauses=yes samples=yes stacks=yes backend=bpf arg=cmd\n"     \
	"exec time=2000 pid=10 comm=cmd\n"                                                        \
	"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r-xp path=\"/no/libc.so.6\"\n" \
	"map pid=10 tid=10 time=2000 addr=0x20000 size=0x1000 prot=r-xp "                         \
	"path=\"/no/ld-linux.so.2\"\n"                                                            \
	"map pid=10 tid=10 time=2000 addr=0x30000 size=0x1000 prot=r-xp path=\"/no/lib.so\"\n"    \
	"map pid=10 tid=10 time=2000 addr=0x40000 size=0x1000 prot=r-xp path=\"/no/prog\"\n"      \
	"stack id=1 frames=0x10100,0x30100,0x40100\n"                                             \
	"stack id=2 frames=0x20100,0x20200\n"                                                     \
	"stack id=3 frames=0x10200,0x40200\n"

// The first thread computes for 5000: 8000 from exec to exit, less a fault of 400 and 2600 off.
#define FIRST                                                                      \
	"sample time=2100 pid=10 period=100 mode=kernel\n"                         \
	"fault time=2200 pid=10 addr=0x30000 ip=0x40300 duration=400\n"            \
	"sample time=2300 pid=10 period=100 ip=0x40300 mode=kernel in=fault\n"     \
	"sample time=2700 pid=10 period=100 ip=0x10100 stack=1 mode=kernel\n"      \
	"sample time=2800 pid=10 period=100 ip=0x10180 mode=kernel\n"              \
	"sample time=2900 pid=10 period=100 ip=0x20100 stack=2\n"                  \
	"sample time=3000 pid=10 period=100 ip=0x40100\n"                          \
	"pause time=4000 pid=10 woken=5000 back=5000 call=61 stack=3\n"            \
	"pause time=5500 pid=10 woken=6200 back=6250 call=0 for=storage stack=1\n" \
	"pause time=7000 pid=10 woken=7500 back=7500 call=0 for=storage stack=3\n" \
	"pause time=7600 pid=10 woken=7950 back=7950 call=202\n"                   \
	"pause time=10000 pid=10 ends=thread\n"

static struct model *model;
static struct hot hot;

static int end(void **state)
{
	hot_deinit(&hot);
	model_close(model);
	model = NULL;
	return 0;
}

static void ask(const char *text, struct hot_question question)
{
	if (!model)
		model = correlate_text(text, NULL);
	hot_deinit(&hot);
	hot_init(&hot, model, &question);
}

static const char *path_of(uint32_t function)
{
	return function == MODEL_NONE ? "-"
				      : model->objects[model->functions[function].object].path;
}

/** The row of code of @function, called by @blame; all of the run's where it is there once. */
static const struct hot_row *row_of(const char *function, const char *blame)
{
	const struct hot_row *found = NULL;

	vec_foreach (row, &hot.list) {
		if (strcmp(path_of(row->function), function) != 0 ||
		    strcmp(path_of(row->blame), blame) != 0)
			continue;
		assert_null(found);
		found = row;
	}
	if (!found)
		fail_msg("no row of %s for %s", function, blame);
	return found;
}

const struct tests_around tests_around = { .after_each = end };

TEST(samples_of_a_function_stand_for_its_time)
{
	ask(START FIRST "summary end=10000\n", (struct hot_question){ .by = HOT_BY_FUNCTION });
	const struct hot_row *libc = row_of("/no/libc.so.6", "/no/lib.so");

	// The sample in a fault is none of the processor's time outside.
	assert_int_equal(model->account->main.ns[MODEL_STATE_CPU], 5000);
	assert_int_equal(hot.ns, 5000);
	assert_int_equal(hot.moments, 5);
	assert_int_equal(hot.list.count, 4);
	assert_int_equal(libc->ns, 2000);
	assert_int_equal(libc->main_ns, 2000);
	assert_int_equal(libc->kernel_ns, 2000);
	assert_int_equal(libc->moments, 2);
	assert_int_equal(row_of("/no/prog", "/no/prog")->ns, 1000);
	assert_int_equal(row_of("/no/prog", "/no/prog")->kernel_ns, 0);
	assert_int_equal(row_of("/no/ld-linux.so.2", "-")->ns, 1000);
	// The kernel alone, in exec.
	assert_int_equal(row_of("-", "-")->initiator, MODEL_EXEC);
	assert_int_equal(row_of("-", "-")->ns, 1000);
}

TEST(whoever_called_libc_is_to_blame)
{
	ask(START FIRST "summary end=10000\n", (struct hot_question){ .by = HOT_BY_BLAME });
	assert_int_equal(hot.ns, 5000);
	assert_int_equal(row_of("/no/libc.so.6", "/no/lib.so")->ns, 1000);
	assert_int_equal(row_of("/no/prog", "/no/prog")->ns, 1000);
	// Nobody: libc without a stack, ld.so, exec.
	uint64_t nobody = 0;

	vec_foreach (row, &hot.list)
		nobody += row->blame == MODEL_NONE ? row->ns : 0;
	assert_int_equal(nobody, 3000);
}

TEST(the_error_is_that_of_the_account)
{
	ask(START FIRST "summary end=10000\n", (struct hot_question){ .by = HOT_BY_FUNCTION });
	const uint64_t expected = model->account->subject.cpu_error_ns[MODEL_EXEC];

	assert_true(expected > 0);
	assert_in_range(row_of("-", "-")->error_ns, expected - 1, expected + 1);
}

TEST(waits_are_by_what_waited_and_its_caller)
{
	ask(START FIRST "summary end=10000\n",
	    (struct hot_question){ .by = HOT_BY_BOTH, .waits = true });
	const struct model_times *times = &model->account->main;
	const struct hot_row *prog = row_of("/no/libc.so.6", "/no/prog");

	assert_int_equal(hot.ns, times->ns[MODEL_STATE_WAIT] + times->ns[MODEL_STATE_FILE_IO]);
	assert_int_equal(hot.moments, 4);
	assert_int_equal(prog->ns, 1500);
	assert_int_equal(prog->storage_ns, 500);
	assert_int_equal(prog->moments, 2);
	// Being runnable is no wait.
	assert_int_equal(row_of("/no/libc.so.6", "/no/lib.so")->ns, 700);
	assert_int_equal(row_of("-", "-")->ns, 350);
}

TEST(what_no_sample_shows_is_there_all_the_same)
{
	static const char text[] =
		START FIRST "fork time=3000 pid=11 parent_pid=10\n"
			    "pause time=3000 pid=11 woken=3000 back=3400 left=preempted\n"
			    "pause time=4400 pid=11 ends=thread\n"
			    "fork time=3100 pid=12 parent_pid=10\n"
			    "sample time=3200 pid=12 period=1000 ip=0x40100\n"
			    "sample time=3300 pid=12 period=3000 ip=0x30100\n"
			    "pause time=3900 pid=12 ends=thread\n"
			    "summary end=10000\n";

	ask(text, (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(hot.ns, model->account->all.ns[MODEL_STATE_CPU]);
	assert_int_equal(hot.ns, 5000 + 1000 + 800);
	// Samples that stand for more count for more, within the time of their own thread.
	assert_int_equal(row_of("/no/prog", "/no/prog")->ns, 1000 + 200);
	assert_int_equal(row_of("/no/prog", "/no/prog")->main_ns, 1000);
	assert_int_equal(row_of("/no/lib.so", "/no/lib.so")->ns, 600);
	uint64_t unsampled = 0;

	vec_foreach (row, &hot.list)
		unsampled += row->moments == 0 ? row->ns : 0;
	assert_int_equal(unsampled, 1000);
	ask(text, (struct hot_question){ .by = HOT_BY_FUNCTION, .subject_only = true });
	assert_int_equal(hot.ns, model->account->main.ns[MODEL_STATE_CPU]);
}

TEST(periods_beyond_all_measure_add_up_all_the_same)
{
	static const char text[] =
		START "sample time=2100 pid=10 period=100 ip=0x40100\n"
		      "sample time=2200 pid=10 period=9223372036854775808 ip=0x40100\n"
		      "sample time=2300 pid=10 period=9223372036854775808 ip=0x30100\n"
		      "sample time=2400 pid=10 period=50 ip=0x40100\n"
		      "pause time=10000 pid=10 ends=thread\n"
		      "summary end=10000\n";

	ask(text, (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(model->account->main.ns[MODEL_STATE_CPU], 8000);
	assert_int_equal(hot.ns, 8000);
	assert_int_equal(hot.list.count, 2);
	assert_int_equal(hot.list.items[0].ns, 4000);
	assert_int_equal(hot.list.items[1].ns, 4000);
}

/** Ask for what @where leaves of FIRST. */
static void ask_where(const char *where)
{
	struct filter *filter = filter_create();
	struct err err;

	assert_true(filter_add(filter, where, &err));
	model_close(model);
	model = correlate_text(START FIRST "summary end=10000\n",
			       &(struct correlate_options){ .filter = filter,
							    .needs = NEED_TABLES | NEED_SOURCES });
	filter_destroy(filter);
	ask(NULL, (struct hot_question){ .by = HOT_BY_FUNCTION, .shown_only = true });
}

TEST(of_one_file_it_has_what_ran_there_or_was_called_from_there)
{
	static const char *const names[] = { "lib.so" };

	model = correlate_text(START FIRST "summary end=10000\n",
			       &(struct correlate_options){ .objects = names,
							    .object_count = 1,
							    .needs = NEED_TABLES | NEED_SOURCES });
	ask(NULL, (struct hot_question){ .by = HOT_BY_FUNCTION, .shown_only = true });
	// Of libc's two samples the one that has a stack.
	assert_int_equal(hot.ns, 1000);
	assert_int_equal(hot.whole_ns, 5000);
	assert_int_equal(hot.list.count, 1);
	const struct hot_row *libc = row_of("/no/libc.so.6", "/no/lib.so");

	// One of five, in whichever answer.
	const uint64_t error = libc->error_ns;

	ask(NULL, (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(row_of("/no/prog", "/no/prog")->error_ns, error);
	assert_int_equal(row_of("/no/libc.so.6", "/no/lib.so")->shown_ns, 1000);
	assert_int_equal(row_of("/no/prog", "/no/prog")->shown_ns, 0);
	ask(NULL, (struct hot_question){ .by = HOT_BY_BOTH, .waits = true, .shown_only = true });
	assert_int_equal(hot.ns, 700);
}

TEST(conditions_on_code_choose_moments_as_they_choose_faults)
{
	ask_where("initiator=exec");
	assert_null(model->account->only_of_faults);
	assert_int_equal(hot.ns, 1000);
	ask_where("by_object=libc.so.6");
	assert_int_equal(hot.ns, 2000);
	ask_where("by_object!=null");
	assert_int_equal(hot.ns, 4000);
	ask_where("by_object!=null,tid=11");
	assert_int_equal(hot.ns, 0);
}

TEST(conditions_on_what_was_touched_leave_none)
{
	ask_where("initiator=exec,section!=.text");
	assert_string_equal(model->account->only_of_faults, "section");
	assert_int_equal(hot.ns, 0);
}

TEST(without_an_account_there_is_nothing)
{
	ask("elfault-trace-text 1\nmeta root_pid=10\nsummary\n",
	    (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(hot.list.count, 0);
}

TEST(the_kernel_that_is_not_sampled_is_a_row_of_its_own)
{
	// A sample at no function is another thing than none.
	ask("elfault-trace-text 1\n"
	    "meta root_pid=10 start=1000 pauses=yes samples=yes samples_user_only=yes\n"
	    "exec time=2000 pid=10 comm=cmd\n"
	    "sample time=2100 period=100 ip=0x999000\n"
	    "pause time=4000 ends=thread\n"
	    "summary end=9999\n",
	    (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(hot.list.count, 2);
	assert_int_equal(hot.list.items[0].ns, 1900);
	assert_int_equal(hot.list.items[0].kernel_ns, 1900);
	assert_int_equal(hot.list.items[0].moments, 0);
	assert_int_equal(hot.list.items[1].ns, 100);
	assert_int_equal(hot.list.items[1].moments, 1);
}

TEST(a_lost_sample_leaves_the_rest_of_the_kernel_known)
{
	ask("elfault-trace-text 1\n"
	    "meta root_pid=10 start=1000 pauses=yes samples=yes samples_user_only=yes\n"
	    "exec time=2000 pid=10 comm=cmd\n"
	    "sample time=2100 period=100 ip=0x999000\n"
	    "sample time=3100 period=100 ip=0x999000\n"
	    "pause time=4000 ends=thread\n"
	    "summary end=9999 samples_lost=3\n",
	    (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(hot.list.count, 3);
	assert_int_equal(hot.list.items[0].ns, 1500);
	assert_int_equal(hot.list.items[0].kernel_ns, 1500);
	assert_int_equal(hot.list.items[1].ns, 300);
	assert_int_equal(hot.list.items[1].kernel_ns, 0);
	assert_int_equal(hot.list.items[1].moments, 0);
	assert_int_equal(hot.list.items[2].ns, 200);
}

TEST(samples_lost_may_be_all_of_the_rest)
{
	ask("elfault-trace-text 1\n"
	    "meta root_pid=10 start=1000 pauses=yes samples=yes samples_user_only=yes\n"
	    "exec time=2000 pid=10 comm=cmd\n"
	    "sample time=2100 period=100 ip=0x999000\n"
	    "pause time=4000 ends=thread\n"
	    "summary end=9999 samples_lost=40\n",
	    (struct hot_question){ .by = HOT_BY_FUNCTION });
	assert_int_equal(hot.list.count, 2);
	assert_int_equal(hot.list.items[0].ns, 1900);
	assert_int_equal(hot.list.items[0].kernel_ns, 0);
}
