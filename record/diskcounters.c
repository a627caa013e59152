// SPDX-License-Identifier: Apache-2.0
// The kernel's own counters of the bytes that disks have read (/proc/diskstats): what was recorded
// of storage has to agree with them.
#include "record/session.h"

#include "base/cleanup.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { SECTOR_BYTES = 512 };

/** Whether requests of the disk are its own, and not those of others again. */
static bool is_lowest(unsigned major_number, unsigned minor_number)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major_number, minor_number);
	if (access(path, F_OK) == 0)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/slaves", major_number, minor_number);
	DIR *folder = opendir(path);
	size_t entries = 0;

	while (folder && readdir(folder))
		entries++;
	if (folder)
		closedir(folder);
	return entries <= 2; // . and ..
}

void diskcounters_read(struct diskcounters *counters)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/diskstats", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned major_number, minor_number;
		struct diskcounter counter;
		uint64_t sectors;

		// MAJOR MINOR NAME READS MERGED SECTORS ...
		if (sscanf(line, "%u %u %63s %*u %*u %" SCNu64, &major_number, &minor_number,
			   counter.name, &sectors) != 4 ||
		    !is_lowest(major_number, minor_number))
			continue;
		counter.device = makedev(major_number, minor_number);
		counter.bytes = sectors * SECTOR_BYTES;
		vec_push(&counters->list, counter);
	}
}

/** Return the bytes that @counters have of @device; 0 if they do not know it. */
static uint64_t bytes_of(const struct diskcounters *counters, uint64_t device)
{
	vec_foreach (counter, &counters->list)
		if (counter->device == device)
			return counter->bytes;
	return 0;
}

static uint64_t difference(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

void diskcounters_write(const struct diskcounters looks[DISK_LOOKS], struct trace_writer *writer)
{
	vec_foreach (last, &looks[DISK_AFTER_END].list) {
		uint64_t device = last->device;
		const struct trace_device row = {
			.device = device,
			.least = difference(bytes_of(&looks[DISK_BEFORE_END], device),
					    bytes_of(&looks[DISK_AFTER_BEGIN], device)),
			.most = difference(last->bytes,
					   bytes_of(&looks[DISK_BEFORE_BEGIN], device)),
			.name = last->name,
		};

		if (row.most > 0)
			trace_writer_device(writer, &row);
	}
}
