// SPDX-License-Identifier: Apache-2.0
// The text of prefetch lists: what is written is read back, and what nobody wrote is refused.
#include "base/cleanup.h"
#include "cure/prefetch.h"
#include "prefetch/list.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const char good[] = "elfault-prefetch 1\n"
			   "# made by hand\n"
			   "file 1 10000 1700000000.000000005 00ff10 /usr/bin/a b\n"
			   "1 0 4096 exec\n"
			   "file 2 4096 -5.250000000 - /lib/\\303\\274\\134\n"
			   "2 0 4096 read\n"
			   "1 8192 1808 window\n"
			   "1 4096 4096 fault\n"
			   "end 2 4\n";

/** Parse a copy of @text; *@ret_copy is to be freed after the list. */
static bool parse(const char *text, size_t size, struct prefetch_list *ret_list, char **ret_copy,
		  struct prefetch_error *ret_error)
{
	*ret_copy = malloc(size + 1);
	memcpy(*ret_copy, text, size);
	return prefetch_list_parse(*ret_copy, size, ret_list, ret_error);
}

TEST(a_list_is_read)
{
	CLEANUP(prefetch_list_deinit) struct prefetch_list list;
	struct prefetch_error error;
	CLEANUP(freep) char *copy;

	assert_true(parse(good, strlen(good), &list, &copy, &error));
	assert_int_equal(list.file_count, 2);
	assert_string_equal(list.files[0].path, "/usr/bin/a b");
	assert_int_equal(list.files[0].size, 10000);
	assert_int_equal(list.files[0].mtime_s, 1700000000);
	assert_int_equal(list.files[0].mtime_ns, 5);
	assert_int_equal(list.files[0].build_id_size, 3);
	assert_memory_equal(list.files[0].build_id, "\x00\xff\x10", 3);
	assert_string_equal(list.files[1].path, "/lib/\303\274\\");
	assert_int_equal(list.files[1].mtime_s, -5);
	assert_int_equal(list.files[1].mtime_ns, 250000000);
	assert_int_equal(list.files[1].build_id_size, 0);
	assert_int_equal(list.range_count, 4);

	const struct prefetch_range expected[] = { { 0, 4096, 0, PREFETCH_EXEC },
						   { 0, 4096, 1, PREFETCH_READ },
						   { 8192, 1808, 0, PREFETCH_WINDOW },
						   { 4096, 4096, 0, PREFETCH_FAULT } };

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(list.ranges[i].offset, expected[i].offset);
		assert_int_equal(list.ranges[i].length, expected[i].length);
		assert_int_equal(list.ranges[i].file, expected[i].file);
		assert_int_equal(list.ranges[i].why, expected[i].why);
	}
}

TEST(what_is_written_is_read_back)
{
	static const char *const comments[] = { "evil\nfile 9 1 1.000000000 - /x" };
	struct prefetch_list list, again;
	struct prefetch_error error;
	char *copy, *copy_again;

	assert_true(parse(good, strlen(good), &list, &copy, &error));
	CLEANUP(freep) char *written = text_written(prefetch_write(&list, comments, 1, NULL, out));

	assert_true(parse(written, strlen(written), &again, &copy_again, &error));
	assert_int_equal(again.file_count, list.file_count);
	for (size_t i = 0; i < list.file_count; i++) {
		assert_string_equal(again.files[i].path, list.files[i].path);
		assert_int_equal(again.files[i].size, list.files[i].size);
		assert_int_equal(again.files[i].mtime_s, list.files[i].mtime_s);
		assert_int_equal(again.files[i].mtime_ns, list.files[i].mtime_ns);
		assert_memory_equal(again.files[i].build_id, list.files[i].build_id,
				    sizeof(list.files[i].build_id));
	}
	assert_int_equal(again.range_count, list.range_count);
	for (size_t i = 0; i < list.range_count; i++)
		assert_memory_equal(&again.ranges[i], &list.ranges[i], sizeof(list.ranges[i]));
	prefetch_list_deinit(&again);
	prefetch_list_deinit(&list);
	free(copy_again);
	free(copy);
}

/** The text that expanding makes of @text, to be freed. */
static char *expanded(const char *text, const char *home)
{
	size_t size = strlen(text);
	char *copy = prefetch_list_expand(strdup(text), &size, home);

	copy[size] = '\0';
	return copy;
}

TEST(files_below_a_home_are_those_of_whoever_reads)
{
	static const char mine[] = "elfault-prefetch 1\nfile 1 10 1.000000000 - /home/ada/a b\n"
				   "1 0 10 fault\nfile 2 10 1.000000000 - /home/adam/~/x\n"
				   "2 0 10 fault\nend 2 2\n";
	static const struct {
		const char *home, *path;
	} readers[] = { { "/home/bob", "/home/bob/a b" },
			{ "/", "/a b" },
			{ "/h/\303\274/", "/h/\303\274/a b" } };
	struct prefetch_list list, again;
	struct prefetch_error error;
	char *copy, *copy_again;

	assert_true(parse(mine, strlen(mine), &list, &copy, &error));
	CLEANUP(freep)
	char *written = text_written(prefetch_write(&list, NULL, 0, "/home/ada/", out));

	assert_non_null(strstr(written, " - ~/a b\n"));
	assert_null(strstr(written, "ada/"));
	assert_false(parse(written, strlen(written), &again, &copy_again, &error));
	assert_non_null(strstr(error.message, "HOME"));
	free(copy_again);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		char *text = expanded(written, readers[i].home);

		assert_true(parse(text, strlen(text), &again, &copy_again, &error));
		assert_string_equal(again.files[0].path, readers[i].path);
		assert_string_equal(again.files[1].path, "/home/adam/~/x");
		prefetch_list_deinit(&again);
		free(copy_again);
		free(text);
	}
	char *text = expanded(mine, "/home/bob");

	assert_string_equal(text, mine);
	free(text);
	prefetch_list_deinit(&list);
	free(copy);
}

TEST(every_cut_is_refused)
{
	for (size_t size = 0; size < strlen(good); size++) {
		struct prefetch_list list;
		struct prefetch_error error;
		char *copy;

		assert_false(parse(good, size, &list, &copy, &error));
		assert_non_null(error.message);
		free(copy);
	}
}

TEST(hostile_lists_are_refused)
{
#define HEAD   "elfault-prefetch 1\n"
#define FILE_1 HEAD "file 1 4096 1.000000000 - /a\n"
	static const struct {
		const char *text;
		size_t line;
	} lists[] = {
		{ "", 1 },
		{ "elfault-prefetch 2\nend 0 0\n", 1 },
		{ "elfault-prefetch x\nend 0 0\n", 1 },
		{ "elftrace\n", 1 },
		{ HEAD "file 2 4096 1.000000000 - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 18446744073709551616 1.000000000 - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 9223372036854775808 1.000000000 - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 -1 1.000000000 - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.0 - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.00000000x - /a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 abc /a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 ABCD /a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 "
		       "000102030405060708090a0b0c0d0e0f1011121314 /a\nend 1 0\n",
		  2 },
		{ HEAD "file 1 1 1.000000000 - a\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 - \nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 - /a\\000b\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 - /a\\400\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 - /a\\1\nend 1 0\n", 2 },
		{ HEAD "file 1 1 1.000000000 - /a\033[2J\nend 1 0\n", 2 },
		{ HEAD "1 0 1 fault\nend 0 1\n", 2 },
		{ FILE_1 "0 0 1 fault\nend 1 1\n", 3 },
		{ FILE_1 "2 0 1 fault\nend 1 1\n", 3 },
		{ FILE_1 "1 0 0 fault\nend 1 1\n", 3 },
		{ FILE_1 "1 0 4097 fault\nend 1 1\n", 3 },
		{ FILE_1 "1 4096 1 fault\nend 1 1\n", 3 },
		{ FILE_1 "1 1 9223372036854775807 fault\nend 1 1\n", 3 },
		{ FILE_1 "1 0 1 whim\nend 1 1\n", 3 },
		{ FILE_1 "1 0 1 fault more\nend 1 1\n", 3 },
		{ FILE_1 "1 0 1 fault\nend 1 2\n", 4 },
		{ FILE_1 "1 0 1 fault\nend 1 1\n1 0 1 fault\n", 5 },
		{ FILE_1 "1 0 1 fault\n", 4 },
		{ FILE_1 "what\n", 3 },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct prefetch_list list;
		struct prefetch_error error;
		char *copy;

		if (parse(lists[i].text, strlen(lists[i].text), &list, &copy, &error))
			fail_msg("accepted: %s", lists[i].text);
		if (error.line != lists[i].line)
			fail_msg("line %zu: %s", error.line, lists[i].text);
		free(copy);
	}
}

TEST(a_path_that_is_too_long_is_refused)
{
	for (size_t length = PREFETCH_PATH_MAX - 1; length <= PREFETCH_PATH_MAX; length++) {
		char *text = calloc(1, PREFETCH_PATH_MAX + 128);
		struct prefetch_list list;
		struct prefetch_error error;

		strcpy(text, HEAD "file 1 1 1.000000000 - /");
		memset(text + strlen(text), 'a', length - 1);
		strcat(text, "\nend 1 0\n");
		bool is_read = prefetch_list_parse(text, strlen(text), &list, &error);

		assert_true(is_read == (length < PREFETCH_PATH_MAX));
		if (is_read)
			prefetch_list_deinit(&list);
		free(text);
	}
}

TEST(a_nul_is_refused)
{
	static const char text[] = FILE_1 "1 0 1 fault\0 1\nend 1 1\n";
	struct prefetch_list list;
	struct prefetch_error error;
	CLEANUP(freep) char *copy;

	assert_false(parse(text, sizeof(text) - 1, &list, &copy, &error));
}
