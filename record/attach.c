// SPDX-License-Identifier: Apache-2.0
// Reads /proc/PID/task and /proc/PID/maps for `-p`.
#include "record/attach.h"

#include "base/cleanup.h"
#include "base/lines.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { STAT_SIZE = 1024 }; // of a line of /proc/PID/stat

/**
 * Read what /proc/PID/stat says behind the name, which is in parentheses and may hold anything.
 * NULL: the process has ended.
 */
static const char *read_stat(pid_t pid, char line[STAT_SIZE])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);

	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	const char *name_end = file && fgets(line, STAT_SIZE, file) ? strrchr(line, ')') : NULL;

	return name_end ? name_end + 1 : NULL;
}

/** Whether the kernel says so of the process: it has no memory of its own, so it has no faults. */
static bool is_kernel_thread(pid_t pid)
{
	enum { IS_KERNEL_THREAD = 0x00200000 }; // PF_KTHREAD of include/linux/sched.h
	char line[STAT_SIZE];
	const char *rest = read_stat(pid, line);
	unsigned int flags;

	// State, five numbers, flags.
	return rest && sscanf(rest, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       (flags & IS_KERNEL_THREAD);
}

bool attach_threads(pid_t pid, pid_t **ret_tids, size_t *ret_count, struct err *err)
{
	char path[64];
	VEC(pid_t) tids = { 0 };
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);

	DIR *folder = opendir(path);

	if (!folder)
		return err_set(err, ERR_INPUT, "process %d: %s", (int)pid,
			       errno == ENOENT ? "no such process" : err_text(errno));
	while ((entry = readdir(folder))) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (number > 0 && number <= INT32_MAX && *end == '\0')
			vec_push(&tids, (pid_t)number);
	}
	closedir(folder);
	if (tids.count == 0)
		return err_set(err, ERR_INPUT, "process %d: has just ended", (int)pid);
	if (is_kernel_thread(pid)) {
		vec_deinit(&tids);
		return err_set(err, ERR_INPUT,
			       "process %d: is a kernel thread, which has no page faults to record",
			       (int)pid);
	}
	*ret_tids = tids.items;
	*ret_count = tids.count;
	return true;
}

bool attach_count(pid_t pid, struct attach_counts *ret_counts)
{
	char line[STAT_SIZE];
	const char *rest = read_stat(pid, line);

	// Behind the flags: minor faults, those of children that were waited for, major faults.
	return rest && sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
			      &ret_counts->minor, &ret_counts->major) == 2;
}

static bool parse_line(char *line, struct trace_mapping *mapping)
{
	char bits[5];
	uint64_t end;
	unsigned int major, minor;
	int path_at = -1;

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
	CLEANUP(lines_deinit) struct lines lines;
	struct text_line line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (!lines_open(&lines, path, &lines_of_kernel, err))
		return false;
	while (lines_next(&lines, &line)) {
		struct trace_mapping mapping = {
			.time_ns = time_ns,
			.pid = (uint32_t)pid,
			.tid = (uint32_t)pid,
		};

		if (!parse_line(line.text, &mapping))
			return err_set(err, ERR_OS, "%s: '%s' has an unknown format", path,
				       line.text);
		mapping.file = mappedfiles_see(files, &mapping);
		sink_mapping(sink, &mapping);
	}
	return lines_ended(&lines, err);
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
