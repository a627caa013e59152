// SPDX-License-Identifier: Apache-2.0
// Pauses from context switches that come in any order.
#include "tests/support/traces.h"

#include "record/perf/private.h"

struct half {
	uint64_t time_ns;
	uint32_t tid;
	bool is_out, is_preempted;
};

static struct trace *join_all(const struct half *halves, size_t count, uint64_t start_ns)
{
	struct memory_file file = memory_file_create(NULL, 0);
	struct switchjoin join = { .start_ns = start_ns };
	struct sink sink = { .root_pid = 10 };
	const struct trace_meta meta = { .page_size = 4096 };
	struct err err = { 0 };

	assert_true(trace_writer_open(file.fd, &meta, &sink.writer, &err));
	for (size_t i = 0; i < count; i++)
		switchjoin_add(&join, halves[i].time_ns, 10, halves[i].tid, halves[i].is_out,
			       halves[i].is_preempted);
	switchjoin_finish(&join, 1000, &sink);
	assert_true(trace_writer_finish(sink.writer, &(struct trace_summary){ 0 }));
	trace_writer_close(sink.writer);
	vec_deinit(&join.halves);
	sink_deinit(&sink);

	struct trace *trace = read_trace(file.path);

	close(file.fd);
	return trace;
}

static void assert_pause(const struct trace *trace, size_t index, uint32_t tid, uint64_t time_ns,
			 uint64_t woken_ns, uint64_t back_ns, uint32_t flags)
{
	assert_true(index < trace->pauses.count);
	assert_pause_equal(&trace->pauses.items[index], &(struct trace_pause){ .time_ns = time_ns,
									       .woken_ns = woken_ns,
									       .back_ns = back_ns,
									       .pid = 10,
									       .tid = tid,
									       .flags = flags });
}

TEST(halves_of_several_cpus_are_joined)
{
	const struct half halves[] = {
		{ 300, 10, true, false },  { 500, 11, true, true },   { 700, 10, false, false },
		{ 200, 10, false, false }, { 400, 11, false, false }, { 600, 11, false, false },
		{ 900, 11, true, false },
	};
	struct trace *trace = join_all(halves, sizeof(halves) / sizeof(halves[0]), 0);

	assert_int_equal(trace->pauses.count, 6);
	// Each has waited to run since it was made.
	assert_pause(trace, 0, 10, 200, 200, 200, TRACE_PAUSE_PREEMPTED);
	assert_pause(trace, 1, 10, 300, 700, 700, 0);
	assert_pause(trace, 2, 11, 400, 400, 400, TRACE_PAUSE_PREEMPTED);
	assert_pause(trace, 3, 11, 500, 500, 600, TRACE_PAUSE_PREEMPTED);
	assert_pause(trace, 4, 11, 900, 1000, 1000, TRACE_PAUSE_OPEN);
	// It runs until the end.
	assert_pause(trace, 5, 10, 1000, 1000, 1000, TRACE_PAUSE_PREEMPTED | TRACE_PAUSE_OPEN);
	trace_close(trace);
}

TEST(a_process_that_was_there_has_waited_since_the_start)
{
	const struct half halves[] = { { 200, 10, false, false }, { 300, 10, true, false } };
	CLEANUP(trace_closep) struct trace *trace = join_all(halves, 2, 100);

	assert_int_equal(trace->pauses.count, 2);
	assert_pause(trace, 0, 10, 100, 200, 200, 0);
	assert_pause(trace, 1, 10, 300, 1000, 1000, TRACE_PAUSE_OPEN);
}

TEST(nothing_makes_no_pauses)
{
	CLEANUP(trace_closep) struct trace *trace = join_all(NULL, 0, 0);

	assert_int_equal(trace->pauses.count, 0);
}
