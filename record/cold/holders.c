// SPDX-License-Identifier: Apache-2.0
// Processes that map a file, and so keep its pages in memory.
#include "record/cold/private.h"

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/search.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int compare(const struct held_file *a, const struct held_file *b)
{
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a->device > b->device) - (a->device < b->device);
}

static int compare_files(const void *a, const void *b)
{
	return compare(a, b);
}

static void read_comm(pid_t pid, char ret_comm[static 16])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	if (!file || !fgets(ret_comm, 16, file))
		strcpy(ret_comm, "?");
	ret_comm[strcspn(ret_comm, "\n")] = '\0';
}

static void add(struct held_file *file, pid_t pid)
{
	if (pid == getpid()) {
		file->is_own = true;
		return;
	}
	if (file->latest == pid)
		return; // in several pieces
	file->latest = pid;
	if (file->holder_count++ >= HOLDERS_NAMED)
		return;

	struct holder *holder = &file->holders[file->holder_count - 1];

	holder->pid = pid;
	read_comm(pid, holder->comm);
}

/** Returns false if the process may not be looked into. */
static bool look_at(struct held_file *files, size_t count, pid_t pid)
{
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (!lines_open(&lines, path, &lines_of_kernel, NULL))
		return errno == ENOENT || errno == ESRCH;
	while (lines_next(&lines, &line)) {
		unsigned int major, minor;
		struct held_file mapped = { 0 };

		if (sscanf(line.text, "%*x-%*x %*s %*x %x:%x %" SCNu64, &major, &minor,
			   &mapped.inode) != 3 ||
		    mapped.inode == 0)
			continue;
		mapped.device = makedev(major, minor);

		size_t found = search_first(count, i, compare(&files[i], &mapped) >= 0);

		if (found < count && compare(&files[found], &mapped) == 0)
			add(&files[found], pid);
	}
	return lines_ended(&lines, NULL) || lines.err.os_errno == ESRCH;
}

size_t holders_find(struct held_file *files, size_t count, pid_t ignored)
{
	DIR *processes = opendir("/proc");
	size_t denied = 0;
	struct dirent *entry;

	if (count > 0)
		qsort(files, count, sizeof(*files), compare_files);
	while (processes && count > 0 && (entry = readdir(processes))) {
		char *end;
		long pid = strtol(entry->d_name, &end, 10);

		if (pid > 0 && pid <= INT32_MAX && *end == '\0' && pid != ignored)
			denied += !look_at(files, count, (pid_t)pid);
	}
	if (processes)
		closedir(processes);
	return denied;
}
