// SPDX-License-Identifier: Apache-2.0
// Pages of a file that are in memory.
#include "prefetch/private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SYS_cachestat
enum { SYS_cachestat = 451 }; // on every machine
#endif

enum { LOOK_PAGES = 4 << 10 };

/** As in <linux/mman.h> since Linux 6.5. */
struct cachestat_range {
	uint64_t offset, length;
};

struct cachestat_counts {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

/**
 * Whether mincore() tells this user the truth about the file: of the files of others it says that
 * every page is there (Linux 5.2, "mm/mincore.c: make mincore() more conservative").
 */
static bool may_ask(int fd)
{
	struct stat status;
	char link[64];

	if (geteuid() == 0 || (fstat(fd, &status) == 0 && status.st_uid == geteuid()))
		return true;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return faccessat(AT_FDCWD, link, W_OK, AT_EACCESS) == 0;
}

static enum prefetch_presence ask_mincore(int fd, uint64_t offset, uint64_t length,
					  uint64_t page_size)
{
	unsigned char there[LOOK_PAGES];
	uint64_t end = offset + length;

	if (!may_ask(fd))
		return PREFETCH_HIDDEN;
	for (offset -= offset % page_size; offset < end; offset += LOOK_PAGES * page_size) {
		uint64_t size = end - offset < LOOK_PAGES * page_size ? end - offset
								      : LOOK_PAGES * page_size;
		void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)offset);

		if (memory == MAP_FAILED)
			return PREFETCH_ABSENT;
		bool is_told = mincore(memory, size, there) == 0;

		munmap(memory, size);
		for (uint64_t page = 0; page * page_size < size; page++)
			if (!is_told || !(there[page] & 1))
				return PREFETCH_ABSENT;
	}
	return PREFETCH_PRESENT;
}

enum prefetch_presence prefetch_present(int fd, uint64_t offset, uint64_t length)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct cachestat_range range = { offset, length };
	struct cachestat_counts counts;

	if (syscall(SYS_cachestat, fd, &range, &counts, 0) != 0)
		// Since Linux 6.14 it is as discreet as mincore().
		return errno == EPERM && !may_ask(fd) ? PREFETCH_HIDDEN
						      : ask_mincore(fd, offset, length, page_size);
	uint64_t first = offset / page_size, last = (offset + length - 1) / page_size;

	return counts.cached >= last - first + 1 ? PREFETCH_PRESENT : PREFETCH_ABSENT;
}

bool prefetch_reads_at_once(int fd, uint64_t offset)
{
	char byte;
	const struct iovec place = { &byte, 1 };

	// Its last two words are the halves of the offset where words are as short.
	return syscall(SYS_preadv2, fd, &place, 1, offset, 0, RWF_NOWAIT) == 1;
}
