// SPDX-License-Identifier: Apache-2.0
// Memory that is short, as the kernel tells it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prefetch/pressure.h"

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

static void a_tenth_of_ten_seconds_is_high(void **state)
{
	assert_false(is_high("some avg10=0.00 avg60=90.00 avg300=90.00 total=1\n"));
	assert_false(is_high("some avg10=9.99 avg60=0.00 avg300=0.00 total=1\nfull avg10=50.0\n"));
	assert_true(is_high("some avg10=10.00 avg60=0.00 avg300=0.00 total=1\n"));
	assert_true(is_high("some avg10=100.00 avg60=0.00 avg300=0.00 total=1\n"));
}

static void what_the_kernel_does_not_tell_is_not_high(void **state)
{
	assert_false(is_high(""));
	assert_false(is_high("full avg10=99.00\n"));
	assert_false(pressure_is_high("/nonexistent/pressure"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tenth_of_ten_seconds_is_high),
		cmocka_unit_test(what_the_kernel_does_not_tell_is_not_high),
	};
	const int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(path);
	return failed;
}
