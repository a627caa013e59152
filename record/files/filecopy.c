// SPDX-License-Identifier: Apache-2.0
// Copies of files that only live for a moment: on a mount that the command made, and will take away
// again, which it could not while anybody holds a file there.
#include "record/files/private.h"

#include "base/cleanup.h"
#include "elfmap/headers/elfheaders.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/vfs.h>
#include <unistd.h>

static const uint64_t file_max = 64 << 20, copies_max = 256 << 20;

/** Whether reading it reads no storage, and so changes nothing that is recorded. */
static bool is_in_memory(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 &&
	       (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

static bool copy_all(int from, int to, uint64_t size)
{
	while (size > 0) {
		ssize_t copied = sendfile(to, from, NULL, size);

		if (copied <= 0)
			return false;
		size -= (uint64_t)copied;
	}
	return true;
}

int filecopy_make(int from, uint64_t size, uint64_t *used)
{
	CLEANUP(fd_close) int copy = -1;

	if (size > file_max || size > copies_max - *used || !is_in_memory(from) ||
	    !elfheaders_is_elf_file(from))
		return -1;
	copy = memfd_create("elfault", MFD_CLOEXEC);
	if (copy < 0 || lseek(from, 0, SEEK_SET) != 0 || !copy_all(from, copy, size))
		return -1;
	*used += size;

	int made = copy;
	copy = -1;
	return made;
}
