// SPDX-License-Identifier: Apache-2.0
// Identity of a file beside its path. Two pages are hashed, not the whole file: the ELF header and,
// at the end, the section headers change with most builds, and a recorder must not read files that
// the program did not read.
#include "trace/trace.h"

#include "base/readfull.h"

#include <xxhash.h>

enum { HASHED_BYTES = 4 << 10 };

void trace_identity_stat(struct trace_identity *identity, const struct stat *status)
{
	identity->flags |= TRACE_FILE_KNOWN;
	identity->device = status->st_dev;
	identity->inode = status->st_ino;
	identity->size = (uint64_t)status->st_size;
	identity->mtime_ns =
		(uint64_t)status->st_mtim.tv_sec * 1000000000 + (uint64_t)status->st_mtim.tv_nsec;
}

bool trace_identity_hash(struct trace_identity *identity, int fd)
{
	uint8_t bytes[2 * HASHED_BYTES];
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	uint64_t size = (uint64_t)status.st_size;
	size_t each = size < HASHED_BYTES ? (size_t)size : HASHED_BYTES;

	if (pread_full(fd, bytes, each, 0) != each ||
	    pread_full(fd, bytes + each, each, size - each) != each)
		return false;
	identity->hash = XXH64(bytes, 2 * each, 0);
	identity->flags |= TRACE_FILE_HAS_HASH;
	return true;
}

bool trace_identity_equal(const struct trace_identity *a, const struct trace_identity *b)
{
	return (a->flags & b->flags & TRACE_FILE_KNOWN) && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns &&
	       (!(a->flags & b->flags & TRACE_FILE_HAS_HASH) || a->hash == b->hash);
}
