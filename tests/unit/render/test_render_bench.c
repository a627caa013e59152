// SPDX-License-Identifier: Apache-2.0
// The verdict on made-up starts, as text and as JSON.
#include "base/cleanup.h"
#include "model/account.h"
#include "render/bench/bench.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

enum { STARTS = 8 };

static const char *const words[BENCH_COMMANDS][2] = { { "./old", "--version" }, { "./new\x1b" } };

/** A bench of @count commands, the second of which takes @percent of the first's time. */
static void make(struct bench *bench, struct bench_start starts[BENCH_COMMANDS][STARTS],
		 size_t count, size_t runs, uint64_t percent)
{
	*bench = (struct bench){ .command_count = count, .warmups = 1, .recorded = 7 };
	for (size_t i = 0; i < count; i++) {
		bench->commands[i] = (struct bench_command){
			.words = words[i],
			.word_count = i == 0 ? 2 : 1,
			.starts = starts[i],
			.count = runs,
		};
		for (size_t k = 0; k < runs; k++) {
			uint64_t wall = (10 + k) * 1000000 * (i == 0 ? 100 : percent) / 100;

			starts[i][k] = (struct bench_start){
				.values = { wall, wall, wall / 2 + wall / 4, wall / 2, wall / 4, 0,
					    100 + i, i },
				.seq = 2 * k + (k + i) % 2,
				.status = i == 1 && k == 3 ? 139 : 0,
				.is_whole = true,
			};
		}
	}
	bench_summarize(bench);
}

typedef bool writer(const struct bench *bench, FILE *out);

static bool write_text(const struct bench *bench, FILE *out)
{
	return render_bench_text(bench, &(struct terminal){ 0 }, out);
}

static char *text_of(const struct bench *bench, writer *write)
{
	return text_written(write(bench, out));
}

static void is_text(const struct bench *bench, writer *write, const char *expected)
{
	CLEANUP(freep) char *text = text_of(bench, write);

	assert_string_equal(text, expected);
}

static bool has_text(const struct bench *bench, const char *part)
{
	CLEANUP(freep) char *text = text_of(bench, write_text);

	return strstr(text, part);
}

TEST(two_commands_have_a_verdict)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 2, STARTS, 90);
	is_text(&bench, write_text,
		"A  ./old --version\n"
		"B  './new\\x1b'\n"
		"\n"
		"     starts   median         middle half    least     user   system  minor  "
		"major\n"
		"  A       8  13.5 ms  11.8 ms to 15.2 ms  10.0 ms  6.75 ms  3.38 ms    100      "
		"0\n"
		"  B       8  12.2 ms  10.6 ms to 13.7 ms  9.00 ms  6.08 ms  3.04 ms    101      "
		"1\n"
		"\n"
		"B is 10.0% faster than A (95 % interval: 10.0% to 10.0%)\n"
		"Processor time: B takes 10.0% less than A (95 % interval: 10.0% to 10.0%)\n"
		"Reason: none found in 7 recorded starts of each\n"
		"B: 1 of 8 starts failed\n");
}

TEST(the_verdict_is_of_the_second_command)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	struct bench bench;

	make(&bench, starts, 2, STARTS, 125);
	assert_true(
		has_text(&bench, "\nB is 25.0% slower than A (95 % interval: 25.0% to 25.0%)\n"));
	bench_deinit(&bench);
	make(&bench, starts, 2, STARTS, 100);
	assert_true(has_text(&bench, "\nNo difference between A and B is shown: +0.0% (95 % "
				     "interval: +0.0% to +0.0%)\n"));
	bench_deinit(&bench);
	make(&bench, starts, 2, 5, 125);
	assert_true(has_text(&bench, "\nToo few starts for a verdict"));
	bench_deinit(&bench);
	make(&bench, starts, 1, STARTS, 100);
	assert_false(has_text(&bench, "difference"));
	bench_deinit(&bench);
}

TEST(processor_time_has_a_verdict_of_its_own)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	struct bench bench;

	make(&bench, starts, 2, STARTS, 100);
	assert_true(has_text(&bench,
			     "\nProcessor time: no difference is shown: +0.0% (95 % interval: "
			     "+0.0% to +0.0%)\n"));
	bench_deinit(&bench);
	for (size_t k = 0; k < STARTS; k++)
		starts[1][k].values[BENCH_PROCESSOR] += starts[1][k].values[BENCH_PROCESSOR] / 3;
	bench_summarize(&bench);
	assert_true(has_text(&bench, "\nNo difference between A and B is shown: +0.0%"));
	assert_true(has_text(&bench,
			     "\nProcessor time: B takes 33.3% more than A (95 % interval: 33.3% "
			     "to 33.3%)\n"));
	bench_deinit(&bench);
	make(&bench, starts, 2, 5, 125);
	assert_false(has_text(&bench, "Processor time"));
	bench_deinit(&bench);
}

TEST(what_a_start_waited_for_a_processor_is_left_out)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 2, STARTS, 125);
	assert_false(has_text(&bench, "late"));
	for (size_t k = 0; k < STARTS; k++) {
		const uint64_t late = starts[0][k].values[BENCH_WALL] * (k % 3);

		for (size_t i = 0; i < BENCH_COMMANDS; i++) {
			starts[i][k].values[BENCH_WALL] += i == 0 ? late : 2 * late;
			starts[i][k].values[BENCH_LATE] = i == 0 ? late : 2 * late;
		}
	}
	bench_summarize(&bench);
	assert_true(has_text(&bench, " late "));
	assert_true(
		has_text(&bench, "\nB is 25.0% slower than A (95 % interval: 25.0% to 25.0%)\n"));
}

TEST(json_has_every_start)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 1, 1, 100);
	is_text(&bench, render_bench_json,
		"{\n"
		"  \"schema\":\"elfault.bench/1\",\n"
		"  \"cold\":false,\n"
		"  \"until\":null,\n"
		"  \"warmups\":1,\n"
		"  \"commands\":[\n"
		"    {\n"
		"      \"command\":[\n"
		"        \"./old\",\n"
		"        \"--version\"\n"
		"      ],\n"
		"      \"starts\":1,\n"
		"      \"failed\":0,\n"
		"      \"wall_ns\":{\n"
		"        \"median\":10000000,\n"
		"        \"low_quartile\":10000000,\n"
		"        \"high_quartile\":10000000,\n"
		"        \"least\":10000000,\n"
		"        \"greatest\":10000000\n"
		"      },\n"
		"      \"own_ns\":{\n"
		"        \"median\":10000000,\n"
		"        \"low_quartile\":10000000,\n"
		"        \"high_quartile\":10000000,\n"
		"        \"least\":10000000,\n"
		"        \"greatest\":10000000\n"
		"      },\n"
		"      \"processor_ns\":{\n"
		"        \"median\":7500000,\n"
		"        \"low_quartile\":7500000,\n"
		"        \"high_quartile\":7500000,\n"
		"        \"least\":7500000,\n"
		"        \"greatest\":7500000\n"
		"      },\n"
		"      \"user_ns\":{\n"
		"        \"median\":5000000,\n"
		"        \"low_quartile\":5000000,\n"
		"        \"high_quartile\":5000000,\n"
		"        \"least\":5000000,\n"
		"        \"greatest\":5000000\n"
		"      },\n"
		"      \"system_ns\":{\n"
		"        \"median\":2500000,\n"
		"        \"low_quartile\":2500000,\n"
		"        \"high_quartile\":2500000,\n"
		"        \"least\":2500000,\n"
		"        \"greatest\":2500000\n"
		"      },\n"
		"      \"late_ns\":{\n"
		"        \"median\":0,\n"
		"        \"low_quartile\":0,\n"
		"        \"high_quartile\":0,\n"
		"        \"least\":0,\n"
		"        \"greatest\":0\n"
		"      },\n"
		"      \"minor\":{\n"
		"        \"median\":100,\n"
		"        \"low_quartile\":100,\n"
		"        \"high_quartile\":100,\n"
		"        \"least\":100,\n"
		"        \"greatest\":100\n"
		"      },\n"
		"      \"major\":{\n"
		"        \"median\":0,\n"
		"        \"low_quartile\":0,\n"
		"        \"high_quartile\":0,\n"
		"        \"least\":0,\n"
		"        \"greatest\":0\n"
		"      },\n"
		"      \"runs\":[\n"
		"        {\n"
		"          \"seq\":0,\n"
		"          \"wall_ns\":10000000,\n"
		"          \"own_ns\":10000000,\n"
		"          \"processor_ns\":7500000,\n"
		"          \"user_ns\":5000000,\n"
		"          \"system_ns\":2500000,\n"
		"          \"late_ns\":0,\n"
		"          \"minor\":100,\n"
		"          \"major\":0,\n"
		"          \"exit_status\":0\n"
		"        }\n"
		"      ]\n"
		"    }\n"
		"  ],\n"
		"  \"difference\":null,\n"
		"  \"processor_difference\":null,\n"
		"  \"recorded\":7,\n"
		"  \"reason\":null,\n"
		"  \"parts\":null,\n"
		"  \"no_reason\":null,\n"
		"  \"notes\":[\n"
		"  ]\n"
		"}\n");
}

TEST(starts_until_a_condition_have_no_user_time)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 2, STARTS, 100);
	for (size_t i = 0; i < BENCH_COMMANDS; i++)
		for (size_t k = 0; k < STARTS; k++)
			starts[i][k].is_whole = false;
	bench.until = "listen:80";
	bench_summarize(&bench);
	assert_true(has_text(&bench, "\nuntil listen:80, each start recorded without stacks, "
				     "samples and storage\n"));
	assert_true(has_text(&bench, "processor  minor"));
	assert_false(has_text(&bench, "user"));
	CLEANUP(freep) char *json = text_of(&bench, render_bench_json);

	assert_non_null(strstr(json, "\"until\":\"listen:80\""));
	assert_non_null(strstr(json, "\"user_ns\":null"));
	assert_null(strstr(json, "\"system_ns\":{"));
}

TEST(a_difference_has_its_reason)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	struct bench bench;

	make(&bench, starts, 2, STARTS, 90);
	assert_true(has_text(&bench, "\nReason: none found in 7 recorded starts of each\n"));
	bench.no_reason = "the starts could not be recorded";
	assert_true(
		has_text(&bench, "\nReason: not looked for: the starts could not be recorded\n"));
	bench.no_reason = NULL;
	bench.reason = (struct bench_reason){
		.is_found = true,
		.has_time = true,
		.is_main = true,
		.state = MODEL_STATE_FAULT,
		.initiator = MODEL_RELOCATION,
		.before_ns = 1500000,
		.after_ns = 250000,
	};
	assert_true(has_text(&bench, "\nReason: fault in relocation takes 1.25 ms less (1.50 ms -> "
				     "0.25 ms) of 1.35 ms in all\n"));
	bench.reason.is_main = false;
	bench.reason.state = MODEL_STATE_CPU;
	bench.reason.finding = "fixed-address";
	bench.reason.title = "a: Linked at a fixed address";
	assert_true(has_text(&bench,
			     "\nReason: cpu in relocation of all threads takes 1.25 ms less "
			     "(1.50 ms -> 0.25 ms) of 1.35 ms in all; a: Linked at a fixed "
			     "address\n"));
	bench.reason.has_time = false;
	assert_true(has_text(&bench, "\nReason: a: Linked at a fixed address\n"));
	bench_deinit(&bench);
	make(&bench, starts, 2, STARTS, 100);
	assert_false(has_text(&bench, "Reason"));
	bench_deinit(&bench);
}

TEST(one_start_has_its_parts)
{
	static const struct bench_part parts[] = {
		{ MODEL_PROGRAM, 5000000 },   { MODEL_NONE, 4000000 },
		{ MODEL_RELOCATION, 300000 }, { MODEL_STATIC_INIT, 200000 },
		{ MODEL_EXEC, 100000 },	      { MODEL_EXEC, 50000 },
	};
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 1, STARTS, 100);
	assert_true(has_text(&bench,
			     "\nA recorded start: not known: the recordings have no account "
			     "of time\n"));
	bench.no_reason = "--recordings 0 records no starts";
	assert_true(
		has_text(&bench, "\nA recorded start: none: --recordings 0 records no starts\n"));
	bench.no_reason = NULL;
	bench.parts = parts;
	bench.part_count = 6;
	assert_true(has_text(&bench, "\nA recorded start: program 5.00 ms, waiting 4.00 ms, "
				     "relocation 0.30 ms, static-init 0.20 ms, 2 more 0.15 ms\n"));
	bench.part_count = 2;
	assert_true(has_text(&bench, "\nA recorded start: program 5.00 ms, waiting 4.00 ms\n"));
}

TEST(json_has_the_difference)
{
	struct bench_start starts[BENCH_COMMANDS][STARTS];
	CLEANUP(bench_deinit) struct bench bench;

	make(&bench, starts, 2, STARTS, 50);
	bench.reason = (struct bench_reason){
		.is_found = true,
		.has_time = true,
		.is_main = true,
		.state = MODEL_STATE_WAIT,
		.initiator = MODEL_NONE,
		.before_ns = 1500000,
		.after_ns = 250000,
	};
	CLEANUP(freep) char *text = text_of(&bench, render_bench_json);
	const char *found = strstr(text, "  \"difference\":");

	assert_non_null(found);
	assert_string_equal(found, "  \"difference\":{\n"
				   "    \"pairs\":8,\n"
				   "    \"verdict\":\"faster\",\n"
				   "    \"change\":-0.5,\n"
				   "    \"low\":-0.5,\n"
				   "    \"high\":-0.5\n"
				   "  },\n"
				   "  \"processor_difference\":{\n"
				   "    \"pairs\":8,\n"
				   "    \"verdict\":\"faster\",\n"
				   "    \"change\":-0.5,\n"
				   "    \"low\":-0.5,\n"
				   "    \"high\":-0.5\n"
				   "  },\n"
				   "  \"recorded\":7,\n"
				   "  \"reason\":{\n"
				   "    \"state\":\"wait\",\n"
				   "    \"initiator\":null,\n"
				   "    \"first_thread\":true,\n"
				   "    \"before_ns\":1500000,\n"
				   "    \"after_ns\":250000,\n"
				   "    \"finding\":null,\n"
				   "    \"title\":null\n"
				   "  },\n"
				   "  \"parts\":null,\n"
				   "  \"no_reason\":null,\n"
				   "  \"notes\":[\n"
				   "  ]\n"
				   "}\n");
	assert_non_null(strstr(text, "\"failed\":1,"));
	assert_non_null(strstr(text, "\"exit_status\":139\n"));
}
