// SPDX-License-Identifier: Apache-2.0
// Reads /proc/PID/task and /proc/PID/maps for `-p`.
#include "record/attach.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

bool attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_count, struct err *err)
{
	char path[64];
	VEC(pid_t) tids = { 0 };
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);

	DIR *folder = opendir(path);

	if (!folder)
		return err_set(err, ERR_INPUT, "process %d: %s", (int)pid,
			       errno == ENOENT ? "no such process" : strerror(errno));
	while ((entry = readdir(folder))) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (number > 0 && number <= INT32_MAX && *end == '\0')
			vec_push(&tids, (pid_t)number);
	}
	closedir(folder);
	if (tids.count == 0)
		return err_set(err, ERR_INPUT, "process %d: has just ended", (int)pid);
	*ret_tids = tids.items;
	*ret_count = tids.count;
	return true;
}

bool attach_count(pid_t pid, struct attach_counts *ret_counts)
{
	char path[64], line[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	if (!file || !fgets(line, sizeof(line), file))
		return false;
	// The name, in parentheses, may hold anything. State, five numbers, flags, then the counts:
	// minor, of children that were waited for, major.
	const char *rest = strrchr(line, ')');

	return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
			      &ret_counts->minor, &ret_counts->major) == 2;
}

static bool parse_line(char *line, struct trace_mapping *mapping)
{
	char bits[5];
	uint64_t end;
	unsigned int major, minor;
	int path_at = -1;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->addr, &end, bits, &mapping->offset, &major, &minor, &mapping->inode,
		   &path_at) != 7 ||
	    path_at < 0 || end < mapping->addr || strlen(bits) != 4)
		return false;
	mapping->size = end - mapping->addr;
	mapping->protection = (bits[0] == 'r' ? TRACE_PROTECTION_READ : 0u) |
			      (bits[1] == 'w' ? TRACE_PROTECTION_WRITE : 0u) |
			      (bits[2] == 'x' ? TRACE_PROTECTION_EXEC : 0u);
	mapping->is_shared = bits[3] == 's';
	if (mapping->inode != 0)
		mapping->device = makedev(major, minor);
	mapping->path = line[path_at] ? line + path_at : "//anon";
	return true;
}

static bool snapshot_mappings(pid_t pid, uint64_t time_ns, struct mappedfiles *files,
			      struct sink *sink, struct err *err)
{
	char path[64];
	CLEANUP(freep) char *line = NULL;
	size_t capacity = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");

	if (!file)
		return err_os(err, "%s", path);
	while (getline(&line, &capacity, file) > 0) {
		struct trace_mapping mapping = {
			.time_ns = time_ns,
			.pid = (uint32_t)pid,
			.tid = (uint32_t)pid,
		};

		if (!parse_line(line, &mapping))
			return err_set(err, ERR_OS, "%s: '%s' has an unknown format", path, line);
		mapping.file = mappedfiles_see(files, &mapping);
		sink_mapping(sink, &mapping);
	}
	return !ferror(file) || err_os(err, "%s", path);
}

bool attach_snapshot(pid_t pid, const pid_t *tids, size_t tid_count, uint64_t time_ns,
		     struct mappedfiles *files, struct sink *sink, struct err *err)
{
	for (size_t i = 0; i < tid_count; i++) {
		char path[96];
		struct trace_task task = {
			.time_ns = time_ns,
			.kind = TRACE_TASK_COMM,
			.pid = (uint32_t)pid,
			.tid = (uint32_t)tids[i],
		};

		snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tids[i]);

		CLEANUP(file_closep) FILE *file = fopen(path, "re");

		if (!file || !fgets(task.comm, sizeof(task.comm), file))
			continue; // the thread has ended
		task.comm[strcspn(task.comm, "\n")] = '\0';
		sink_task(sink, &task);
	}
	return snapshot_mappings(pid, time_ns, files, sink, err);
}
