// SPDX-License-Identifier: Apache-2.0
// Encodings that others have written down: the encoding guide of Protocol Buffers has the first
// ones; protoc --encode made the others.
#include "base/cleanup.h"
#include "export/protobuf.h"
#include "export/source.h"
#include "export/textids.h"
#include "tests/support/test.h"

#define ASSERT_BYTES(buf, bytes)                                               \
	do {                                                                   \
		assert_int_equal((buf)->length, sizeof(bytes) - 1);            \
		assert_memory_equal((buf)->text, "" bytes, sizeof(bytes) - 1); \
		strbuf_clear(buf);                                             \
	} while (0)

TEST(numbers_are_groups_of_seven_bits)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	protobuf_number(&buf, 1, 150);
	ASSERT_BYTES(&buf, "\x08\x96\x01");
	protobuf_number(&buf, 1, 0);
	ASSERT_BYTES(&buf, "\x08\x00");
	protobuf_number(&buf, 1, 127);
	ASSERT_BYTES(&buf, "\x08\x7f");
	protobuf_number(&buf, 1, 128);
	ASSERT_BYTES(&buf, "\x08\x80\x01");
	protobuf_number(&buf, 2, (uint64_t)INT64_C(-2));
	ASSERT_BYTES(&buf, "\x10\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_number(&buf, 16, 1);
	ASSERT_BYTES(&buf, "\x80\x01\x01");
}

TEST(text_has_its_length_and_is_utf_8)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	protobuf_text(&buf, 2, "testing");
	ASSERT_BYTES(&buf, "\x12\x07testing");
	protobuf_text(&buf, 2, "");
	ASSERT_BYTES(&buf, "\x12\x00");
	protobuf_text(&buf, 2, "a\xff");
	ASSERT_BYTES(&buf, "\x12\x04"
			   "a\xef\xbf\xbd");
	protobuf_bytes(&buf, 3, "\x00\xff", 2);
	ASSERT_BYTES(&buf, "\x1a\x02\x00\xff");
}

TEST(messages_nest_and_packed_fields_are_bytes)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	size_t outer = protobuf_begin(&buf, 3);

	protobuf_number(&buf, 1, 150);
	protobuf_end(&buf, outer);
	ASSERT_BYTES(&buf, "\x1a\x03\x08\x96\x01");

	outer = protobuf_begin(&buf, 6);
	protobuf_varint(&buf, 3);
	protobuf_varint(&buf, 270);
	protobuf_varint(&buf, 86942);
	protobuf_end(&buf, outer);
	ASSERT_BYTES(&buf, "\x32\x06\x03\x8e\x02\x9e\xa7\x05");

	outer = protobuf_begin(&buf, 1);
	protobuf_end(&buf, protobuf_begin(&buf, 2));
	protobuf_end(&buf, outer);
	ASSERT_BYTES(&buf, "\x0a\x02\x12\x00");
}

/** Content moves if its length takes more bytes than were kept for it. */
TEST(long_messages_have_long_lengths)
{
	static const size_t sizes[] = { 127, 128, 16383, 16384 };
	static const char *const heads[] = { "\x0a\x81\x01\x12\x7f", "\x0a\x83\x01\x12\x80\x01",
					     "\x0a\x82\x80\x01\x12\xff\x7f",
					     "\x0a\x84\x80\x01\x12\x80\x80\x01" };
	static char text[16385];

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < 4; i++) {
		CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
		size_t outer = protobuf_begin(&buf, 1);
		size_t inner = protobuf_begin(&buf, 2);

		strbuf_add(&buf, text, sizes[i]);
		protobuf_end(&buf, inner);
		protobuf_end(&buf, outer);
		size_t head = strlen(heads[i]);

		assert_int_equal(buf.length, head + sizes[i]);
		assert_memory_equal(buf.text, heads[i], head);
		assert_memory_equal(buf.text + head, text, sizes[i]);
	}
}

TEST(a_text_has_one_number_wherever_it_lies)
{
	CLEANUP(textids_deinit) struct textids ids = { 0 };
	char here[] = "same", there[] = "same";
	bool is_new;

	assert_int_equal(textids_of(&ids, here, &is_new), 0);
	assert_true(is_new);
	assert_int_equal(textids_of(&ids, here, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(textids_of(&ids, there, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(textids_copy(&ids, "same:12", 4, &is_new), 0);
	assert_false(is_new);
	assert_int_equal(textids_copy(&ids, "same", 3, &is_new), 1);
	assert_true(is_new);
	assert_string_equal(ids.texts.items[1], "sam");
	assert_int_equal(textids_of(&ids, "", &is_new), 2);
}

TEST(sources_are_files_and_lines)
{
	uint32_t line;

	assert_int_equal(source_split("/src/a.c:12", &line), 8);
	assert_int_equal(line, 12);
	assert_int_equal(source_split("a:1:2", &line), 3);
	assert_int_equal(line, 2);
	assert_int_equal(source_split("c:/src", &line), 6);
	assert_int_equal(line, 0);
	assert_int_equal(source_split("a.c:", &line), 4);
	assert_int_equal(source_split("a.c:99999999999", &line), 15);
	assert_int_equal(line, 0);
}
