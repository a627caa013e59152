// SPDX-License-Identifier: Apache-2.0
// Files that a tuned start was made of: the same, installed again, changed.
#include "prefetch/tuned.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/test_tuned_XXXXXX";

/** An ELF file with a note at 64: the build-id of eight times @byte, and @size bytes in all. */
static void write_file(unsigned char byte, size_t size)
{
	enum { NOTE = 120 };
	unsigned char bytes[256] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	const uint16_t type = 3, machine = 62, header = 64, entry = 56, count = 1;
	const uint32_t version = 1, segment_type = 4, note[] = { 4, 8, 3 };
	const uint64_t at = header, place = NOTE, length = 24, align = 4;

	memcpy(bytes + 16, &type, 2);
	memcpy(bytes + 18, &machine, 2);
	memcpy(bytes + 20, &version, 4);
	memcpy(bytes + 32, &at, 8);
	memcpy(bytes + 52, &header, 2);
	memcpy(bytes + 54, &entry, 2);
	memcpy(bytes + 56, &count, 2);
	memcpy(bytes + 64, &segment_type, 4);
	memcpy(bytes + 72, &place, 8);
	memcpy(bytes + 80, &place, 8);
	memcpy(bytes + 96, &length, 8);
	memcpy(bytes + 104, &length, 8);
	memcpy(bytes + 112, &align, 8);
	memcpy(bytes + NOTE, note, sizeof(note));
	memcpy(bytes + NOTE + 12, "GNU", 4);
	memset(bytes + NOTE + 16, byte, 8);
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void set_time(time_t s)
{
	const struct timespec times[] = { { .tv_sec = s }, { .tv_sec = s } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/** The stamp of the file as it is, with @build_id; of the last call alone. */
static struct tuned_stamp stamp_of(const char *build_id)
{
	static char text[256];
	struct stat status;
	struct tuned_stamp stamp;

	assert_int_equal(stat(path, &status), 0);
	snprintf(text, sizeof(text), "%lld %lld.%ld %lld.%ld %s /a path", (long long)status.st_size,
		 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
		 (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec, build_id);
	const char *rest = tuned_read_stamp(text, &stamp);

	assert_non_null(rest);
	assert_string_equal(rest, "/a path");
	return stamp;
}

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	return unlink(path);
}

const struct tests_around tests_around = { .before_all = make_file, .after_all = remove_file };

TEST(a_file_with_the_same_build_id_is_the_same_whatever_its_time)
{
	write_file(0xab, 256);
	const struct tuned_stamp stamp = stamp_of("abababababababab");

	assert_true(tuned_is_same(path, &stamp));
	set_time(1000);
	assert_true(tuned_is_same(path, &stamp));
	write_file(0xab, 240);
	assert_true(tuned_is_same(path, &stamp));
}

TEST(another_build_id_is_another_file_also_with_the_same_size_and_time)
{
	write_file(0xab, 256);
	set_time(1000);
	const struct tuned_stamp stamp = stamp_of("abababababababab");

	write_file(0xcd, 256);
	set_time(1000);
	assert_false(tuned_is_same(path, &stamp));
	assert_int_equal(unlink(path), 0);
	assert_false(tuned_is_same(path, &stamp));
}

TEST(without_a_build_id_size_and_time_tell)
{
	write_file(0xab, 256);
	set_time(1000);
	const struct tuned_stamp stamp = stamp_of("-");

	assert_true(tuned_is_same(path, &stamp));
	set_time(1001);
	assert_false(tuned_is_same(path, &stamp));
	write_file(0xab, 240);
	set_time(1000);
	assert_false(tuned_is_same(path, &stamp));
}

TEST(what_is_no_stamp_is_refused)
{
	static const char *const texts[] = {
		"",
		"1",
		"1 2.3 4.5",
		"1 2.3 4.5 ",
		"1 2.3 4.5 -",
		"1 2.3 4.5  /none",
		"x 2.3 4.5 - /x",
		"1 2 4.5 - /x",
		"1 2.3 - /x",
	};
	struct tuned_stamp stamp;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s", texts[i]);
		if (tuned_read_stamp(text, &stamp))
			fail_msg("taken: %s", texts[i]);
	}
}
