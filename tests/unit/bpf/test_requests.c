// SPDX-License-Identifier: Apache-2.0
// Requests under way: what is written of them, and where files are mounted.
#include "bpf/mountpoints.h"
#include "bpf/requests.h"
#include "tests/support/traces.h"

#include <sys/sysmacros.h>

/** A sink whose trace is in memory. */
struct fixture {
	struct sink sink;
	struct memory_file file;
	struct requests requests;
};

static int begin(void **state)
{
	static struct fixture fixture;
	const struct trace_meta meta = { .page_size = 4096 };

	fixture = (struct fixture){ .file = memory_file_create(NULL, 0) };
	assert_true(trace_writer_open(fixture.file.fd, &meta, &fixture.sink.writer, NULL));
	*state = &fixture;
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;

	trace_writer_close(fixture->sink.writer);
	sink_deinit(&fixture->sink);
	vec_deinit(&fixture->requests.list);
	close(fixture->file.fd);
	return 0;
}

/** Return the written trace; trace_close() it. */
static struct trace *written(struct fixture *fixture)
{
	const struct trace_summary summary = { 0 };

	requests_end(&fixture->requests, &fixture->sink);
	assert_true(trace_writer_finish(fixture->sink.writer, &summary));
	return read_trace(fixture->file.path);
}

static void issue(struct fixture *fixture, uint64_t request, uint32_t size, uint32_t parts)
{
	struct request_event event = { .kind = STORAGE_EVENT_REQUEST,
				       .flags = STORAGE_EVENT_FAULT,
				       .pid = 10,
				       .tid = 11,
				       .time_ns = 100,
				       .request = request,
				       .sector = 1000,
				       .size = size,
				       .device = 7 << 20 | 1,
				       .part_count = parts };

	for (uint32_t i = 0; i < parts; i++)
		event.parts[i] = (struct request_part){ .inode = 5 + i,
							.offset = 8192,
							.device = 7 << 20 | 1,
							.size = 4096,
							.flags = STORAGE_EVENT_FILE };
	requests_issue(&fixture->requests, &event);
}

static void done(struct fixture *fixture, uint64_t request, uint32_t size, uint32_t left)
{
	const struct done_event event = { .kind = STORAGE_EVENT_DONE,
					  .device = 7 << 20 | 1,
					  .time_ns = 160,
					  .request = request,
					  .sector = 1000,
					  .size = size,
					  .left = left };

	requests_done(&fixture->requests, &event, &fixture->sink);
}

const struct tests_around tests_around = { .before_each = begin, .after_each = end };

TEST(a_request_is_written_when_it_completes)
{
	struct fixture *fixture = *state;

	issue(fixture, 1, 8192, 2);
	issue(fixture, 2, 4096, 1);
	done(fixture, 1, 8192, 0);
	CLEANUP(trace_closep) struct trace *trace = written(fixture);
	const struct trace_request *requests = trace->requests.items;

	// The other one never completed: the kernel counts none of its bytes.
	assert_int_equal(trace->requests.count, 2);
	assert_int_equal(requests[0].time_ns, 100);
	assert_int_equal(requests[0].duration_ns, 60);
	assert_int_equal(requests[0].device, makedev(7, 1));
	assert_int_equal(requests[0].sector, 1000);
	assert_int_equal(requests[0].inode, 5);
	assert_int_equal(requests[0].tid, 11);
	assert_int_equal(requests[0].flags, TRACE_READ_FAULT | TRACE_READ_FILE);
	assert_int_equal(requests[1].sector, 1008);
	assert_int_equal(requests[1].inode, 6);
	assert_int_equal(requests[1].flags,
			 TRACE_READ_FAULT | TRACE_READ_FILE | TRACE_READ_CONTINUES);
}

TEST(bytes_behind_the_parts_are_of_an_unknown_file)
{
	struct fixture *fixture = *state;

	issue(fixture, 1, 12288, 1);
	done(fixture, 1, 4096, 8192);
	done(fixture, 1, 8192, 0);
	CLEANUP(trace_closep) struct trace *trace = written(fixture);

	assert_int_equal(trace->requests.count, 2);
	assert_int_equal(trace->requests.items[1].size, 8192);
	assert_int_equal(trace->requests.items[1].flags, TRACE_READ_FAULT | TRACE_READ_CONTINUES);
}

TEST(a_request_that_is_issued_again_is_what_it_is_then)
{
	struct fixture *fixture = *state;

	issue(fixture, 1, 4096, 1);
	issue(fixture, 1, 8192, 2);
	done(fixture, 1, 8192, 0);
	CLEANUP(trace_closep) struct trace *trace = written(fixture);

	assert_int_equal(trace->requests.count, 2);
	assert_int_equal(trace->requests.items[1].inode, 6);
}

TEST(a_request_of_before_is_of_nobody)
{
	struct fixture *fixture = *state;

	done(fixture, 9, 4096, 0);
	CLEANUP(trace_closep) struct trace *trace = written(fixture);

	assert_int_equal(trace->requests.count, 1);
	assert_int_equal(trace->requests.items[0].size, 4096);
	assert_int_equal(trace->requests.items[0].pid, 0);
	assert_int_equal(trace->requests.items[0].flags, 0);
}

TEST(part_of_a_request_at_the_end_counts)
{
	struct fixture *fixture = *state;

	issue(fixture, 1, 8192, 2);
	done(fixture, 1, 512, 7680);
	CLEANUP(trace_closep) struct trace *trace = written(fixture);

	assert_int_equal(trace->requests.count, 1);
	assert_int_equal(trace->requests.items[0].size, 512);
}

TEST(a_path_begins_where_its_file_system_is_mounted)
{
	CLEANUP(mountpoints_deinit) struct mountpoints mountpoints = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf path = { 0 };
	char lines[][80] = {
		"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n",
		"30 22 7:1 /sub /bound rw - ext4 /dev/loop1 rw\n",
		"31 22 7:1 / /mnt/a\\040b rw - ext4 /dev/loop1 rw\n",
		"32 22 7:2 /only /part rw - ext4 /dev/loop2 rw\n",
		"33 22 7\n",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		mountpoints_add(&mountpoints, lines[i]);
	assert_true(mountpoints_path(&mountpoints, makedev(254, 0), "/etc/passwd", &path));
	assert_string_equal(strbuf_text(&path), "/etc/passwd");
	strbuf_clear(&path);
	assert_true(mountpoints_path(&mountpoints, makedev(7, 1), "/sub/f", &path));
	assert_string_equal(strbuf_text(&path), "/mnt/a b/sub/f");
	strbuf_clear(&path);
	assert_true(mountpoints_path(&mountpoints, makedev(7, 2), "/only/f", &path));
	assert_string_equal(strbuf_text(&path), "/part/f");
	assert_false(mountpoints_path(&mountpoints, makedev(7, 2), "/onlyf", &path));
	assert_false(mountpoints_path(&mountpoints, makedev(8, 2), "/f", &path));
}
