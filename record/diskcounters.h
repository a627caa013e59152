// SPDX-License-Identifier: Apache-2.0
// The kernel's own counters of the bytes that disks have read (/proc/diskstats): what was recorded
// of storage has to agree with them.
#pragma once

#include "base/vec.h"
#include "trace/trace.h"

struct diskcounter {
	uint64_t device;
	uint64_t bytes; // read since the machine started
	char name[64];
};

/** One look; zero-initialise. */
struct diskcounters {
	VEC(struct diskcounter) list;
};

/** Around the begin and the end of recording. */
enum {
	DISK_BEFORE_BEGIN,
	DISK_AFTER_BEGIN,
	DISK_BEFORE_END,
	DISK_AFTER_END,
	DISK_LOOKS,
};

/**
 * Read the counters of all disks that are on no other one: not of partitions, nor of what device
 * mapper and md build. Nothing where the kernel has none.
 */
void diskcounters_read(struct diskcounters *counters);

/** Write what each disk has read between the looks, of those that have read anything. */
void diskcounters_write(const struct diskcounters looks[DISK_LOOKS], struct trace_writer *writer);

void diskcounters_deinit(struct diskcounters *counters);
