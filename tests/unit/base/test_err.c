// SPDX-License-Identifier: Apache-2.0
// Messages of errors: the reason, the way out, and what is left where there is no room for it.
#include "base/err.h"
#include "base/filelimit.h"
#include "tests/support/test.h"

#include <errno.h>
#include <sys/resource.h>

TEST(a_limit_that_can_be_raised_says_how)
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

TEST(without_its_ways_out_a_message_is_a_whole_sentence)
{
	struct err err;

	err_set(&err, ERR_UNSUPPORTED, "it failed: a; b (kernel 5.4)\n  it needs 5.15");
	err_drop_ways(&err);
	assert_string_equal(err.message, "it failed: a; b (kernel 5.4)");
	err_set(&err, ERR_DENIED, "not allowed (user 7); any of these helps:\n  sudo");
	err_drop_ways(&err);
	assert_string_equal(err.message, "not allowed (user 7)");
}

TEST(as_many_files_as_the_hard_limit_allows)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	filelimit_raise();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_true(limit.rlim_cur == limit.rlim_max);
}
