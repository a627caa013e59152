// SPDX-License-Identifier: Apache-2.0
// The bytes of a report page's columns, its base64, and home directories left out of its text.
#include "base/cleanup.h"
#include "base/homepath.h"
#include "render/page/faults.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void expect_bytes(struct column column, const uint32_t *values, size_t count,
			 const uint8_t *bytes, size_t size)
{
	CLEANUP(strbuf_deinit) struct strbuf out = { 0 };

	for (size_t i = 0; i < count; i++)
		column_push(&column, values[i]);
	column_write(&column, &out);
	assert_int_equal(out.length, size);
	assert_memory_equal(out.text, bytes, size);
	column_deinit(&column);
}

TEST(bytes_stand_in_planes)
{
	const uint32_t values[] = { 0x01020304, 0x05060708 };
	const uint8_t wide[] = { 4, 8, 3, 7, 2, 6, 1, 5 }, narrow[] = { 4, 8, 3, 7 };

	expect_bytes((struct column){ .width = 4 }, values, 2, wide, sizeof(wide));
	expect_bytes((struct column){ .width = 2 }, values, 2, narrow, sizeof(narrow));
}

TEST(encodings_are_those_of_the_format)
{
	const uint32_t falling[] = { 5, 3, 3, 4 };
	const uint8_t delta[] = { 5, 254, 0, 1 }, zigzag[] = { 10, 3, 0, 2 };
	// 0 and 1 are new; 0 is the one before the next new one by 2; 2 is new; 5 leaves room.
	const uint32_t indexes[] = { 0, 1, 0, 2, 5, 5 };
	const uint8_t recent[] = { 0, 0, 2, 0, 254, 1 };

	expect_bytes((struct column){ .width = 1, .encoding = COLUMN_DELTA }, falling, 4, delta, 4);
	expect_bytes((struct column){ .width = 1, .encoding = COLUMN_ZIGZAG }, falling, 4, zigzag,
		     4);
	expect_bytes((struct column){ .width = 1, .encoding = COLUMN_RECENT }, indexes, 6, recent,
		     6);
}

/** Return the nanoseconds that a page makes of @code. */
static uint64_t long_duration(uint32_t code)
{
	const uint32_t steps = code < 1024 ? 0 : code - 1024;

	return code < 1024 ? code : (512 + (uint64_t)steps % 512) << (steps / 512 + 1);
}

TEST(durations_are_rounded)
{
	// Halves of a step go up, also into the next exponent.
	assert_int_equal(long_duration(short_duration(1023)), 1023);
	assert_int_equal(long_duration(short_duration(1024)), 1024);
	assert_int_equal(long_duration(short_duration(1025)), 1026);
	assert_int_equal(long_duration(short_duration(2046)), 2046);
	assert_int_equal(long_duration(short_duration(2047)), 2048);
	assert_int_equal(long_duration(short_duration(8184)), 8184);
	assert_int_equal(long_duration(short_duration(8187)), 8184);
	assert_int_equal(long_duration(short_duration(8188)), 8192);
	for (uint64_t ns = 1; ns < UINT64_C(1) << 62; ns += ns / 7 + 1) {
		const uint64_t shown = long_duration(short_duration(ns));
		const uint64_t off = shown > ns ? shown - ns : ns - shown;

		assert_true(off <= ns / 1024);
	}
	assert_true(short_duration(UINT64_MAX) < UINT16_MAX);
}

TEST(own_time_is_exact_up_to_two_seconds)
{
	const uint64_t exact = DURATION_EXACT - 1, longest = (uint64_t)(DURATION_EXACT - 2) << 10;

	for (uint64_t ns = 0; ns < exact; ns += ns / 7 + 1)
		assert_int_equal(exact_duration_ns(exact_duration(ns)), ns);
	assert_int_equal(exact_duration_ns(exact_duration(exact)), exact);
	assert_int_equal(exact_duration_ns(exact_duration(3000000123)), 3000000123 / 1024 * 1024);
	assert_int_equal(exact_duration_ns(exact_duration(longest)), longest);
	assert_int_equal(exact_duration_ns(exact_duration(UINT64_MAX)), longest);
}

TEST(base64_is_rfc_4648)
{
	static const struct {
		const char *bytes, *text;
	} vectors[] = {
		// RFC 4648, 10
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		CLEANUP(strbuf_deinit) struct strbuf out = { 0 };

		base64_add(&out, (const uint8_t *)vectors[i].bytes, strlen(vectors[i].bytes));
		assert_string_equal(strbuf_text(&out), vectors[i].text);
	}
}

TEST(home_directories_are_left_out)
{
	static const struct {
		const char *text, *shortened;
	} cases[] = {
		{ "/home/ada/src/a.c", "~/src/a.c" },
		{ "cc -I/home/ada/include /home/ada", "cc -I~/include ~" },
		{ "file:/home/ada/x, (/root/y)", "file:~/x, (~/y)" },
		{ "/roots/z", "/roots/z" },
		{ "-L/srv/home/ada a-b/home/ada", "-L/srv/home/ada a-b/home/ada" },
		{ "/srv/home/ada/x", "/srv/home/ada/x" },
		{ "/usr/lib/libc.so.6", "/usr/lib/libc.so.6" },
		{ "/mnt/own/bin/x", "~/bin/x" },
		{ "/mnt/owner/x", "/mnt/owner/x" },
		{ "/home/", "/home/" },
		{ "/var/home/ada/x /mnt/var/home/ada/x", "~/x /mnt/var/home/ada/x" },
	};

	setenv("HOME", "/mnt/own/", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP(strbuf_deinit) struct strbuf out = { 0 };

		homepath_shorten(&out, cases[i].text);
		assert_string_equal(strbuf_text(&out), cases[i].shortened);
	}
}
