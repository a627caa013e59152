// SPDX-License-Identifier: Apache-2.0
// Memory that is short, as the kernel tells it.
#include "prefetch/pressure.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/test_pressure_XXXXXX";

static bool is_high(const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return pressure_is_high(path);
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

TEST(a_tenth_of_ten_seconds_is_high)
{
	assert_false(is_high("some avg10=0.00 avg60=90.00 avg300=90.00 total=1\n"));
	assert_false(is_high("some avg10=9.99 avg60=0.00 avg300=0.00 total=1\nfull avg10=50.0\n"));
	assert_true(is_high("some avg10=10.00 avg60=0.00 avg300=0.00 total=1\n"));
	assert_true(is_high("some avg10=100.00 avg60=0.00 avg300=0.00 total=1\n"));
}

TEST(what_the_kernel_does_not_tell_is_not_high)
{
	assert_false(is_high(""));
	assert_false(is_high("full avg10=99.00\n"));
	assert_false(pressure_is_high("/nonexistent/pressure"));
}
