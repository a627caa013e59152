// SPDX-License-Identifier: Apache-2.0
// Reports about tasks, in the order of several rings: when the command begins, who still runs. And
// what is kept of all that beside the trace.
#include "tests/support/traces.h"

#include "bpf/sink.h"

enum { COMMAND = 10, THREAD = 11, OTHER = 20 };

static int begin(void **state)
{
	static struct sink sink;
	const struct trace_meta meta = { .page_size = 4096 };
	struct err err = { 0 };
	int fd = memfd_create("trace", MFD_CLOEXEC);

	sink = (struct sink){ .root_pid = COMMAND };
	assert_true(trace_writer_open(fd, &meta, &sink.writer, &err));
	*state = &sink;
	return 0;
}

static int end(void **state)
{
	struct sink *sink = *state;

	trace_writer_close(sink->writer);
	sink_deinit(sink);
	return 0;
}

static void tell(struct sink *sink, uint64_t time_ns, enum trace_task_kind kind, uint32_t pid,
		 uint32_t tid)
{
	const struct trace_task task = { .time_ns = time_ns, .kind = kind, .pid = pid, .tid = tid };

	sink_task(sink, &task);
}

static void fault(struct sink *sink, uint64_t time_ns)
{
	const struct trace_fault fault = { .time_ns = time_ns, .pid = COMMAND, .tid = COMMAND };

	sink_fault(sink, &fault, NULL);
}

const struct tests_around tests_around = { .before_each = begin, .after_each = end };

TEST(the_first_exec_is_the_earliest_and_not_the_one_read_first)
{
	struct sink *sink = *state;

	// The process has gone from one CPU to another: its second exec is in the first ring.
	fault(sink, 5);
	fault(sink, 15);
	fault(sink, 35);
	tell(sink, 30, TRACE_TASK_EXEC, COMMAND, COMMAND);
	tell(sink, 8, TRACE_TASK_COMM, COMMAND, COMMAND);
	tell(sink, 10, TRACE_TASK_EXEC, COMMAND, COMMAND);
	tell(sink, 20, TRACE_TASK_FORK, COMMAND, THREAD);
	assert_false(sink->exec_known);
	sink_settle(sink);
	assert_true(sink->exec_known);
	assert_int_equal(sink->exec_ns, 10);
	assert_int_equal(sink->before_exec, 1);
	assert_int_equal(trace_writer_fault_count(sink->writer), 2);
	assert_int_equal(sink->tasks.count, 3);
}

TEST(without_an_exec_nothing_is_settled)
{
	struct sink *sink = *state;

	fault(sink, 5);
	sink_settle(sink);
	assert_false(sink->exec_known);
	assert_int_equal(trace_writer_fault_count(sink->writer), 0);
}

TEST(a_thread_that_executed_a_program_does_not_run_any_more)
{
	struct sink *sink = *state;
	size_t processes;

	tell(sink, 10, TRACE_TASK_EXEC, COMMAND, COMMAND);
	sink_settle(sink);
	tell(sink, 20, TRACE_TASK_FORK, COMMAND, THREAD);
	assert_int_equal(sink_running(sink, &processes), 2);
	assert_int_equal(processes, 1);
	tell(sink, 30, TRACE_TASK_EXIT, COMMAND, COMMAND); // its first thread
	assert_int_equal(sink_running(sink, &processes), 1);
	assert_int_equal(processes, 1);
	tell(sink, 31, TRACE_TASK_EXEC, COMMAND, COMMAND);
	assert_int_equal(sink_running(sink, &processes), 1);
	tell(sink, 40, TRACE_TASK_EXIT, COMMAND, COMMAND);
	assert_int_equal(sink_running(sink, &processes), 0);
	assert_int_equal(processes, 0);
	// A thread that begins after the exec is another one.
	tell(sink, 50, TRACE_TASK_FORK, COMMAND, THREAD);
	assert_int_equal(sink_running(sink, &processes), 1);
}

TEST(an_end_that_follows_an_exec_at_once_is_that_of_perf_events)
{
	struct sink *sink = *state;
	const struct trace_mapping mapping = { .time_ns = 42,
					       .size = 1,
					       .path = "/x",
					       .pid = OTHER,
					       .protection = TRACE_PROTECTION_EXEC };

	tell(sink, 10, TRACE_TASK_EXEC, COMMAND, COMMAND);
	sink_settle(sink);
	tell(sink, 20, TRACE_TASK_EXIT, COMMAND, COMMAND);
	tell(sink, 40, TRACE_TASK_EXEC, OTHER, OTHER);
	sink_mapping(sink, &mapping);
	tell(sink, 50, TRACE_TASK_EXIT, OTHER, OTHER);
	sink_sort(sink);
	assert_true(sink_lost_at_exec(sink, 0));
	assert_false(sink_lost_at_exec(sink, 1));
	assert_false(sink_lost_at_exec(sink, 2)); // it has mapped
}

/** A program may map and unmap data for as long as it runs: the trace has it, memory does not. */
TEST(of_mappings_only_code_is_kept)
{
	enum { COUNT = 10000 };
	struct memory_file file = memory_file_create(NULL, 0);
	const struct trace_meta meta = { .page_size = 4096 };
	const struct trace_summary summary = { .exit_status = 0 };
	struct sink sink = { .root_pid = 7, .exec_known = true };
	struct err err;

	assert_true(trace_writer_open(file.fd, &meta, &sink.writer, &err));
	for (uint64_t i = 0; i < COUNT; i++)
		sink_mapping(&sink,
			     &(struct trace_mapping){ .time_ns = i,
						      .addr = i * 4096,
						      .size = 4096,
						      .path = "//anon",
						      .pid = 7,
						      .protection = TRACE_PROTECTION_READ |
								    TRACE_PROTECTION_WRITE });
	assert_int_equal(sink.mappings.count, 0);
	assert_null(sink.arena.blocks);
	sink_mapping(&sink, &(struct trace_mapping){ .time_ns = COUNT,
						     .size = 4096,
						     .path = "/lib/x.so",
						     .pid = 7,
						     .protection = TRACE_PROTECTION_READ |
								   TRACE_PROTECTION_EXEC });
	assert_int_equal(sink.mappings.count, 1);
	assert_string_equal(sink.mappings.items[0].path, "/lib/x.so");
	assert_true(trace_writer_finish(sink.writer, &summary));

	struct trace *trace = read_trace(file.path);

	assert_int_equal(trace->mappings.count, COUNT + 1);
	assert_ptr_equal(trace->mappings.items[0].path, trace->mappings.items[1].path);
	trace_close(trace);
	trace_writer_close(sink.writer);
	sink_deinit(&sink);
	close(file.fd);
}
