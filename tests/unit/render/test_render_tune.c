// SPDX-License-Identifier: Apache-2.0
// The screen of a tuned start: what was tried and left, and why.
#include "base/cleanup.h"
#include "render/tune/tune.h"
#include "tests/support/test.h"

#include <string.h>

static const char *const words[] = { "program" };
static const struct tunedstart nothing = {
	.name = "program",
	.folder = "~/own",
	.program = "/bin/program",
	.words = words,
	.word_count = 1,
};

static char *text_of(const struct tunedstart *start)
{
	const struct tunedstarts starts = { start, 1 };
	return text_written(render_tune_text(&starts, &(struct terminal){ 0 }, out));
}

static struct tunedstart_measure measure(enum bench_verdict verdict, double change)
{
	return (struct tunedstart_measure){
		.is_known = true,
		.own_ns = { 4e6, 4e6 * (1 + change) },
		.own = { .pairs = 21, .verdict = verdict, .change = change },
		.processor = { .pairs = 21, .verdict = verdict, .change = change },
	};
}

TEST(libraries_that_stay_for_one_reason_are_one_line)
{
	static const char *const names[] = { "liba.so", "libb.so", "libc.so", "libd.so",
					     "libe.so", "libf.so", "libg.so", "libh.so" };
	struct tunedstart_refusal refusals[9] = { { "libvar.so", "its variable is needed", 40 } };
	struct tunedstart start = nothing;

	for (size_t i = 0; i < 8; i++)
		refusals[i + 1] = (struct tunedstart_refusal){ names[i], "too little to save", 5 };
	start.refusals = refusals;
	start.refusal_count = 9;
	CLEANUP(freep) char *text = text_of(&start);

	assert_non_null(strstr(text, "no stand-in    libvar.so: its variable is needed\n"));
	assert_non_null(strstr(text, " liba.so, libb.so, libc.so, libd.so, libe.so, libf.so and "
				     "2 others: too little to save\n"));
}

TEST(a_list_for_cold_starts_alone_is_pointed_to)
{
	static const char pointer[] = "where cold starts matter more: elfault prefetch\n";
	struct tunedstart start = nothing;

	start.list_bytes = 1 << 20;
	start.cold = measure(BENCH_FASTER, -0.87);
	start.warm = measure(BENCH_SLOWER, 0.05);
	start.unidentified = "/bin/program";
	CLEANUP(freep) char *left = text_of(&start);

	assert_non_null(strstr(left, "not kept: cold faster, warm slower\n"));
	assert_non_null(strstr(left, pointer));
	assert_non_null(strstr(left, "nothing pays here\n"));
	assert_null(strstr(left, "has no build-id"));
	start.keeps_list = true;
	CLEANUP(freep) char *kept = text_of(&start);

	assert_null(strstr(kept, pointer));
	assert_non_null(strstr(kept, "/bin/program has no build-id"));
}
