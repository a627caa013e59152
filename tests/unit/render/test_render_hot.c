// SPDX-License-Identifier: Apache-2.0
// Functions that computed and places where the first thread waited: screen, text and JSON.
#include "base/cleanup.h"
#include "model/account.h"
#include "render/render.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <string.h>

enum { MS = 1000000, RUNS, PARSES, STATX };

static const char *const line = "/src/app/parse.c:12";

static const struct model_function functions[] = {
	[RUNS] = { .object = 0, .name = "fn@0x1200", .section = ".text" },
	[PARSES] = { .object = 0, .name = "parse", .section = ".text" },
	[STATX] = { .object = 2, .name = "statx", .section = ".text" },
};

/** Of 30 ms computed 20 are statx's in another thread, 8 those of parse; parse waits as well. */
static struct model_spot spots[] = {
	{ .function = STATX,
	  .blame = RUNS,
	  .state = MODEL_STATE_CPU,
	  .initiator = MODEL_PROGRAM,
	  .is_kernel = true,
	  .ns = 20 * MS,
	  .moments = 200,
	  .squares = 2e12 },
	{ .function = PARSES,
	  .blame = PARSES,
	  .state = MODEL_STATE_CPU,
	  .initiator = MODEL_STATIC_INIT,
	  .is_main = true,
	  .is_subject = true,
	  .ns = 8 * MS,
	  .moments = 80,
	  .squares = 8e11 },
	{ .function = MODEL_NONE,
	  .blame = MODEL_NONE,
	  .state = MODEL_STATE_CPU,
	  .initiator = MODEL_EXEC,
	  .is_main = true,
	  .is_subject = true,
	  .is_kernel = true,
	  .ns = 2 * MS,
	  .moments = 20,
	  .squares = 2e11 },
	{ .function = STATX,
	  .blame = PARSES,
	  .state = MODEL_STATE_FILE_IO,
	  .initiator = MODEL_PROGRAM,
	  .is_main = true,
	  .is_subject = true,
	  .ns = 5 * MS,
	  .moments = 3 },
};

static struct model_account account = {
	.wall_ns = 15 * MS,
	.main.ns = { [MODEL_STATE_CPU] = 10 * MS, [MODEL_STATE_FILE_IO] = 5 * MS },
	.subject = {
		.wall_ns = 15 * MS,
		.times.ns = { [MODEL_STATE_CPU] = 10 * MS, [MODEL_STATE_FILE_IO] = 5 * MS },
	},
	.all.ns = { [MODEL_STATE_CPU] = 30 * MS, [MODEL_STATE_FILE_IO] = 5 * MS },
	.samples = 300,
	.spots = spots,
	.spot_count = MODELS_COUNT(spots),
};

static struct model *sample(void)
{
	struct model *model = models_warm_sample();

	spots[1].source = spots[1].blame_source = line;
	spots[3].blame_source = line;
	model->functions = functions;
	model->function_count = MODELS_COUNT(functions);
	model->fault_count = 0;
	model->blamed_count = 0;
	model->finding_count = 0;
	model->shown_count = 0;
	model->trace.has_stacks = true;
	model->counts.programs = 1;
	model->account = &account;
	return model;
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no\n%s\nin\n%s", part, text);
}

static char *print(bool (*render)(const struct model *, const struct render_text_options *, FILE *),
		   struct terminal terminal)
{
	CLEANUP(model_closep) struct model *model = sample();
	const struct render_text_options options = { .terminal = terminal };
	return text_written(render(model, &options, out));
}

const struct tests_around tests_around = { .locale = "C.UTF-8" };

TEST(the_screen_names_two_functions_for_whom_and_where)
{
	CLEANUP(freep) char *text = print(render_screen, (struct terminal){ .width = 80 });
	// What a file's code is called that has no names is the file's.
	expect(text, "\n  functions  statx 20.0 +- 1.6 ms in the kernel for sample in other "
		     "threads,\n             parse 8.0 +- 1.5 ms\n");
}

TEST(all_of_it_is_three_tables)
{
	CLEANUP(freep) char *text = print(render_text, (struct terminal){ .has_utf8 = true });

	expect(text,
	       "\nFunctions that computed, outside faults, of all threads: 30.00 ms, by 300 "
	       "samples\n"
	       "             time  share  in kernel  first thread    initiator  in      line       "
	       " function\n"
	       "  20.00 ± 1.60 ms  66.7%     100.0%       0.00 ms      program  [heap]  -          "
	       " statx\n"
	       "   8.00 ± 1.50 ms  26.7%          -       8.00 ms  static-init  sample  parse.c:12 "
	       " parse\n"
	       "   2.00 ± 0.86 ms   6.7%     100.0%       2.00 ms         exec  -       -          "
	       " (the kernel, in exec)\n");
	expect(text,
	       "  blame: first outside libc and the like\n"
	       "  20.00 ± 1.60 ms  66.7%     100.0%       0.00 ms      program  sample  -       "
	       "    fn@0x1200\n");
	expect(text, "  (nobody: exec)\n");
	expect(text,
	       "\nWhere the first thread waited: 5.00 ms in 3 waits\n"
	       "     time   share  waits  for storage  initiator  waited in  in      line        "
	       "called by\n"
	       "  5.00 ms  100.0%      3       100.0%    program  statx      sample  parse.c:12  "
	       "parse\n");
}

TEST(what_has_neither_samples_nor_time_is_no_row)
{
	const struct model_spot whole = spots[2];

	spots[2].ns = MS / 5;
	spots[2].moments = 0;
	spots[2].initiator = MODEL_LOADER;
	CLEANUP(freep) char *text = print(render_text, (struct terminal){ .has_utf8 = true });

	spots[2] = whole;
	expect(text, "\n  1 more, of few samples or little time: 0.20 ms (0.7%)\n");
	assert_null(strstr(text, "(the kernel, not sampled)"));
}

TEST(json_has_them_with_the_whole_line)
{
	CLEANUP(model_closep) struct model *model = sample();
	CLEANUP(freep) char *text = text_written(render_json(model, false, out));

	expect(text, "\"section\":\".text\",\"source\":\"/src/app/parse.c:12\",\"cpu_ns\":8000000,"
		     "\"error_ns\":1499");
	expect(text,
	       "\"main_ns\":0,\"kernel_ns\":20000000,\"samples\":200,"
	       "\"by_initiator\":{\"program\":20000000},\"blame\":{\"function\":\"fn@0x1200\"");
	expect(text, "\"mostly\":{\"function\":\"statx\"");
	expect(text, "\"source\":\"/src/app/parse.c:12\",\"initiator\":\"program\",\"wait_ns\":0,"
		     "\"file_io_ns\":5000000,\"main_ns\":5000000,\"waits\":3}]");
}
