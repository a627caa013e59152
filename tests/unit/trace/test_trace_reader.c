// SPDX-License-Identifier: Apache-2.0
// The reader of the binary form on good, cut, damaged, newer and hostile files.
#include "tests/support/traces.h"
#include "trace/record.h"

#include <sys/stat.h>
#include <xxhash.h>

/** The bytes of the trace that a test makes by hand, hashes and all, and why it is refused. */
static VEC(unsigned char) image;
static struct err err;

static void add_bytes(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		vec_push(&image, ((const unsigned char *)bytes)[i]);
}

static void add_file_header(uint32_t version)
{
	struct disk_file_header header = { .version = htole32(version) };

	memcpy(header.magic, DISK_MAGIC, DISK_MAGIC_SIZE);
	header.hash = htole64(XXH64(&header, offsetof(struct disk_file_header, hash), 0));
	add_bytes(&header, sizeof(header));
}

/** Add a chunk whose hashes are right, whatever else @header claims. */
static void add_claimed_chunk(struct disk_chunk_header header, const void *stored,
			      size_t stored_size)
{
	header.stored_size = htole32((uint32_t)stored_size);
	header.stored_hash = htole64(XXH64(stored, stored_size, 0));
	header.header_hash =
		htole64(XXH64(&header, offsetof(struct disk_chunk_header, header_hash), 0));
	add_bytes(&header, sizeof(header));
	add_bytes(stored, stored_size);
}

static void add_chunk(uint32_t type, uint32_t record_size, uint32_t record_count,
		      const void *content, size_t size)
{
	add_claimed_chunk((struct disk_chunk_header){ .type = htole32(type),
						      .raw_size = htole32((uint32_t)size),
						      .record_size = htole32(record_size),
						      .record_count = htole32(record_count) },
			  content, size);
}

/** File header and an empty meta chunk. */
static void add_start(void)
{
	struct disk_meta meta = { .backend_size = DISK_NO_STRING,
				  .kernel_size = DISK_NO_STRING,
				  .machine_size = DISK_NO_STRING,
				  .producer_size = DISK_NO_STRING };

	add_file_header(TRACE_VERSION);
	add_chunk(DISK_CHUNK_META, sizeof(meta), 1, &meta, sizeof(meta));
}

static void add_end(uint64_t recorded)
{
	struct disk_summary summary = { .recorded = htole64(recorded) };

	add_chunk(DISK_CHUNK_SUMMARY, sizeof(summary), 1, &summary, sizeof(summary));
}

/** Read the image and forget it. NULL where it is refused. */
static struct trace *read_image(void)
{
	struct memory_file file = memory_file_create(image.items, image.count);
	struct trace *trace = NULL;

	if (!trace_read(file.path, &trace, &err))
		assert_null(trace);
	close(file.fd);
	vec_deinit(&image);
	return trace;
}

/** Read an image that must be whole. */
static struct trace *read_whole(void)
{
	struct trace *trace = read_image();

	if (!trace)
		fail_msg("refused: %s", err.message);
	assert_true(trace->complete);
	return trace;
}

static bool has_note(const struct trace *trace, const char *part)
{
	vec_foreach (note, &trace->notes.list)
		if (strstr(note->text, part))
			return true;
	return false;
}

/** Read an image that is cut by @why; close what it gives. */
static void assert_cut(const char *why)
{
	CLEANUP(trace_closep) struct trace *trace = read_image();

	if (!trace)
		fail_msg("refused: %s", err.message);
	assert_false(trace->complete);
	if (!has_note(trace, why))
		fail_msg("no note says '%s' but: %s", why, trace->notes.list.items[0].text);
	assert_int_equal(trace->faults.count, 0);
	assert_int_equal(trace->mappings.count, 0);
	assert_int_equal(trace->tasks.count, 0);
	assert_int_equal(trace->stacks.count, 0);
}

static void assert_refused(const char *path, const char *why)
{
	struct trace *trace = NULL;

	assert_false(trace_read(path, &trace, &err));
	assert_null(trace);
	if (!strstr(err.message, why) || !strstr(err.message, path))
		fail_msg("expected '%s' and the path, got: %s", why, err.message);
}

/** The bytes of a good trace in several chunks, and what it holds. */
static unsigned char *good_trace(size_t *ret_size, struct trace **ret_trace)
{
	struct trace *extreme = extreme_trace();
	struct memory_file file = write_binary(extreme, 3);
	unsigned char *bytes = memory_file_bytes(&file, ret_size);

	*ret_trace = read_trace(file.path);
	assert_trace_equal(extreme, *ret_trace);
	trace_close(extreme);
	close(file.fd);
	return bytes;
}

TEST(metas_of_before_labels_were_told_have_none)
{
	struct disk_meta meta = { .backend_size = DISK_NO_STRING,
				  .kernel_size = DISK_NO_STRING,
				  .machine_size = DISK_NO_STRING,
				  .producer_size = DISK_NO_STRING,
				  .host_size = htole32(UINT32_MAX) }; // not the record's
	const size_t size = offsetof(struct disk_meta, host_size);

	assert_int_equal(size, 56);
	add_file_header(TRACE_VERSION);
	add_chunk(DISK_CHUNK_META, (uint32_t)size, 1, &meta, size);
	add_end(0);

	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_null(trace->meta.host);
	assert_int_equal(trace->meta.label_count, 0);
}

TEST(a_malformed_label_is_refused)
{
	static const struct {
		uint32_t host, count, size;
	} metas[] = {
		{ 0, 2, 4 },	      // fewer labels than said
		{ 0, 1, 2 },	      // not ended
		{ 5, 0, 0 },	      // the host is longer than the tail
		{ 1, 1, 4 },	      // the labels reach past the tail
		{ 0, UINT32_MAX, 4 }, // more labels than bytes
	};

	for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
		struct {
			struct disk_meta meta;
			char tail[4];
		} content = { .meta = { .backend_size = DISK_NO_STRING,
					.kernel_size = DISK_NO_STRING,
					.machine_size = DISK_NO_STRING,
					.producer_size = DISK_NO_STRING,
					.host_size = htole32(metas[i].host),
					.label_count = htole32(metas[i].count),
					.labels_size = htole32(metas[i].size),
					.tail_size = htole32(4) },
			      .tail = "a=b" };

		add_file_header(TRACE_VERSION);
		add_chunk(DISK_CHUNK_META, sizeof(content.meta), 1, &content, sizeof(content));
		assert_null(read_image());
		assert_non_null(strstr(err.message, "not a valid meta chunk"));
	}
}

TEST(faults_of_before_reads_were_told_have_none)
{
	struct disk_fault faults[] = { { .time_ns = htole64(1), .flags = htole32(1) },
				       { .time_ns = htole64(2), .flags = htole32(2) } };
	const size_t size = offsetof(struct disk_fault, read_offset);
	unsigned char older[2 * sizeof(faults[0])];

	assert_int_equal(size, 72);
	memset(older, 0xff, sizeof(older)); // what lies behind a record is not the record's
	for (size_t i = 0; i < 2; i++)
		memcpy(older + i * size, &faults[i], size);
	add_start();
	add_chunk(DISK_CHUNK_FAULTS, (uint32_t)size, 2, older, 2 * size);
	add_end(2);

	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_false(trace->meta.has_reads);
	assert_int_equal(trace->faults.count, 2);
	vec_foreach (fault, &trace->faults) {
		assert_int_equal(fault->flags, fault->time_ns);
		assert_int_equal(fault->read_offset, 0);
		assert_int_equal(fault->read_pages, 0);
		assert_int_equal(fault->read_span, 0);
	}
}

TEST(mappings_of_before_files_were_told_have_none)
{
	struct disk_mapping mapping = { .addr = htole64(4096) };
	const size_t size = offsetof(struct disk_mapping, file);
	unsigned char older[sizeof(mapping)];

	assert_int_equal(size, 96);
	memset(older, 0xff, sizeof(older)); // what lies behind a record is not the record's
	memcpy(older, &mapping, size);
	add_start();
	add_chunk(DISK_CHUNK_MAPPINGS, (uint32_t)size, 1, older, size);
	add_end(0);

	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_int_equal(trace->mappings.count, 1);
	assert_int_equal(trace->mappings.items[0].file, 0);
}

TEST(a_part_of_a_file_that_exceeds_its_tail_cuts_the_trace)
{
	struct {
		struct disk_content content;
		uint8_t bytes[4];
	} record = { { .file = htole32(1), .tail_size = htole32(4), .size = htole32(5) }, "abc" };

	add_start();
	add_chunk(DISK_CHUNK_CONTENTS, sizeof(record.content), 1, &record, 28);
	add_end(0);
	assert_cut("a malformed part of a file");
}

TEST(every_prefix_is_refused_or_incomplete)
{
	size_t size;
	CLEANUP(trace_closep) struct trace *whole;
	CLEANUP(freep) unsigned char *bytes = good_trace(&size, &whole);
	size_t last_count = 0;

	for (size_t length = 1; length < size; length++) {
		add_bytes(bytes, length);
		struct trace *trace = read_image();
		if (!trace) {
			assert_int_equal(last_count, 0); // refused only before the first chunk
			assert_int_equal(err.code, ERR_INPUT);
			continue;
		}
		assert_false(trace->complete);
		assert_true(has_note(trace, "the trace is incomplete"));
		assert_is_prefix(trace, whole);

		size_t count = 1 + trace->faults.count + trace->mappings.count +
			       trace->remaps.count + trace->tasks.count + trace->stacks.count +
			       trace->reads.count + trace->requests.count + trace->paths.count +
			       trace->devices.count;
		assert_true(count >= last_count);
		last_count = count;
		trace_close(trace);
	}
	assert_int_equal(last_count, 1 + 3 + 2 + 2 + 8 + 3 + 2 + 2 + 2 + 2); // all but the summary
}

TEST(every_flipped_bit_is_refused_or_incomplete)
{
	size_t size;
	CLEANUP(trace_closep) struct trace *whole;
	CLEANUP(freep) unsigned char *bytes = good_trace(&size, &whole);

	for (size_t bit = 0; bit < size * 8; bit++) {
		add_bytes(bytes, size);
		image.items[bit / 8] ^= (unsigned char)(1u << bit % 8);
		struct trace *trace = read_image();
		if (!trace) {
			assert_int_equal(err.code, ERR_INPUT);
			continue;
		}
		assert_false(trace->complete);
		assert_true(has_note(trace, "the trace is incomplete"));
		assert_is_prefix(trace, whole);
		trace_close(trace);
	}
}

TEST(the_note_of_a_cut_trace_names_the_byte)
{
	add_start();
	add_bytes("xyz", 3);
	CLEANUP(trace_closep) struct trace *trace = read_image();
	assert_non_null(trace);
	assert_string_equal(
		trace->notes.list.items[0].text,
		"the trace is incomplete: the file is cut at byte 216 of 219; the events "
		"before it were read");
}

TEST(an_unknown_chunk_is_skipped_and_noted)
{
	struct disk_fault fault = { .addr = htole64(4096) };

	add_start();
	add_claimed_chunk((struct disk_chunk_header){ .type = htole32(77),
						      .flags = htole32(0xff00),
						      .raw_size = UINT32_MAX,
						      .record_size = UINT32_MAX,
						      .record_count = UINT32_MAX },
			  "whatever", 8);
	add_chunk(DISK_CHUNK_FAULTS, sizeof(fault), 1, &fault, sizeof(fault));
	add_end(1);
	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_int_equal(trace->faults.count, 1);
	assert_true(has_note(trace, "unknown type 77"));
}

TEST(an_empty_chunk_has_no_events)
{
	add_start();
	add_chunk(DISK_CHUNK_FAULTS, sizeof(struct disk_fault), 0, "", 0);
	add_chunk(DISK_CHUNK_STACKS, sizeof(struct disk_stack), 0, "", 0);
	add_end(0);
	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_int_equal(trace->faults.count, 0);
}

TEST(records_and_tails_that_grew_are_read)
{
	struct {
		struct disk_mapping mapping;
		uint64_t later;
	} records[2] = { 0 };
	// The second path of each record is what a later version might add.
	char tails[] = "/a"
		       "later"
		       "/bc"
		       "";
	unsigned char content[sizeof(records) + sizeof(tails) - 1];

	records[0].mapping.path_size = htole32(2);
	records[0].mapping.tail_size = htole32(7);
	records[0].later = UINT64_MAX;
	records[1].mapping.path_size = htole32(3);
	records[1].mapping.tail_size = htole32(3);
	memcpy(content, records, sizeof(records));
	memcpy(content + sizeof(records), tails, sizeof(tails) - 1);
	add_start();
	add_chunk(DISK_CHUNK_MAPPINGS, sizeof(records[0]), 2, content, sizeof(content));
	add_end(0);
	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_int_equal(trace->mappings.count, 2);
	assert_string_equal(trace->mappings.items[0].path, "/a");
	assert_string_equal(trace->mappings.items[1].path, "/bc");
}

TEST(another_version_is_refused_with_both_versions)
{
	add_file_header(7);
	assert_null(read_image());
	assert_int_equal(err.code, ERR_INPUT);
	assert_non_null(strstr(err.message, "version 7"));
	assert_non_null(strstr(err.message, "reads version 1"));
}

TEST(what_is_no_trace_is_refused_with_its_kind)
{
	static const struct {
		const char *bytes;
		const char *why;
	} files[] = {
		{ "", "is empty" },
		{ "x", "is not a trace" },
		{ "\177ELF\2\1\1\0\0", "is an ELF file" },
		{ "PERFILE2........", "is a perf.data file" },
		{ "\x89"
		  "elf",
		  "cut within" },
		{ "\x89"
		  "elfault\1",
		  "cut within its header" },
		{ "elfault-", "is not the start of a trace" },
		{ "some text that is longer than any header of ours", "is not a trace" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct memory_file file =
			memory_file_create(files[i].bytes, strlen(files[i].bytes));

		assert_refused(file.path, files[i].why);
		close(file.fd);
	}
	assert_refused("/", "is a directory");
	assert_refused("/dev/zero", "is a device");
	assert_refused("/nonexistent/trace", "No such file");

	char path[] = "test-trace-fifo-XXXXXX";
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(path, "is a FIFO"); // and does not wait for a writer
	unlink(path);
}

TEST(lengths_that_lie_are_caught)
{
	static const char zeros[8192];
	static const struct {
		const char *why;
		struct disk_chunk_header header;
		size_t stored_size;
	} lies[] = {
		{ "decompressed size exceeds the limit",
		  { .type = DISK_CHUNK_FAULTS, .flags = DISK_CHUNK_ZSTD, .raw_size = UINT32_MAX },
		  8192 },
		{ "decompressed size exceeds the limit",
		  { .type = DISK_CHUNK_FAULTS, .flags = DISK_CHUNK_ZSTD, .raw_size = 257 },
		  1 },
		{ "contradictory lengths", { .type = DISK_CHUNK_FAULTS, .raw_size = 10 }, 11 },
		{ "does not decompress",
		  { .type = DISK_CHUNK_FAULTS, .flags = DISK_CHUNK_ZSTD, .raw_size = 72 },
		  72 },
		{ "too short",
		  { .type = DISK_CHUNK_FAULTS,
		    .raw_size = 71,
		    .record_size = 71,
		    .record_count = 1 },
		  71 },
		{ "more records than bytes",
		  { .type = DISK_CHUNK_FAULTS,
		    .raw_size = 71,
		    .record_size = 72,
		    .record_count = 1 },
		  71 },
		{ "more records than bytes",
		  { .type = DISK_CHUNK_FAULTS,
		    .raw_size = 8192,
		    .record_size = UINT32_MAX,
		    .record_count = UINT32_MAX },
		  8192 },
		{ "flags",
		  { .type = DISK_CHUNK_FAULTS, .flags = 4, .raw_size = 72, .record_size = 72 },
		  72 },
		{ "a second meta chunk",
		  { .type = DISK_CHUNK_META, .raw_size = 56, .record_size = 56, .record_count = 1 },
		  56 },
		{ "malformed summary",
		  { .type = DISK_CHUNK_SUMMARY,
		    .raw_size = 160,
		    .record_size = 80,
		    .record_count = 2 },
		  160 },
		{ "malformed summary",
		  { .type = DISK_CHUNK_SUMMARY, .raw_size = 80, .record_size = 80 },
		  80 },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		add_start();
		add_claimed_chunk(lies[i].header, zeros, lies[i].stored_size);
		add_end(0);
		assert_cut(lies[i].why);
	}
}

TEST(a_malformed_record_takes_its_whole_chunk_with_it)
{
	struct disk_mapping mappings[2] = { 0 };
	struct disk_stack stacks[2] = { 0 };
	struct disk_task tasks[2] = { 0 };

#define BAD(type, records, why)                                                     \
	do {                                                                        \
		add_start();                                                        \
		add_chunk(type, sizeof((records)[0]), 2, records, sizeof(records)); \
		add_end(0);                                                         \
		assert_cut(why);                                                    \
		memset(records, 0, sizeof(records));                                \
	} while (0)

	mappings[1].build_id_size = htole32(21);
	BAD(DISK_CHUNK_MAPPINGS, mappings, "malformed mapping (2 of a chunk)");
	mappings[1].tail_size = htole32(1); // past the chunk
	BAD(DISK_CHUNK_MAPPINGS, mappings, "malformed mapping (2 of a chunk)");
	mappings[1].path_size = htole32(1); // past its own tail
	BAD(DISK_CHUNK_MAPPINGS, mappings, "malformed mapping (2 of a chunk)");
	mappings[1].path_size = DISK_NO_STRING;
	BAD(DISK_CHUNK_MAPPINGS, mappings, "malformed mapping (2 of a chunk)");
	stacks[1].frame_count = htole32(UINT32_MAX);
	BAD(DISK_CHUNK_STACKS, stacks, "malformed stack (2 of a chunk)");
	memset(tasks[1].comm, 'x', sizeof(tasks[1].comm));
	BAD(DISK_CHUNK_TASKS, tasks, "malformed task event (2 of a chunk)");
#undef BAD
}

TEST(a_string_with_a_nul_is_malformed)
{
	struct {
		struct disk_mapping mapping;
		char path[8];
	} content = { .mapping = { .path_size = htole32(8), .tail_size = htole32(8) },
		      .path = "/a\0/b" };

	add_start();
	add_chunk(DISK_CHUNK_MAPPINGS, sizeof(content.mapping), 1, &content, sizeof(content));
	add_end(0);
	assert_cut("malformed mapping");
}

TEST(a_malformed_command_is_refused)
{
	static const struct {
		uint32_t count, size, tail_size;
		const char *tail;
	} commands[] = {
		{ 3, 4, 4, "a\0b" },		// fewer words than said
		{ 1, 4, 4, "a\0b" },		// more words than said
		{ 1, 2, 2, "ab" },		// not ended
		{ UINT32_MAX, 4, 4, "\0\0\0" }, // more words than bytes
		{ 1, 5, 4, "abc" },		// past the tail
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct {
			struct disk_meta meta;
			char tail[4];
		} content = { .meta = { .command_count = htole32(commands[i].count),
					.command_size = htole32(commands[i].size),
					.tail_size = htole32(commands[i].tail_size) } };

		memcpy(content.tail, commands[i].tail, commands[i].tail_size);
		add_file_header(TRACE_VERSION);
		add_chunk(DISK_CHUNK_META, sizeof(content.meta), 1, &content,
			  sizeof(content.meta) + commands[i].tail_size);
		assert_null(read_image());
		assert_non_null(strstr(err.message, "not a valid meta chunk"));
	}
}

TEST(chunks_in_the_wrong_place_are_caught)
{
	struct disk_fault fault = { 0 };

	add_file_header(TRACE_VERSION);
	add_end(0);
	assert_null(read_image());
	assert_non_null(strstr(err.message, "not a valid meta chunk"));

	add_start();
	add_end(0);
	add_chunk(DISK_CHUNK_FAULTS, sizeof(fault), 1, &fault, sizeof(fault));
	assert_cut("a chunk after the summary");
}

TEST(a_summary_that_counts_other_faults_is_incomplete)
{
	add_start();
	add_end(9);
	assert_cut("0 faults, but its summary counts 9");
}

TEST(a_task_event_of_a_later_kind_is_skipped_and_noted)
{
	struct disk_task tasks[2] = { { .kind = htole32(9) }, { .kind = htole32(1) } };

	add_start();
	add_chunk(DISK_CHUNK_TASKS, sizeof(tasks[0]), 2, tasks, sizeof(tasks));
	add_end(0);
	CLEANUP(trace_closep) struct trace *trace = read_whole();
	assert_int_equal(trace->tasks.count, 1);
	assert_int_equal(trace->tasks.items[0].kind, TRACE_TASK_EXEC);
	assert_true(has_note(trace, "unknown kind 9"));
}

TEST(notes_without_end_are_cut_off_and_said_so)
{
	enum { COUNT = 5000, TEXT = 4 };
	CLEANUP(freep) struct disk_note *content = xcalloc(COUNT, sizeof(*content) + TEXT);
	char *tail = (char *)(content + COUNT);

	for (int i = 0; i < COUNT; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%04d", i);
		memcpy(tail + i * TEXT, text, TEXT);
		content[i] = (struct disk_note){ htole64(1), htole32(TEXT), htole32(TEXT) };
	}
	add_start();
	add_chunk(DISK_CHUNK_NOTES, sizeof(*content), COUNT, content,
		  COUNT * (sizeof(*content) + TEXT));
	add_end(0);
	CLEANUP(trace_closep) struct trace *trace = read_image();
	assert_non_null(trace);
	assert_int_equal(trace->notes.list.count, 1001);
	assert_int_equal(trace->notes.list.items[1000].count, 4000);
	assert_true(has_note(trace, "was skipped"));
}
