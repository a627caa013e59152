// SPDX-License-Identifier: Apache-2.0
// The verdict on made-up starts, as text and as JSON.
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/account.h"
#include "render/bench/bench.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 8 };

static const char *const words[BENCH_COMMANDS][2] = { { "./old", "--version" }, { "./new\x1b" } };

/** The bench of a test, and its starts. */
static struct bench bench;
static struct bench_start starts[BENCH_COMMANDS][STARTS];

static int forget(void **state)
{
	bench_deinit(&bench);
	return 0;
}

/** A bench of @count commands, the second of which takes @percent of the first's time. */
static void make(size_t count, size_t runs, uint64_t percent)
{
	forget(NULL);
	bench = (struct bench){ .command_count = count, .warmups = 1, .recorded = 7 };
	for (size_t i = 0; i < count; i++) {
		bench.commands[i] = (struct bench_command){
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
	bench_summarize(&bench);
}

typedef bool writer(const struct bench *bench, FILE *out);

static bool write_text(const struct bench *bench, FILE *out)
{
	return render_bench_text(bench, &(struct terminal){ 0 }, out);
}

static void is_text(writer *write, const char *expected)
{
	CLEANUP(freep) char *text = text_written(write(&bench, out));

	assert_string_equal(text, expected);
}

static bool has_text(const char *part)
{
	CLEANUP(freep) char *text = text_written(write_text(&bench, out));

	return strstr(text, part);
}

const struct tests_around tests_around = { .after_each = forget };

TEST(two_commands_have_a_verdict)
{
	make(2, STARTS, 90);
	is_text(write_text,
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
	make(2, STARTS, 125);
	assert_true(has_text("\nB is 25.0% slower than A (95 % interval: 25.0% to 25.0%)\n"));
	make(2, STARTS, 100);
	assert_true(has_text("\nNo difference between A and B is shown: +0.0% (95 % "
			     "interval: +0.0% to +0.0%)\n"));
	make(2, 5, 125);
	assert_true(has_text("\nToo few starts for a verdict"));
	make(1, STARTS, 100);
	assert_false(has_text("difference"));
}

TEST(processor_time_has_a_verdict_of_its_own)
{
	make(2, STARTS, 100);
	assert_true(has_text("\nProcessor time: no difference is shown: +0.0% (95 % interval: "
			     "+0.0% to +0.0%)\n"));
	for (size_t k = 0; k < STARTS; k++)
		starts[1][k].values[BENCH_PROCESSOR] += starts[1][k].values[BENCH_PROCESSOR] / 3;
	bench_summarize(&bench);
	assert_true(has_text("\nNo difference between A and B is shown: +0.0%"));
	assert_true(has_text("\nProcessor time: B takes 33.3% more than A (95 % interval: 33.3% "
			     "to 33.3%)\n"));
	make(2, 5, 125);
	assert_false(has_text("Processor time"));
}

TEST(what_a_start_waited_for_a_processor_is_left_out)
{
	make(2, STARTS, 125);
	assert_false(has_text("late"));
	for (size_t k = 0; k < STARTS; k++) {
		const uint64_t late = starts[0][k].values[BENCH_WALL] * (k % 3);

		for (size_t i = 0; i < BENCH_COMMANDS; i++) {
			starts[i][k].values[BENCH_WALL] += i == 0 ? late : 2 * late;
			starts[i][k].values[BENCH_LATE] = i == 0 ? late : 2 * late;
		}
	}
	bench_summarize(&bench);
	assert_true(has_text(" late "));
	assert_true(has_text("\nB is 25.0% slower than A (95 % interval: 25.0% to 25.0%)\n"));
}

TEST(json_has_every_start)
{
	// Of one start, all of a spread are the same.
	static const struct {
		const char *name;
		uint64_t value;
	} spreads[] = {
		{ "wall_ns", 10000000 }, { "own_ns", 10000000 },   { "processor_ns", 7500000 },
		{ "user_ns", 5000000 },	 { "system_ns", 2500000 }, { "late_ns", 0 },
		{ "minor", 100 },	 { "major", 0 },
	};
	CLEANUP(strbuf_deinit) struct strbuf expected = { 0 };

	make(1, 1, 100);
	strbuf_puts(&expected, "{\n"
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
			       "      \"failed\":0,\n");
	for (size_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++) {
		static const char *const names[] = { "median", "low_quartile", "high_quartile",
						     "least", "greatest" };

		strbuf_printf(&expected, "      \"%s\":{\n", spreads[i].name);
		for (size_t k = 0; k < 5; k++)
			strbuf_printf(&expected, "        \"%s\":%" PRIu64 "%s\n", names[k],
				      spreads[i].value, k < 4 ? "," : "");
		strbuf_puts(&expected, "      },\n");
	}
	strbuf_puts(&expected, "      \"runs\":[\n"
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
	is_text(render_bench_json, strbuf_text(&expected));
}

TEST(starts_until_a_condition_have_no_user_time)
{
	make(2, STARTS, 100);
	for (size_t i = 0; i < BENCH_COMMANDS; i++)
		for (size_t k = 0; k < STARTS; k++)
			starts[i][k].is_whole = false;
	bench.until = "listen:80";
	bench_summarize(&bench);
	assert_true(has_text("\nuntil listen:80, each start recorded without stacks, "
			     "samples and storage\n"));
	assert_true(has_text("processor  minor"));
	assert_false(has_text("user"));
	CLEANUP(freep) char *json = text_written(render_bench_json(&bench, out));

	assert_non_null(strstr(json, "\"until\":\"listen:80\""));
	assert_non_null(strstr(json, "\"user_ns\":null"));
	assert_null(strstr(json, "\"system_ns\":{"));
}

TEST(a_difference_has_its_reason)
{
	make(2, STARTS, 90);
	assert_true(has_text("\nReason: none found in 7 recorded starts of each\n"));
	bench.no_reason = "the starts could not be recorded";
	assert_true(has_text("\nReason: not looked for: the starts could not be recorded\n"));
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
	assert_true(has_text("\nReason: fault in relocation takes 1.25 ms less (1.50 ms -> "
			     "0.25 ms) of 1.35 ms in all\n"));
	bench.reason.is_main = false;
	bench.reason.state = MODEL_STATE_CPU;
	bench.reason.finding = "fixed-address";
	bench.reason.title = "a: Linked at a fixed address";
	assert_true(has_text("\nReason: cpu in relocation of all threads takes 1.25 ms less "
			     "(1.50 ms -> 0.25 ms) of 1.35 ms in all; a: Linked at a fixed "
			     "address\n"));
	bench.reason.has_time = false;
	assert_true(has_text("\nReason: a: Linked at a fixed address\n"));
	make(2, STARTS, 100);
	assert_false(has_text("Reason"));
}

TEST(one_start_has_its_parts)
{
	static const struct bench_part parts[] = {
		{ MODEL_PROGRAM, 5000000 },   { MODEL_NONE, 4000000 },
		{ MODEL_RELOCATION, 300000 }, { MODEL_STATIC_INIT, 200000 },
		{ MODEL_EXEC, 100000 },	      { MODEL_EXEC, 50000 },
	};

	make(1, STARTS, 100);
	assert_true(has_text("\nA recorded start: not known: the recordings have no account "
			     "of time\n"));
	bench.no_reason = "--recordings 0 records no starts";
	assert_true(has_text("\nA recorded start: none: --recordings 0 records no starts\n"));
	bench.no_reason = NULL;
	bench.parts = parts;
	bench.part_count = 6;
	assert_true(has_text("\nA recorded start: program 5.00 ms, waiting 4.00 ms, "
			     "relocation 0.30 ms, static-init 0.20 ms, 2 more 0.15 ms\n"));
	bench.part_count = 2;
	assert_true(has_text("\nA recorded start: program 5.00 ms, waiting 4.00 ms\n"));
}

TEST(json_has_the_difference)
{
	make(2, STARTS, 50);
	bench.reason = (struct bench_reason){
		.is_found = true,
		.has_time = true,
		.is_main = true,
		.state = MODEL_STATE_WAIT,
		.initiator = MODEL_NONE,
		.before_ns = 1500000,
		.after_ns = 250000,
	};
	CLEANUP(freep) char *text = text_written(render_bench_json(&bench, out));
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
