// SPDX-License-Identifier: Apache-2.0
// Messages of errors: the reason, the way out, and what is left where there is no room for it.
#include "base/err.h"
#include "base/filelimit.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <cmocka.h>

static void a_limit_that_can_be_raised_says_how(void **state)
{
	struct err err;

	errno = EMFILE;
	assert_false(err_os(&err, "%s", "a.so"));
	assert_string_equal(err.message,
			    "a.so: Too many open files: raise the limit with ulimit -n");
	assert_int_equal(err.os_errno, EMFILE);
	errno = ENOENT;
	err_os(&err, "%s", "a.so");
	assert_string_equal(err.message, "a.so: No such file or directory");
}

static void without_its_ways_out_a_message_is_a_whole_sentence(void **state)
{
	struct err err;

	err_set(&err, ERR_UNSUPPORTED, "it failed: a; b (kernel 5.4)\n  it needs 5.15");
	err_drop_ways(&err);
	assert_string_equal(err.message, "it failed: a; b (kernel 5.4)");
	err_set(&err, ERR_DENIED, "not allowed (user 7); any of these helps:\n  sudo");
	err_drop_ways(&err);
	assert_string_equal(err.message, "not allowed (user 7)");
}

static void as_many_files_as_the_hard_limit_allows(void **state)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	filelimit_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur == limit.rlim_max);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limit_that_can_be_raised_says_how),
		cmocka_unit_test(without_its_ways_out_a_message_is_a_whole_sentence),
		cmocka_unit_test(as_many_files_as_the_hard_limit_allows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
