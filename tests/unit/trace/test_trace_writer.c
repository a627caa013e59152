// SPDX-License-Identifier: Apache-2.0
// The writer, judged by what the reader gets back.
#include "base/memory.h"
#include "tests/support/traces.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint64_t random_state = 20240229;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/** Fault number @i of a long recording; does not compress. */
static struct trace_fault noisy_fault(uint64_t i)
{
	return (struct trace_fault){ .time_ns = i * 1000,
				     .addr = random_number(),
				     .ip = random_number(),
				     .sp = random_number(),
				     .tid = (uint32_t)i };
}

static struct trace_writer *open_writer(int fd)
{
	struct trace_meta meta = { .page_size = 4096 };
	struct trace_writer *writer = NULL;
	struct err err;

	assert_true(trace_writer_open(fd, &meta, &writer, &err));
	return writer;
}

// Of each test: what is written, and what was read of it last.
static struct memory_file file;
static struct trace_writer *writer;
static struct trace *trace;

static int begin(void **state)
{
	(void)state;
	file = memory_file_create(NULL, 0);
	writer = open_writer(file.fd);
	return 0;
}

static int end(void **state)
{
	(void)state;
	trace_writer_close(TAKE(writer));
	trace_close(TAKE(trace));
	return close(file.fd);
}

const struct tests_around tests_around = { .before_each = begin, .after_each = end };

/** Read what is there once the writer is closed. */
static void read_back(void)
{
	trace_writer_close(TAKE(writer));
	trace_close(trace);
	trace = read_trace(file.path);
}

TEST(every_field_at_its_extremes_comes_back)
{
	CLEANUP(trace_closep) struct trace *written = extreme_trace();

	for (size_t per_chunk = 1; per_chunk < 30; per_chunk += 7) {
		struct memory_file binary = write_binary(written, per_chunk);
		struct trace *read = read_trace(binary.path);

		assert_trace_equal(written, read);
		trace_close(read);
		close(binary.fd);
	}
}

TEST(events_in_any_order_come_back_in_order_of_time)
{
	enum { COUNT = 20000 };

	// tid counts the faults as they were added: of one time they must keep that order.
	for (uint32_t i = 0; i < COUNT; i++) {
		struct trace_fault fault = { .time_ns = random_number() % 5000, .tid = i };
		struct trace_stack stack = { .id = COUNT - i };

		assert_true(trace_writer_fault(writer, &fault));
		assert_true(trace_writer_stack(writer, &stack));
	}
	assert_true(trace_writer_finish(writer, &(struct trace_summary){ .recorded = COUNT }));
	read_back();
	assert_true(trace->complete);
	assert_int_equal(trace->faults.count, COUNT);
	for (size_t i = 1; i < COUNT; i++) {
		struct trace_fault *before = &trace->faults.items[i - 1];
		struct trace_fault *after = &trace->faults.items[i];

		assert_true(before->time_ns < after->time_ns ||
			    (before->time_ns == after->time_ns && before->tid < after->tid));
	}
	for (uint32_t id = 1; id <= COUNT; id++)
		assert_int_equal(trace_stack_by_id(trace, id)->id, id);
	assert_null(trace_stack_by_id(trace, 0));
	assert_null(trace_stack_by_id(trace, COUNT + 1));
}

TEST(marks_that_are_written_early_count_until_all_are_written)
{
	const struct trace_mark early[] = {
		{ .time_ns = 5, .name = "a", .condition = "", .flags = TRACE_MARK_EARLY },
		{ .time_ns = 7, .name = "b", .condition = "", .flags = TRACE_MARK_EARLY },
	};
	// The first turned out to have held before, and another not to count.
	const struct trace_mark final[] = {
		{ .time_ns = 4, .name = "a", .condition = "" },
		{ .name = "b", .condition = "", .flags = TRACE_MARK_MISSED },
	};

	for (size_t i = 0; i < 2; i++)
		assert_true(trace_writer_mark(writer, &early[i]));
	trace_writer_flush(writer);
	trace = read_trace(file.path);
	assert_int_equal(trace->marks.count, 2);
	assert_int_equal(trace->marks.items[0].time_ns, 5);
	assert_int_equal(trace->marks.items[1].flags, 0);
	for (size_t i = 0; i < 2; i++)
		assert_true(trace_writer_mark(writer, &final[i]));
	assert_true(trace_writer_finish(writer, &(struct trace_summary){ 0 }));
	read_back();
	assert_int_equal(trace->marks.count, 2);
	assert_int_equal(trace->marks.items[0].flags, TRACE_MARK_MISSED);
	assert_int_equal(trace->marks.items[1].time_ns, 4);
}

TEST(what_was_flushed_is_readable_before_the_end)
{
	struct trace_fault fault = noisy_fault(1);

	assert_true(trace_writer_fault(writer, &fault));
	assert_int_equal(trace_writer_fault_count(writer), 1);
	assert_int_equal(trace_writer_faults_kept(writer), 0);
	assert_true(trace_writer_flush(writer));
	assert_int_equal(trace_writer_faults_kept(writer), 1);
	assert_true(trace_writer_fault(writer, &fault)); // never flushed
	read_back();
	assert_false(trace->complete);
	assert_int_equal(trace->faults.count, 1);
	assert_fault_equal(&trace->faults.items[0], &fault);
	assert_int_equal(trace->summary.exit_status, -1);
	assert_non_null(strstr(trace->notes.list.items[0].text, "without a summary"));
}

TEST(a_fault_that_was_kept_finds_its_stack)
{
	enum { COUNT = 60000 };

	for (uint32_t i = 1; i <= COUNT; i++) {
		uint64_t frames[2] = { random_number(), random_number() };
		struct trace_stack stack = { .id = i, .frame_count = 2, .frames = frames };
		struct trace_fault fault = noisy_fault(i);

		fault.stack = i;
		assert_true(trace_writer_stack(writer, &stack));
		assert_true(trace_writer_fault(writer, &fault));
	}
	uint64_t kept = trace_writer_faults_kept(writer);
	assert_true(kept > 0 && kept < COUNT);
	read_back();
	assert_int_equal(trace->faults.count, kept);
	vec_foreach (fault, &trace->faults)
		assert_non_null(trace_stack_by_id(trace, fault->stack));
}

TEST(a_full_disk_is_an_error_with_the_faults_kept)
{
	struct rlimit limit = { .rlim_cur = 3 << 20, .rlim_max = RLIM_INFINITY };
	char path[] = "test-trace-writer-XXXXXX";
	int fd = mkstemp(path);
	uint64_t added = 0;

	trace_writer_close(writer);
	writer = open_writer(fd);
	// A limit on the size of files fails in the midst of a write, as a full disk does.
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (; added < 200000; added++) {
		struct trace_fault fault = noisy_fault(added);

		if (!trace_writer_fault(writer, &fault))
			break;
	}
	assert_true(added < 200000);
	assert_int_equal(trace_writer_error(writer)->code, ERR_OS);
	assert_int_equal(trace_writer_error(writer)->os_errno, EFBIG);
	assert_int_equal(lseek(fd, 0, SEEK_END), limit.rlim_cur);

	limit.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_false(trace_writer_fault(writer, &(struct trace_fault){ 0 }));
	assert_false(trace_writer_note(writer, &(struct note){ "x", 1 }));
	assert_false(trace_writer_flush(writer));
	assert_false(trace_writer_finish(writer, &(struct trace_summary){ 0 }));
	uint64_t kept = trace_writer_faults_kept(writer);
	assert_true(kept > 0 && kept < added);
	assert_int_equal(trace_writer_fault_count(writer), added);
	trace_writer_close(TAKE(writer));
	trace = read_trace(path);
	assert_false(trace->complete);
	assert_int_equal(trace->faults.count, kept);
	for (size_t i = 0; i < kept; i++)
		assert_int_equal(trace->faults.items[i].tid, i);
	close(fd);
	unlink(path);
}

TEST(a_recorder_killed_at_any_moment_leaves_what_it_wrote)
{
	for (int round = 0; round < 20; round++) {
		int flushed[2];

		assert_int_equal(pipe2(flushed, O_CLOEXEC), 0);

		pid_t child = fork();

		if (child == 0) {
			for (uint64_t i = 0;; i++) {
				struct trace_fault fault = { .time_ns = i, .addr = i * 4096 };

				trace_writer_fault(writer, &fault);
				if (i % 1000 != 999)
					continue;
				trace_writer_flush(writer);
				if (write(flushed[1], "", 1) != 1)
					_exit(1);
			}
		}

		// However slow it is: after so many flushes, and a while.
		uint64_t flushes = random_number() % 10;
		char byte;

		for (uint64_t i = 0; i < flushes; i++)
			assert_int_equal(read(flushed[0], &byte, 1), 1);
		usleep((useconds_t)(random_number() % 1000));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		close(flushed[0]);
		close(flushed[1]);
		read_back();
		assert_false(trace->complete);
		assert_int_equal(trace->faults.count % 1000, 0);
		assert_true(trace->faults.count >= flushes * 1000);
		for (size_t i = 0; i < trace->faults.count; i++) {
			assert_int_equal(trace->faults.items[i].time_ns, i);
			assert_int_equal(trace->faults.items[i].addr, i * 4096);
		}
		end(NULL);
		begin(NULL);
	}
}

TEST(a_disk_that_is_full_from_the_start_is_an_error)
{
	struct trace_meta meta = { 0 };
	struct trace_writer *none = NULL;
	struct err err;
	CLEANUP(fd_close) int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_false(trace_writer_open(fd, &meta, &none, &err));
	assert_null(none);
	assert_int_equal(err.os_errno, ENOSPC);
}

TEST(faults_that_compress_beyond_the_readers_limit_are_still_read)
{
	enum { COUNT = 100000 };

	for (size_t i = 0; i < COUNT; i++)
		assert_true(trace_writer_fault(writer, &(struct trace_fault){ .addr = 4096 }));
	assert_true(trace_writer_finish(writer, &(struct trace_summary){ .recorded = COUNT }));
	read_back();
	assert_true(trace->complete);
	assert_int_equal(trace->faults.count, COUNT);
	assert_int_equal(trace->faults.items[COUNT - 1].addr, 4096);
}

TEST(an_event_too_large_for_a_chunk_is_refused)
{
	enum { SIZE = 17 << 20 };
	char *text = xcalloc(1, SIZE + 1);

	memset(text, 'x', SIZE);
	text[SIZE / 2] = '\0';
	const struct note note = { text, 1 };
	assert_true(trace_writer_note(writer, &note)); // the largest events fit
	assert_true(trace_writer_note(writer, &note));
	assert_true(trace_writer_flush(writer));
	text[SIZE / 2] = 'x';
	assert_false(trace_writer_note(writer, &note));
	assert_int_equal(trace_writer_error(writer)->code, ERR_UNSUPPORTED);
	free(text);
	read_back();
	assert_int_equal(strlen(trace->notes.list.items[0].text), SIZE / 2);
	assert_int_equal(trace->notes.list.items[0].count, 2);
}

TEST(what_a_trace_holds_is_measured_without_reading_it)
{
	const uint64_t frames[] = { 1, 2 };
	struct trace_size size;
	struct err err;

	for (uint32_t i = 1; i <= 20000; i++) {
		const struct trace_fault fault = noisy_fault(i);
		const struct trace_stack stack = { .id = i, .frame_count = 2, .frames = frames };

		assert_true(trace_writer_fault(writer, &fault));
		if (i <= 500)
			assert_true(trace_writer_stack(writer, &stack));
		if (i <= 30)
			assert_true(trace_writer_mapping(writer,
							 &(struct trace_mapping){ .path = "/x" }));
	}
	assert_true(trace_writer_flush(writer));
	assert_true(trace_measure(file.path, &size, &err));
	assert_int_equal(size.faults, 20000);
	assert_int_equal(size.stacks, 500);
	assert_int_equal(size.mappings, 30);
	assert_int_equal(size.others, 0);

	// A header that was changed ends what is believed.
	const uint8_t noise = 0xff;
	assert_int_equal(pwrite(file.fd, &noise, 1, 24), 1);
	assert_true(trace_measure(file.path, &size, &err));
	assert_int_equal(size.faults, 0);
	assert_false(trace_measure("/nonexistent", &size, &err));
}

TEST(equal_frames_and_paths_are_read_once)
{
	const uint64_t frames[][2] = { { 1, 2 }, { 1, 2 }, { 1, 3 } };
	const char *const paths[] = { "/a", "/a", "/b" };

	for (uint32_t i = 0; i < 3; i++) {
		assert_true(trace_writer_stack(
			writer, &(struct trace_stack){
					.id = i + 1, .frame_count = 2, .frames = frames[i] }));
		assert_true(trace_writer_mapping(
			writer, &(struct trace_mapping){ .time_ns = i, .path = paths[i] }));
	}
	assert_true(trace_writer_flush(writer));
	trace = read_trace(file.path);
	assert_int_equal(trace->stacks.count, 3);
	assert_ptr_equal(trace->stacks.items[0].frames, trace->stacks.items[1].frames);
	assert_int_equal(trace->stacks.items[2].frames[1], 3);
	assert_ptr_equal(trace->mappings.items[0].path, trace->mappings.items[1].path);
	assert_string_equal(trace->mappings.items[2].path, "/b");
}

TEST(faults_that_were_dropped_give_their_memory_back)
{
	enum { COUNT = 1 << 18, BYTES = COUNT * sizeof(struct trace_fault) };
	struct trace own = { 0 };

	for (uint32_t i = 0; i < COUNT; i++)
		vec_push(&own.faults, noisy_fault(i));
	uint64_t before = memory_used();
	trace_drop_faults(&own, 0, COUNT / 2);
	trace_drop_faults(&own, COUNT / 2, COUNT - 1000);
	assert_in_range(memory_used(), 0, before - BYTES * 9ULL / 10);
	assert_int_equal(own.faults.items[COUNT - 1].tid, COUNT - 1);
	vec_deinit(&own.faults);
}
