// SPDX-License-Identifier: Apache-2.0
// The sentence, the account and the rows that pictures begin with.
#include "render/picture/story.h"

#include "base/cleanup.h"
#include "model/moments.h"
#include "tests/support/test.h"

enum { MS = 1000000 };

static const struct terminal terminal = { 0 };
static const char *const comms[] = { "app" };
static const struct model_thread threads[] = { { 0, 7, 7, 0 } };
static const struct model_process_times processes[] = {
	{ .pid = 7, .start_ns = 0, .end_ns = 100 * MS },
};
static const struct model_life lives[] = { { 0, 7, 7, 0, 100 * MS } };
static const struct model_ip ip = { 0 };
static const struct model_object objects[] = { { .path = "/lib/liba.so", .is_file = true },
					       { .path = "/lib/libb.so", .is_file = true } };

/** 10 ms computing, a wait of 20 ms for liba, a sample at 40, a wait of 5 ms for libb at 50, then
 * 30 ms for something else from 60 on. */
static const struct model_fault faults[] = {
	{ .time_ns = 10 * MS,
	  .duration_ns = 20 * MS,
	  .at = { .object = 0 },
	  .by = &ip,
	  .kind = MODEL_MAJOR,
	  .initiator = MODEL_LOADER,
	  .has_duration = true },
	{ .time_ns = 50 * MS,
	  .duration_ns = 5 * MS,
	  .at = { .object = 1 },
	  .by = &ip,
	  .kind = MODEL_MAJOR,
	  .initiator = MODEL_RELOCATION,
	  .has_duration = true },
};
static const struct model_moment items[] = {
	{ .time_ns = 40 * MS,
	  .ns = 1 * MS,
	  .back_ns = 40 * MS,
	  .state = MODEL_STATE_CPU,
	  .initiator = MODEL_PROGRAM,
	  .is_sample = true },
	{ .time_ns = 60 * MS,
	  .ns = 30 * MS,
	  .back_ns = 92 * MS,
	  .state = MODEL_STATE_WAIT,
	  .initiator = MODEL_PROGRAM },
};
static const struct model_moments moments = {
	.items = items, .count = 2, .lives = lives, .life_count = 1
};

static struct model_account account_of(void)
{
	struct model_account account = { .processes = processes, .process_count = 1 };
	struct model_times *times = account.subject.by_initiator;

	times[MODEL_LOADER].ns[MODEL_STATE_FAULT_IO] = 20 * MS;
	times[MODEL_LOADER].ns[MODEL_STATE_CPU] = 10 * MS;
	times[MODEL_RELOCATION].ns[MODEL_STATE_FAULT_IO] = 5 * MS;
	times[MODEL_PROGRAM].ns[MODEL_STATE_WAIT] = 30 * MS;
	times[MODEL_PROGRAM].ns[MODEL_STATE_RUNNABLE] = 2 * MS;
	for (size_t i = 0; i < MODEL_INITIATORS; i++)
		model_times_add(&account.subject.times, &times[i]);
	return account;
}

static struct model model_of(const struct model_account *account)
{
	return (struct model){ .account = account,
			       .moments = &moments,
			       .objects = objects,
			       .object_count = 2,
			       .comms = comms,
			       .threads = threads,
			       .thread_count = 1,
			       .faults = faults,
			       .fault_count = 2 };
}

TEST(the_sentence_is_of_own_time)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model_account account = account_of();
	const struct model model = model_of(&account);
	struct story story;
	uint64_t ns = 0;

	assert_true(story_tell(&story, &model, &terminal, &arena));
	assert_string_equal(story.time, "35.0 ms + 2.0 ms waiting for a processor");
	assert_string_equal(story.causes,
			    "loader 30.0 ms, relocation 5.0 ms; 25.0 ms of it waits for storage");
	for (size_t i = 0; i < story.cell_count; i++)
		ns += story.cells[i].ns;
	assert_int_equal(ns, story.own_ns);
	assert_int_equal(story.cells[0].cause, MODEL_LOADER);
	assert_int_equal(story.cells[2].cause, MODEL_RELOCATION);
}

TEST(without_an_account_there_is_no_story)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model model = model_of(NULL);
	struct story story;
	size_t count;
	const struct scale scale = { 0, 100 * MS, 0, 100 };

	assert_false(story_tell(&story, &model, &terminal, &arena));
	story_rows(&model, &scale, 100, &arena, &count);
	assert_int_equal(count, 0);
}

static void is_span(const struct story_span *span, unsigned first, unsigned end,
		    enum model_initiator cause, enum model_state state)
{
	assert_int_equal(span->first, first);
	assert_int_equal(span->end, end);
	assert_int_equal(span->cause, cause);
	assert_int_equal(span->state, state);
}

TEST(a_wait_is_as_long_as_it_lasted)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model_account account = account_of();
	const struct model model = model_of(&account);
	const struct scale scale = { 0, 100 * MS, 0, 100 };
	size_t count;
	const struct story_row *rows = story_rows(&model, &scale, 100, &arena, &count);

	assert_int_equal(count, 3);
	assert_string_equal(rows[0].label, "first thread");
	assert_int_equal(rows[0].span_count, 9);
	is_span(&rows[0].spans[0], 0, 10, MODEL_LOADER, MODEL_STATE_CPU);
	is_span(&rows[0].spans[1], 10, 30, MODEL_LOADER, MODEL_STATE_FAULT_IO);
	is_span(&rows[0].spans[2], 30, 40, MODEL_PROGRAM, MODEL_STATE_CPU);
	is_span(&rows[0].spans[3], 40, 50, MODEL_RELOCATION, MODEL_STATE_CPU);
	is_span(&rows[0].spans[4], 50, 55, MODEL_RELOCATION, MODEL_STATE_FAULT_IO);
	is_span(&rows[0].spans[5], 55, 60, MODEL_PROGRAM, MODEL_STATE_CPU);
	is_span(&rows[0].spans[6], 60, 90, MODEL_PROGRAM, MODEL_STATE_WAIT);
	is_span(&rows[0].spans[7], 90, 92, MODEL_PROGRAM, MODEL_STATE_RUNNABLE);
	is_span(&rows[0].spans[8], 92, 100, MODEL_PROGRAM, MODEL_STATE_CPU);
	assert_string_equal(rows[1].label, "liba.so");
	assert_int_equal(rows[1].ns, 20 * MS);
	assert_int_equal(rows[1].span_count, 1);
	is_span(&rows[1].spans[0], 10, 30, MODEL_LOADER, MODEL_STATE_FAULT_IO);
	assert_string_equal(rows[2].label, "libb.so");
	is_span(&rows[2].spans[0], 50, 55, MODEL_RELOCATION, MODEL_STATE_FAULT_IO);
}
