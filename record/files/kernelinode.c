// SPDX-License-Identifier: Apache-2.0
#include "record/files/kernelinode.h"

#include "base/cleanup.h"
#include "base/lines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

/** The numbers of the mapping at @addr of this process. */
static bool numbers_at(uint64_t addr, uint64_t *ret_device, uint64_t *ret_inode)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;

	if (!lines_open(&lines, "/proc/self/maps", &lines_of_kernel, NULL))
		return false;
	while (lines_next(&lines, &line)) {
		unsigned int major, minor;
		uint64_t start;

		if (sscanf(line.text, "%" SCNx64 "-%*x %*s %*x %x:%x %" SCNu64, &start, &major,
			   &minor, ret_inode) != 4 ||
		    start != addr)
			continue;
		*ret_device = makedev(major, minor);
		return true;
	}
	return false;
}

bool kernelinode_of(int fd, uint64_t *ret_device, uint64_t *ret_inode)
{
	void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);

	if (page == MAP_FAILED)
		return false;
	bool is_found = numbers_at((uintptr_t)page, ret_device, ret_inode);

	munmap(page, 1);
	return is_found;
}

bool kernelinode_is(const char *path, const struct stat *status, uint64_t device, uint64_t inode)
{
	uint64_t own_device, own_inode;

	if (status->st_dev == device && status->st_ino == inode)
		return true;

	CLEANUP(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat opened;

	if (fd < 0 || fstat(fd, &opened) != 0 || opened.st_dev != status->st_dev ||
	    opened.st_ino != status->st_ino)
		return false;
	return kernelinode_of(fd, &own_device, &own_inode) && own_device == device &&
	       own_inode == inode;
}
