// SPDX-License-Identifier: Apache-2.0
// The parser of smaps: what it takes, and what it says of what it does not.
#include "inspect/smaps/text.h"
#include "tests/support/test.h"

#include <string.h>

static struct smaps_text text;
static struct err err;

static int forget(void **state)
{
	smaps_text_deinit(&text);
	text = (struct smaps_text){ 0 };
	err = (struct err){ 0 };
	return 0;
}

static bool add_bytes(const char *what, size_t size)
{
	CLEANUP(lines_deinit) struct lines lines;

	lines_init_memory(&lines, "FILE", what, size, &smaps_lines);
	return smaps_text_add(&text, &lines, 0, &err);
}

static bool add(const char *what)
{
	return add_bytes(what, strlen(what));
}

static uint64_t bytes(size_t mapping, enum smaps_key key)
{
	return text.mappings.items[mapping].amounts.bytes[key];
}

#define HEAD "1000-9000 rw-p 00002000 fe:00 7 /a b"

const struct tests_around tests_around = { .after_each = forget };

TEST(amounts_are_bytes_and_the_four_sums_follow)
{
	assert_true(add(HEAD "\nRss: 20 kB\nPss:\t7 kB\nPrivate_Clean: 1 kB\nPrivate_Dirty: 2 kB\n"
			     "Shared_Clean: 4 kB\nShared_Dirty: 8 kB\nSwap: 3 kB\nSwapPss: 1 kB\n"
			     "AnonHugePages: 4 kB\nFilePmdMapped: 8 kB\nVmFlags: rd wr\nNew: x\n"));
	assert_int_equal(text.mappings.count, 1);
	assert_string_equal(text.mappings.items[0].path, "/a b");
	assert_int_equal(text.mappings.items[0].offset, 0x2000);
	assert_int_equal(bytes(0, SMAPS_SIZE), 0x8000);
	assert_int_equal(bytes(0, SMAPS_RSS), 20 * 1024);
	assert_int_equal(bytes(0, SMAPS_PSS), 7 * 1024);
	assert_int_equal(bytes(0, SMAPS_HUGE), 12 * 1024);
	assert_int_equal(bytes(0, SMAPS_PRIVATE), 3 * 1024);
	assert_int_equal(bytes(0, SMAPS_SHARED), 12 * 1024);
	assert_int_equal(bytes(0, SMAPS_CLEAN), 5 * 1024);
	assert_int_equal(bytes(0, SMAPS_DIRTY), 10 * 1024);
}

TEST(another_process_begins_where_addresses_begin_anew_or_a_header_says_so)
{
	assert_true(add(HEAD "\nRss: 0 kB\n9000-a000 rw-p 0 0:0 0 \nRss: 0 kB\n" HEAD
			     "\nRss: 0 kB\n\n==> /proc/12/smaps <==\na000-b000 rw-p 0 0:0 0\n"
			     "Rss: 4 kB\n"));
	assert_int_equal(text.spaces.count, 3);
	assert_int_equal(text.spaces.items[0].count, 2);
	assert_int_equal(text.spaces.items[1].first, 2);
	assert_int_equal(text.spaces.items[1].pid, 0);
	assert_int_equal(text.spaces.items[2].pid, 12);
	assert_string_equal(text.mappings.items[3].path, "");
}

/** Inputs that cannot be read, and the words and line that say so. */
TEST(messages_name_file_and_line)
{
	static const struct {
		const char *what, *message;
	} cases[] = {
		{ "", "FILE: has no mappings" },
		{ "\n\n", "FILE: has no mappings" },
		{ "Rss: 4 kB\n", "FILE: line 1: an amount before the first mapping" },
		{ "hello\n", "FILE: line 1: neither a mapping nor" },
		{ HEAD "\nRss: 4 kB\nhello\n", "FILE: line 3: neither a mapping nor" },
		{ "9000-1000 rw-p 0 0:0 0\n", "FILE: line 1: the mapping's end is not above" },
		{ HEAD "\n" HEAD "\n", "FILE: line 2: the mapping before has no Rss: copy" },
		{ HEAD "\n", "FILE: line 1: the mapping before has no Rss: copy" },
		{ HEAD "\nRss: 33 kB\n", "FILE: line 2: the amount is more than the mapping" },
		{ HEAD "\nRss: -1 kB\n", "FILE: line 2: the amount is no number of kB" },
		{ HEAD "\nRss: 4 MB\n", "FILE: line 2: the amount is no number of kB" },
		{ HEAD "\nRss: 4 kB x\n", "FILE: line 2: the amount is no number of kB" },
		{ HEAD "\nRss: 18446744073709551615 kB\n", "FILE: line 2: the amount is more" },
		{ HEAD "\nAnonHugePages: 20 kB\nFilePmdMapped: 20 kB\n",
		  "FILE: line 3: the amount is more" },
		{ "1000-9000 ---p 00000000 00:00 0      [rollup]\n",
		  "FILE: line 1: this is smaps_rollup" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(add(cases[i].what));
		if (strncmp(err.message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s: %s, not %s", cases[i].what, err.message, cases[i].message);
		forget(state);
	}
}

TEST(a_line_longer_than_any_is_refused_and_so_is_a_zero_byte)
{
	static char line[20000];

	memset(line, 'a', sizeof(line));
	assert_false(add_bytes(line, sizeof(line)));
	assert_string_equal(err.message, "FILE: line 1 is longer than 16.0 KiB: not a copy of "
					 "/proc/PID/smaps");
	assert_false(add_bytes("\n\0\n", 3));
	assert_string_equal(err.message,
			    "FILE: line 2 has a NUL byte: not a copy of /proc/PID/smaps");
}

TEST(a_key_is_found_in_any_letters)
{
	enum smaps_key key;

	assert_true(smaps_key_parse("Private_Dirty", &key));
	assert_int_equal(key, SMAPS_PRIVATE_DIRTY);
	assert_true(smaps_key_parse("uss", &key));
	assert_int_equal(key, SMAPS_PRIVATE);
	assert_true(smaps_key_parse("SwapPss", &key));
	assert_int_equal(key, SMAPS_SWAP_PSS);
	assert_false(smaps_key_parse("", &key));
	assert_false(smaps_key_parse("pss ", &key));
}
