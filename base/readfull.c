// SPDX-License-Identifier: Apache-2.0
#include "base/readfull.h"

#include <errno.h>
#include <unistd.h>

/** @offset: NULL: where @fd stands */
static size_t read_until_done(int fd, char *bytes, size_t size, const uint64_t *offset)
{
	size_t done = 0;

	errno = 0;
	while (done < size) {
		// Past the largest offset the kernel refuses.
		ssize_t got = offset ? pread(fd, bytes + done, size - done, (off_t)(*offset + done))
				     : read(fd, bytes + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0)
				errno = 0;
			break;
		}
		done += (size_t)got;
	}
	return done;
}

size_t pread_full(int fd, void *ret_bytes, size_t size, uint64_t offset)
{
	return read_until_done(fd, ret_bytes, size, &offset);
}

size_t read_full(int fd, void *ret_bytes, size_t size)
{
	return read_until_done(fd, ret_bytes, size, NULL);
}
