// SPDX-License-Identifier: Apache-2.0
#include "cure/prefetchmaker.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static bool lives_in_memory(const char *path)
{
	struct statfs system;

	return statfs(path, &system) == 0 &&
	       (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC ||
		system.f_type == HUGETLBFS_MAGIC);
}

enum prefetch_file_state prefetch_file_look(struct model_used_file *file, uint64_t start_unix_ns)
{
	struct stat status;

	if (lstat(file->path, &status) != 0 || !S_ISREG(status.st_mode))
		return PREFETCH_FILE_CHANGED;
	uint64_t mtime_ns =
		(uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;

	if (file->size > 0 && (uint64_t)status.st_size != file->size)
		return PREFETCH_FILE_CHANGED;
	if (file->has_mtime && mtime_ns != file->mtime_ns)
		return PREFETCH_FILE_CHANGED;
	// What was written during the run is another file in the next one.
	if (start_unix_ns > 0 && (int64_t)mtime_ns >= (int64_t)start_unix_ns)
		return PREFETCH_FILE_CHANGED;
	if (lives_in_memory(file->path))
		return PREFETCH_FILE_IN_MEMORY;
	file->size = (uint64_t)status.st_size;
	file->has_mtime = true;
	file->mtime_ns = mtime_ns;
	return PREFETCH_FILE_SAME;
}
