// SPDX-License-Identifier: Apache-2.0
// The text form: lossless, kind to people who write it, exact about mistakes.
#include "tests/support/traces.h"

#define FIRST "elfault-trace-text 1\n"

static void assert_text_is(const struct trace *trace, const char *expected)
{
	CLEANUP(freep) char *text = text_of(trace);

	assert_string_equal(text, expected);
}

TEST(every_field_at_its_extremes_comes_back)
{
	CLEANUP(trace_closep) struct trace *written = extreme_trace();
	CLEANUP(freep) char *text = text_of(written);
	CLEANUP(trace_closep) struct trace *read = read_text(text);

	assert_trace_equal(written, read);
	assert_text_is(read, text);
}

TEST(members_that_contradict_each_other_come_back)
{
	CLEANUP(trace_closep) struct trace *written = extreme_trace();

	// Numbers without the flag that says they are known, and flags without a number.
	written->summary.has_rusage = false;
	written->summary.has_unsampled = false;
	written->summary.has_unrecorded = false;
	written->faults.items[2].flags = 0;
	for (uint32_t bit = 0; bit < 8; bit++)
		vec_push(&written->faults,
			 (struct trace_fault){ .time_ns = UINT64_MAX, .flags = 1u << bit });
	vec_push(&written->faults, (struct trace_fault){ .time_ns = UINT64_MAX, .ip = 1 });
	written->summary.recorded = 1; // also wrong; complete stays what it says
	written->mappings.items[1].protection = 0xf0;
	written->mappings.items[0].is_shared = true;
	vec_foreach (task, &written->tasks)
		task->has_counts = !task->has_counts;

	CLEANUP(freep) char *text = text_of(written);
	CLEANUP(trace_closep) struct trace *read = read_text(text);
	assert_trace_equal(written, read);
}

TEST(text_to_binary_to_text_is_identical)
{
	CLEANUP(trace_closep) struct trace *extreme = extreme_trace();
	CLEANUP(trace_closep) struct trace *small = read_trace(FIXTURES "/traces/small.txt");
	struct trace *traces[] = { extreme, small };

	for (size_t i = 0; i < 2; i++) {
		char *before = text_of(traces[i]);
		struct trace *from_text = read_text(before);
		struct memory_file file = write_binary(from_text, 4);
		struct trace *from_binary = read_trace(file.path);

		assert_text_is(from_binary, before);
		assert_trace_equal(from_text, from_binary);
		free(before);
		close(file.fd);
		trace_close(from_text);
		trace_close(from_binary);
	}
}

TEST(the_small_fixture_holds_every_kind_of_event)
{
	CLEANUP(trace_closep) struct trace *trace = read_trace(FIXTURES "/traces/small.txt");

	assert_true(trace->complete);
	assert_int_equal(trace->faults.count, 4);
	assert_int_equal(trace->mappings.count, 4);
	assert_int_equal(trace->remaps.count, 1);
	assert_int_equal(trace->tasks.count, 6);
	assert_int_equal(trace->stacks.count, 2);
	assert_int_equal(trace->files.count, 2);
	assert_int_equal(trace->files.items[0].flags, TRACE_FILE_KNOWN);
	assert_int_equal(trace->files.items[0].mtime_ns, 1700000000123456789);
	assert_int_equal(trace->files.items[1].flags,
			 TRACE_FILE_KNOWN | TRACE_FILE_HAS_HASH | TRACE_FILE_ELSEWHERE);
	assert_int_equal(trace->mappings.items[3].file, 2);
	assert_int_equal(trace->contents.count, 1);
	assert_memory_equal(trace->contents.items[0].bytes, "\177ELF\2\1", 6);
	assert_string_equal(trace->meta.command[1], "--name=a \"b\"");
	assert_string_equal(trace->mappings.items[3].path, "/dev/shm/caf\xc3\xa9 bar");
	assert_true(trace->mappings.items[3].is_shared);
	assert_int_equal(trace->mappings.items[0].device, 0x801);
	assert_int_equal(trace->mappings.items[0].build_id[1], 0x11);
	assert_int_equal(trace->faults.items[1].flags,
			 TRACE_FAULT_MAJOR | TRACE_FAULT_HAS_ERROR_CODE | TRACE_FAULT_HAS_DURATION |
				 TRACE_FAULT_HAS_AROUND | TRACE_FAULT_HAS_USER_IP |
				 TRACE_FAULT_HAS_READ);
	assert_int_equal(trace->faults.items[1].read_pages, 3);
	assert_int_equal(trace->faults.items[1].read_span, 4);
	assert_int_equal(trace->faults.items[2].error_code, 0x27);
	assert_int_equal(trace->faults.items[3].flags, TRACE_FAULT_KERNEL);
}

TEST(what_is_left_out_has_a_sane_value)
{
	CLEANUP(trace_closep)
	struct trace *trace = read_text(FIRST "\n"
					      "  # all but the essential\n"
					      "exec\n"
					      "map addr=4096 size=0x1000 path=/unquoted\r\n"
					      "fork tid=7\n"
					      "fault addr=0x1000 tid=7 # a comment\n"
					      "fault addr=0x1001 time=90\n"
					      "exit\n"
					      "stack id=1 frames=0x10,17\n"
					      "note text=hm\n"
					      "summary"); // and no newline at the end

	assert_true(trace->complete);
	assert_text_is(trace, FIRST "meta page_size=4096 root_pid=1 stacks=yes\n"
				    "exec time=1 pid=1\n"
				    "map time=2 pid=1 addr=0x1000 size=0x1000 prot=r--p "
				    "path=\"/unquoted\"\n"
				    "fork time=3 pid=1 tid=7 parent_pid=1\n"
				    "fault time=4 pid=1 tid=7 addr=0x1000\n"
				    "fault time=90 pid=1 addr=0x1001\n"
				    "exit time=91 pid=1\n"
				    "stack id=1 frames=0x10,0x11\n"
				    "note text=\"hm\" count=1\n"
				    "summary end=91 recorded=2 exit_status=0 complete=yes\n");
}

TEST(events_out_of_order_are_sorted_and_faults_come_last)
{
	CLEANUP(trace_closep)
	struct trace *trace = read_text(FIRST "fault time=5 addr=2\n"
					      "fault time=3 addr=1\n"
					      "fault time=5 addr=3\n"
					      "map time=5 addr=0 size=1\n"
					      "exit time=5\n"
					      "summary\n");

	assert_text_is(trace, FIRST "meta page_size=4096 root_pid=1 stacks=no\n"
				    "fault time=3 pid=1 addr=0x1\n"
				    "exit time=5 pid=1\n"
				    "map time=5 pid=1 addr=0x0 size=0x1 prot=r--p path=\"//anon\"\n"
				    "fault time=5 pid=1 addr=0x2\n"
				    "fault time=5 pid=1 addr=0x3\n"
				    "summary end=5 recorded=3 exit_status=0 complete=yes\n");
}

TEST(an_incomplete_trace_stays_incomplete)
{
	struct trace *trace = read_text(FIRST "fault addr=1\n");

	assert_false(trace->complete);
	assert_int_equal(trace->notes.list.count, 1);
	assert_non_null(strstr(trace->notes.list.items[0].text, "ends at line 2 without"));
	char *text = text_of(trace);
	assert_non_null(strstr(text, "\nincomplete\n"));

	struct trace *again = read_text(text);
	assert_trace_equal(trace, again); // and no second note
	free(text);
	trace_close(again);
	trace_close(trace);

	trace = read_text(FIRST "summary recorded=3\n");
	assert_false(trace->complete);
	assert_non_null(strstr(trace->notes.list.items[0].text, "0 faults, but its summary"));
	text = text_of(trace);
	again = read_text(text);
	assert_trace_equal(trace, again);
	free(text);
	trace_close(again);
	trace_close(trace);
}

TEST(every_byte_of_a_string_survives)
{
	char all[256];

	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = '\0';

	struct trace *written = extreme_trace();
	written->mappings.items[1].path = all;
	char *text = text_of(written);
	for (const char *byte = text; *byte; byte++)
		assert_true(*byte == '\n' || (*byte >= ' ' && *byte <= '~'));
	struct trace *read = read_text(text);
	assert_string_equal(read->mappings.items[1].path, all);
	free(text);
	trace_close(read);
	trace_close(written);

	read = read_text(FIRST
			 "note text=\"\\a\\b\\f\\n\\r\\t\\v\\\\\\\"\\'\\x4a\\112\\7z\" # \"\n");
	assert_string_equal(read->notes.list.items[0].text, "\a\b\f\n\r\t\v\\\"'JJ\az");
	trace_close(read);
}

TEST(a_mistake_is_named_with_its_line_and_word)
{
	static const struct {
		const char *line;
		const char *message;
	} mistakes[] = {
		{ "flt addr=1", "'flt' is not an event" },
		{ "fault adr=1", "'adr' is not a field of fault, which has time pid tid addr" },
		{ "incomplete x=1", "'x' is not a field of incomplete, which has none" },
		{ "fault", "'fault' needs the field addr" },
		{ "map addr=1", "'map' needs the field size" },
		{ "remap old_addr=1 old_size=1 new_addr=1", "'remap' needs the field new_size" },
		{ "stack frames=1", "'stack' needs the field id" },
		{ "note", "'note' needs the field text" },
		{ "fault addr", "'addr' must be followed by =" },
		{ "fault addr=", "'addr=' must be a number" },
		{ "fault addr=0x", "'addr=0x' must be a number" },
		{ "fault addr=-1", "'addr=-1' must be a number" },
		{ "fault addr=1f", "'addr=1f' must be a number" },
		{ "fault addr=18446744073709551616", "must be a number below 2^64" },
		{ "fault addr=0x10000000000000000", "must be a number below 2^64" },
		{ "fault addr=1 pid=4294967296", "'pid=4294967296' must be a number below 2^32" },
		{ "fault addr=1 addr=2", "'addr' is a duplicate" },
		{ "fault addr=1 kind=large", "'kind=large' must be minor or major" },
		{ "fault addr=1 mode=root", "'mode=root' must be user or kernel" },
		{ "fault addr=1 error=write,,user", "must be present, write, user" },
		{ "fault addr=1 error=", "must be present, write, user" },
		{ "map addr=1 size=1 prot=rwxpp", "'prot=rwxpp' must look like" },
		{ "map addr=1 size=1 prot=xwr", "'prot=xwr' must look like" },
		{ "map addr=1 size=1 prot=r--q", "'prot=r--q' must look like" },
		{ "map addr=1 size=1 device=8:1:2", "must look like 8:1" },
		{ "map addr=1 size=1 device=8:", "must look like 8:1" },
		{ "map addr=1 size=1 build_id=abc", "must be at most 20 bytes in hex" },
		{ "map addr=1 size=1 build_id=zz", "must be at most 20 bytes in hex" },
		{ "map addr=1 size=1 build_id=000102030405060708090a0b0c0d0e0f1011121314",
		  "must be at most 20 bytes in hex" },
		{ "map addr=1 size=1 path=\"x", "'path' has no closing quote" },
		{ "map addr=1 size=1 path=\"x\\", "'path' has a malformed escape" },
		{ "map addr=1 size=1 path=\"\\q\"", "'path' has a malformed escape" },
		{ "map addr=1 size=1 path=\"\\777\"", "'path' has a malformed escape" },
		{ "map addr=1 size=1 path=\"\\x\"", "'path' has a malformed escape" },
		{ "map addr=1 size=1 path=\"a\\0b\"", "must not contain a NUL byte" },
		{ "map addr=1 size=1 path=\"a\"b", "'path' must have a space after" },
		{ "exec comm=\"0123456789abcdef\"", "must have at most 15 bytes" },
		{ "stack id=1 frames=1,,2", "must be addresses" },
		{ "content file=1 offset=0 bytes=0", "must be whole bytes in hex" },
		{ "content file=1 offset=0 bytes=0g", "must be whole bytes in hex" },
		{ "content file=1 bytes=00", "needs the field offset" },
		{ "file id=1 place=here", "must be path or elsewhere" },
		{ "stack id=1 frames=1,", "must be addresses" },
		{ "stack id=1 truncated=maybe", "must be yes or no" },
		{ "summary exit_status=2147483648", "must be a number from -2^31" },
		{ "summary exit_status=-2147483649", "must be a number from -2^31" },
		{ "summary exit_status=-", "must be a number from -2^31" },
		{ "meta", "'meta' is a duplicate" },
	};

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct trace *trace = NULL;
		struct err err = { 0 };
		char text[256], place[128];
		int length = snprintf(text, sizeof(text), FIRST "# a comment\nmeta\n%s\nsummary\n",
				      mistakes[i].line);
		struct memory_file file = memory_file_create(text, (size_t)length);

		snprintf(place, sizeof(place), "%s:4: ", file.path);
		if (trace_read(file.path, &trace, &err))
			fail_msg("'%s' was read", mistakes[i].line);
		assert_int_equal(err.code, ERR_INPUT);
		if (strncmp(err.message, place, strlen(place)) != 0 ||
		    !strstr(err.message, mistakes[i].message))
			fail_msg("'%s' gave: %s", mistakes[i].line, err.message);
		close(file.fd);
	}
}

TEST(another_version_is_refused_with_both_versions)
{
	static const char text[] = "elfault-trace-text 12\n";
	struct memory_file file = memory_file_create(text, strlen(text));
	struct trace *trace = NULL;
	struct err err = { 0 };

	assert_false(trace_read(file.path, &trace, &err));
	assert_non_null(strstr(err.message, "version '12'"));
	assert_non_null(strstr(err.message, "reads version 1"));
	close(file.fd);
}

TEST(a_failing_output_is_an_error)
{
	CLEANUP(trace_closep) struct trace *trace = extreme_trace();
	FILE *out = fopen("/dev/full", "w");

	assert_false(trace_write_text(trace, out));
	fclose(out);
}
