// SPDX-License-Identifier: Apache-2.0
// The bytes of a trace file, before anything is known of its form.
#include "trace/private.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

bool trace_file_open(const char *path, struct trace_file *ret_file, struct err *err)
{
	// O_NONBLOCK so that a FIFO without a writer does not hang.
	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return err_os(err, "%s", path);
	if (S_ISDIR(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a directory, not a trace", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_INPUT, "%s: is a %s; a trace must be a regular file", path,
			       S_ISFIFO(status.st_mode) ? "FIFO" : "device or socket");
	if (status.st_size == 0)
		return err_set(err, ERR_INPUT, "%s: is empty, not a trace", path);

	*ret_file = (struct trace_file){ .path = path, .fd = fd, .size = (uint64_t)status.st_size };
	fd = -1; // NOLINT(clang-analyzer-deadcode.DeadStores): fd_close() reads it
	return true;
}

void trace_file_close(struct trace_file *file)
{
	fd_close(&file->fd);
}

bool trace_file_read(struct trace_file *file, void *bytes, size_t size, size_t *ret_got,
		     struct err *err)
{
	size_t got = 0;

	while (got < size) {
		ssize_t more = read(file->fd, (uint8_t *)bytes + got, size - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return err_os(err, "%s", file->path);
		if (more == 0)
			break;
		got += (size_t)more;
	}
	*ret_got = got;
	return true;
}
