// SPDX-License-Identifier: Apache-2.0
#include "base/readfull.h"

#include "base/strbuf.h"
#include "tests/support/test.h"
#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int file_of(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/** A pipe that gets @text in two pieces, the second some time after the first. */
static int slow_pipe(const char *text)
{
	int ends[2];
	size_t half = strlen(text) / 2;

	assert_int_equal(pipe(ends), 0);
	if (fork() == 0) {
		(void)!write(ends[1], text, half);
		usleep(20000);
		(void)!write(ends[1], text + half, strlen(text) - half);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

TEST(a_piece_is_read_where_it_is)
{
	CLEANUP(fd_close) int fd = file_of("0123456789");
	char bytes[8];

	assert_int_equal(pread_full(fd, bytes, 4, 3), 4);
	assert_memory_equal(bytes, "3456", 4);
	assert_int_equal(read_full(fd, bytes, 2), 2);
	assert_memory_equal(bytes, "01", 2);
}

TEST(at_the_end_errno_is_zero)
{
	CLEANUP(fd_close) int fd = file_of("0123456789");
	char bytes[8];

	errno = EIO;
	assert_int_equal(pread_full(fd, bytes, 8, 7), 3);
	assert_memory_equal(bytes, "789", 3);
	assert_int_equal(errno, 0);
	assert_int_equal(pread_full(fd, bytes, 8, 10), 0);
	assert_int_equal(errno, 0);
}

TEST(what_cannot_be_read_leaves_the_reason)
{
	int fd = file_of("0123456789"), folder = open("/", O_RDONLY | O_DIRECTORY);
	char bytes[8];

	assert_int_equal(pread_full(fd, bytes, 8, UINT64_MAX - 2), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read_full(folder, bytes, 8), 0);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(read_full(-1, bytes, 8), 0);
	assert_int_equal(errno, EBADF);
	close(folder);
	close(fd);
}

TEST(a_pipe_is_read_until_all_is_there)
{
	int fd = slow_pipe("0123456789");
	char bytes[16];

	assert_int_equal(read_full(fd, bytes, 9), 9);
	assert_int_equal(read_full(fd, bytes + 9, 7), 1);
	assert_memory_equal(bytes, "0123456789", 10);
	close(fd);
	wait(NULL);
}

TEST(a_text_ends_where_the_pipe_does)
{
	int fd = slow_pipe("0123456789");
	struct strbuf text = { 0 };

	strbuf_puts(&text, "x");
	assert_true(strbuf_read(&text, fd, 11));
	assert_string_equal(strbuf_text(&text), "x0123456789");
	strbuf_deinit(&text);
	close(fd);
	wait(NULL);
}

TEST(a_text_has_a_limit)
{
	CLEANUP(fd_close) int fd = file_of("0123456789");
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };

	assert_false(strbuf_read(&text, fd, 9));
	assert_int_equal(errno, EFBIG);
	assert_false(strbuf_read(&text, -1, 90));
	assert_int_equal(errno, EBADF);
}
