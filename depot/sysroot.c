// SPDX-License-Identifier: Apache-2.0
// A folder that holds the root of another machine, or a part of one.
#include "depot/sources.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * openat2(): of all ways to open only this one resolves absolute links and ".." within a folder,
 * without a moment in which somebody could exchange a folder for a link.
 */
static int open_within(int root, const char *path, int flags)
{
	enum { TRIES = 32 };
	const struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC), // none is negative
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	// EAGAIN: something was renamed meanwhile, so that ".." may have led outside.
	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return (int)fd; // a descriptor
}

bool sysroot_open(struct sysroot *sysroot, struct err *err)
{
	sysroot->fd = open(sysroot->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sysroot->fd < 0)
		return err_os(err, "--sysroot %s", sysroot->path);

	CLEANUP(fd_close) int fd = open_within(sysroot->fd, "/", O_PATH);
	if (fd < 0)
		return err_os(err, "--sysroot needs openat2(), of Linux 5.6");
	return true;
}

void sysroot_close(struct sysroot *sysroot)
{
	fd_close(&sysroot->fd);
	sysroot->fd = -1;
}

int sysroot_find(const struct sysroot *sysroot, const char *path, int *ret_fd,
		 struct stat *ret_status)
{
	// To open a device may do something: first see what it is.
	CLEANUP(fd_close) int seen = open_within(sysroot->fd, path, O_PATH);
	struct stat status;

	if (seen < 0 || fstat(seen, ret_status) != 0)
		return errno;
	if (!S_ISREG(ret_status->st_mode))
		return 0;
	CLEANUP(fd_close)
	int fd = open_within(sysroot->fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) != 0)
		return errno;
	if (status.st_dev != ret_status->st_dev || status.st_ino != ret_status->st_ino)
		return ESTALE; // exchanged meanwhile
	*ret_fd = fd;
	fd = -1; // NOLINT(clang-analyzer-deadcode.DeadStores): fd_close() reads it
	return 0;
}
