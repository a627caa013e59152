// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** Asking what is used costs some microseconds: it is asked once for so many bytes. */
enum { STEP = 1 << 20 };

static struct {
	uint64_t limit; // 0: none
	const char *name;
	uint64_t unseen; // bytes since the last look
} state;

/** The number behind @name in a file of lines "NAME: NUMBER kB"; false if there is none. */
static bool read_kib(const char *path, const char *name, uint64_t *ret_bytes)
{
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	size_t length = strlen(name);
	char line[256];
	uint64_t kib;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, length) != 0 ||
		    sscanf(line + length, "%" SCNu64, &kib) != 1)
			continue;
		*ret_bytes = kib * 1024;
		return true;
	}
	return false;
}

/** The number that is all of the file @group/@name below the control groups. */
static bool read_group(const char *group, const char *name, uint64_t *ret_bytes)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", group, name);
	CLEANUP(file_closep) FILE *file = fopen(path, "re");
	return file && fscanf(file, "%" SCNu64, ret_bytes) == 1; // "max" is no number
}

/** Return the free memory of this process's control group, in version 2 of the hierarchy. */
static uint64_t group_free(void)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/self/cgroup", "re");
	char group[2048];
	uint64_t most, used;

	if (!file || fscanf(file, "0::%2047[^\n]", group) != 1 ||
	    !read_group(group, "memory.max", &most) || !read_group(group, "memory.current", &used))
		return UINT64_MAX;
	return most > used ? most - used : 0;
}

uint64_t memory_free(void)
{
	uint64_t machine, group = group_free();

	if (!read_kib("/proc/meminfo", "MemAvailable:", &machine))
		machine = UINT64_MAX;
	return machine < group ? machine : group;
}

uint64_t memory_used(void)
{
	CLEANUP(file_closep) FILE *file = fopen("/proc/self/statm", "re");
	uint64_t all, resident, shared;

	// What is shared are pages of files: those that are mapped can be taken away.
	if (!file ||
	    fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64, &all, &resident, &shared) != 3)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void memory_limit(uint64_t bytes, const char *name)
{
	state.limit = bytes;
	state.name = bytes ? name : NULL;
	state.unseen = 0;
}

bool memory_allows(uint64_t bytes)
{
	uint64_t sum;

	return !state.limit ||
	       (!__builtin_add_overflow(memory_used(), bytes, &sum) && sum <= state.limit);
}

const char *memory_limit_name(void)
{
	return state.name;
}

bool memory_take(size_t bytes)
{
	if (!state.limit)
		return true;
	state.unseen += bytes;
	if (state.unseen < STEP)
		return true;
	state.unseen = 0;
	return memory_allows(bytes);
}
