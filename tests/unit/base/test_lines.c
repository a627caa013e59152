// SPDX-License-Identifier: Apache-2.0
// Lines of any input, against a naive reader; limits, and failures told from the end.
#include "base/lines.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct lines_kind short_lines = { .name = "a list", .line_max = 8 };

/** The lines of @text as "NUMBER[text]END", and the message where there is one. */
static const char *read_memory(const char *text, size_t size, const struct lines_kind *kind)
{
	static char all[4096];
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	struct err err = { 0 };
	size_t used = 0;

	lines_init_memory(&lines, "FILE", text, size, kind);
	all[0] = '\0';
	while (lines_next(&lines, &line)) {
		assert_int_equal(strlen(line.text), line.length);
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%llu[%s]%s%s%s",
					 (unsigned long long)line.number, line.text, line.end,
					 line.is_damaged ? "damaged " : "",
					 line.is_open ? "open" : "");
	}
	assert_false(lines_next(&lines, &line));
	if (!lines_ended(&lines, &err))
		snprintf(all + used, sizeof(all) - used, "%s", err.message);
	return all;
}

#define READ(text) read_memory(text, sizeof(text) - 1, &short_lines)

TEST(a_line_ends_in_a_newline_or_with_the_input)
{
	assert_string_equal(READ(""), "");
	assert_string_equal(READ("\n"), "1[]\n");
	assert_string_equal(READ("a\nb\r\n\nc"), "1[a]\n2[b]\r\n3[]\n4[c]open");
	assert_string_equal(READ("a\rb\r"), "1[a\rb]\ropen");
}

TEST(a_line_of_the_limit_is_read_and_a_longer_one_refused)
{
	assert_string_equal(READ("12345678\n12345678\r\n12345678"),
			    "1[12345678]\n2[12345678]\r\n3[12345678]open");
	assert_string_equal(READ("a\n123456789\nb\n"),
			    "1[a]\nFILE: line 2 is longer than 8 B: not a list");
	assert_string_equal(READ("123456789"), "FILE: line 1 is longer than 8 B: not a list");
	assert_string_equal(READ("a\n\0\n"), "1[a]\nFILE: line 2 has a NUL byte: not a list");
}

TEST(damaged_lines_are_given_out_where_they_are_wanted)
{
	static const struct lines_kind kind = { .line_max = 8, .keeps_damaged = true };
	static const char text[] = "a\n123456789\nb\n12345678901234567890\n\nlast";
	static char endless[10 << 10];

	assert_string_equal(read_memory(text, sizeof(text) - 1, &kind),
			    "1[a]\n2[123456789]\ndamaged 3[b]\n4[1234567890]damaged 5[]\n"
			    "6[last]open");
	assert_string_equal(read_memory("123456789012", 12, &kind), "1[1234567890]damaged ");
	memset(endless, 'a', sizeof(endless));
	endless[0] = '\n';
	assert_string_equal(read_memory(endless, sizeof(endless), &kind),
			    "1[]\n2[aaaaaaaaaa]damaged FILE: line 2 is longer than 8.0 KiB");
}

TEST(a_text_larger_than_any_is_refused)
{
	static const struct lines_kind kind = { .name = "a list", .line_max = 8, .size_max = 10 };
	char text[40];

	memset(text, '\n', sizeof(text));
	assert_string_equal(read_memory(text, 3, &kind), "1[]\n2[]\n3[]\n");
	assert_non_null(strstr(read_memory(text, sizeof(text), &kind),
			       "FILE: larger than 10 B: not a list"));
}

TEST(a_failure_is_not_the_end)
{
	CLEANUP(lines_deinit) struct lines lines;
	CLEANUP(lines_deinit) struct lines none;
	struct text_line line;
	struct err err = { 0 };

	assert_true(lines_open(&lines, "/", &short_lines, &err));
	assert_false(lines_next(&lines, &line));
	assert_false(lines_ended(&lines, &err));
	assert_int_equal(err.code, ERR_OS);
	assert_string_equal(err.message, "/: Is a directory");
	assert_false(lines_open(&none, "/none", &short_lines, &err));
	assert_string_equal(err.message, "/none: No such file or directory");
}

TEST(a_failure_behind_some_lines_names_the_next)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	struct err err = { 0 };
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(write(ends[1], "one\ntw", 6), 6);
	lines_init(&lines, "PIPE", ends[0], &short_lines);
	assert_true(lines_next(&lines, &line)); // before the rest of the second is there
	assert_string_equal(line.text, "one");
	assert_false(lines_next(&lines, &line));
	assert_false(lines_ended(&lines, &err));
	assert_string_equal(err.message, "PIPE: line 2: Resource temporarily unavailable");
	close(ends[0]);
	close(ends[1]);
}

/** Lines that end where the buffer does, and those that it grows for. */
TEST(any_lines_are_those_of_a_naive_reader)
{
	static const struct lines_kind kind = { .line_max = 1 << 20 };
	const unsigned seed = 20261125;
	const size_t size = 4 << 20;
	CLEANUP(freep) char *text = malloc(size);
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	char path[] = "/tmp/elfault-lines.XXXXXX";
	int fd = mkstemp(path);

	print_message("# seed %u\n", seed);
	srand(seed);
	for (size_t i = 0, next = 0; i < size; i++) {
		bool is_end = i == next;

		text[i] = is_end ? '\n' : (char)('a' + i % 23);
		// Short ones, some of about the buffer's size, some that are longer.
		if (is_end)
			next = i + 1 +
			       (size_t)(rand() % 100 < 90
						? rand() % 50
						: (64 << 10) * (1 + rand() % 3) + rand() % 5 - 2);
	}
	assert_int_equal(write(fd, text, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	lines_init(&lines, path, fd, &kind);

	const char *at = text, *bytes;
	size_t peeked;

	assert_true(lines_peek(&lines, &bytes, &peeked));
	assert_int_equal(peeked, (1 << 20) + 2);
	assert_memory_equal(bytes, text, peeked);
	while (lines_next(&lines, &line)) {
		const char *end = memchr(at, '\n', (size_t)(text + size - at));
		size_t length = (size_t)((end ? end : text + size) - at);

		assert_int_equal(line.length, length);
		assert_memory_equal(line.text, at, length);
		at += length + (end != NULL);
	}
	assert_true(lines_ended(&lines, NULL));
	assert_ptr_equal(at, text + size);
	close(fd);
	unlink(path);
}
