// SPDX-License-Identifier: Apache-2.0
// How many faults of exec and fork nobody can have seen, at most.
#include "record/cold/cold.h"
#include "tests/support/test.h"

#include <string.h>
#include <unistd.h>

// The measured figures are of 4096-byte pages: one page of arguments took 1 fault, 100 KB 25.
TEST(arguments_and_environment_take_a_fault_per_page)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static char longest[1 << 20];
	char *command[] = { "true", longest, NULL }, *environment[] = { "A=b", NULL };

	// "true", "A=b" and the ends of all three take 10 bytes, the stack's end 8.
	memset(longest, 'x', page - 18);
	assert_int_equal(execpages_most(command, environment, 1, 0, true), 1 + 1);
	memset(longest, 'x', page - 17);
	assert_int_equal(execpages_most(command, environment, 1, 0, true), 2 + 1);
	memset(longest, 'x', 24 * page);
	assert_int_equal(execpages_most(command, environment, 1, 0, true), 25 + 1);
	assert_int_equal(execpages_most(command, environment, 3, 0, true), 3 * 26);
}

TEST(without_faults_of_the_kernel_there_are_a_few_more)
{
	char *command[] = { "true", NULL }, *environment[] = { NULL };

	assert_int_equal(execpages_most(command, environment, 1, 0, false), 1 + 1 + 4);
	assert_int_equal(execpages_most(command, environment, 0, 0, false), 0);
	// The thread's number and rseq area of the child, that of the parent, SIGCHLD's frame.
	assert_int_equal(execpages_most(command, environment, 1, 2, false), 6 + 2 * 5);
	assert_int_equal(execpages_most(command, environment, 1, 2, true), 2);
	// A process that is attached to has no command here.
	assert_int_equal(execpages_most(NULL, NULL, 2, 0, true), 4);
}
