// SPDX-License-Identifier: Apache-2.0
// The very file behind a mapping, whatever has become of its path: deleted, renamed, or a memfd.
#include "record/files/private.h"

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/path.h"
#include "record/files/rights.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/** A descriptor of the file behind the link at @path of /proc, where that has no path any more. */
static int open_link(const struct caller *caller, const char *path, char *ret_link, size_t size)
{
	ssize_t length = readlink(path, ret_link, size - 1);

	if (length <= 0)
		return -1;
	ret_link[length] = '\0';
	if (!path_is_deleted(ret_link))
		return -1;
	return rights_open(caller, path, O_PATH | O_CLOEXEC);
}

int exactfile_of_program(const struct caller *caller, uint32_t pid, char *ret_link, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", pid);
	return open_link(caller, path, ret_link, size);
}

int exactfile_of_descriptor(const struct caller *caller, uint32_t pid, uint32_t fd, char *ret_link,
			    size_t size)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRIu32, pid, fd);
	return open_link(caller, path, ret_link, size);
}

/** Whether a line of /proc/PID/maps shows a part of @mapping; the range in the kernel's spelling.
 */
static bool shows(const char *line, const struct trace_mapping *mapping, char range[static 40])
{
	uint64_t start, end, offset, inode;
	unsigned int major, minor;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &start, &end,
		   &offset, &major, &minor, &inode) != 6 ||
	    inode == 0 || start < mapping->addr || end - mapping->addr > mapping->size ||
	    offset != mapping->offset + (start - mapping->addr))
		return false;
	if (mapping->inode && (mapping->inode != inode || mapping->device != makedev(major, minor)))
		return false;
	snprintf(range, 40, "%" PRIx64 "-%" PRIx64, start, end);
	return true;
}

/** Opened with the caller's rights: who may not read it may not see the process's files either. */
static int open_maps(const struct caller *caller, uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	return rights_open(caller, path, O_RDONLY | O_CLOEXEC);
}

bool exactfile_is_allowed(void)
{
	DIR *own = opendir("/proc/self/map_files");
	bool is_allowed = true;
	const struct dirent *entry;

	while (own && (entry = readdir(own))) {
		if (entry->d_name[0] == '.')
			continue;
		CLEANUP(fd_close) int fd = openat(dirfd(own), entry->d_name, O_PATH | O_CLOEXEC);

		is_allowed = fd >= 0 || errno != EPERM;
		break;
	}
	if (own)
		closedir(own);
	return is_allowed;
}

static int open_range(uint32_t pid, const char *range)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%s", pid, range);
	return open(path, O_PATH | O_CLOEXEC);
}

/** The file of @mapping if it is still whole and has an inode to tell the file by; else -1. */
static int open_whole(const struct trace_mapping *mapping)
{
	char range[40];
	struct stat status;

	if (!mapping->inode)
		return -1;
	snprintf(range, sizeof(range), "%" PRIx64 "-%" PRIx64, mapping->addr,
		 mapping->addr + mapping->size);

	int fd = open_range(mapping->pid, range);

	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_dev == mapping->device &&
	    status.st_ino == mapping->inode)
		return fd;
	fd_close(&fd);
	return -1;
}

int exactfile_of_mapping(const struct caller *caller, const struct trace_mapping *mapping)
{
	CLEANUP(fd_close) int maps = open_maps(caller, mapping->pid);
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	char range[40];

	lines_init(&lines, "maps", maps, &lines_of_kernel);
	if (maps < 0)
		return -1;

	int whole = open_whole(mapping);

	if (whole >= 0)
		return whole;
	while (lines_next(&lines, &line)) {
		if (!shows(line.text, mapping, range))
			continue;
		return open_range(mapping->pid, range);
	}
	errno = ENOENT;
	return -1;
}
