// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"
#include "base/memory.h"
#include "base/vec.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

TEST(without_a_limit_everything_is_allowed)
{
	memory_limit(0, "none");
	assert_null(memory_limit_name());
	assert_true(memory_allows(UINT64_MAX));
	assert_true(memory_take(SIZE_MAX));
}

TEST(what_is_used_counts)
{
	uint64_t before = memory_used();
	volatile char *bytes = xcalloc(64, MIB);

	assert_true(memory_free() > 0);
	for (size_t i = 0; i < 64 * (size_t)MIB; i += 1024)
		bytes[i] = 1;
	assert_in_range(memory_used(), before + 60 * (uint64_t)MIB, UINT64_MAX);
	memory_limit(memory_used() + 8 * (uint64_t)MIB, "the limit of a test");
	assert_true(memory_allows(4 * (uint64_t)MIB));
	assert_false(memory_allows(32 * (uint64_t)MIB));
	assert_false(memory_allows(UINT64_MAX));
	memory_limit(0, NULL);
	free((void *)bytes);
}

/** Take memory in small pieces until there is no more; at most @pieces of 64 KiB. */
static int child(int out, size_t pieces)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	dup2(out, STDERR_FILENO);
	memory_limit(memory_used() + 32 * (uint64_t)MIB, "the limit of a test");
	for (size_t i = 0; i < pieces; i++)
		memset(arena_alloc(&arena, 1 << 16), 1, 1 << 16);
	return 0;
}

static int status_of_child(size_t pieces, char *ret_said, size_t size)
{
	int pipe_fds[2], status;

	assert_int_equal(pipe(pipe_fds), 0);
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(child(pipe_fds[1], pieces));
	close(pipe_fds[1]);
	ssize_t got = read(pipe_fds[0], ret_said, size - 1);
	ret_said[got > 0 ? got : 0] = '\0';
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(taking_more_than_the_limit_ends_with_a_message)
{
	char said[256];

	assert_int_equal(status_of_child(16, said, sizeof(said)), 0);
	assert_string_equal(said, "");
	assert_int_equal(status_of_child(100000, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "more than the limit of a test is needed"));
	assert_non_null(strstr(said, "--memory"));
}
