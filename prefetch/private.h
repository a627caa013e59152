// SPDX-License-Identifier: Apache-2.0
// Pages of a file that are in memory, and its device. Serves ask.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PREFETCH_DEVICES = 16, PREFETCH_PIECE = 128 << 10, PREFETCH_PIECE_MAX = 2 << 20 };

struct prefetch_device {
	dev_t number;	// of the file system
	uint64_t piece; // bytes that one call may ask for
};

/** Those that were asked about. */
struct prefetch_devices {
	struct prefetch_device list[PREFETCH_DEVICES];
	size_t count;
};

/**
 * Return the request size that the device of a file system takes: read_ahead_kb or max_sectors_kb,
 * whichever is more, since the kernel cuts each readahead() to that (force_page_cache_ra()). 128
 * KiB where no block device has that number, as for overlays and btrfs.
 */
struct prefetch_device prefetch_device_of(struct prefetch_devices *devices, dev_t number);

enum prefetch_presence {
	PREFETCH_ABSENT, // all or a part
	PREFETCH_PRESENT,
	PREFETCH_HIDDEN, // the kernel tells only the file's owner, and those who may write to it
};

/**
 * Whether all pages of [@offset, @offset + @length) are in memory. By cachestat() since Linux 6.5,
 * else by mincore().
 */
enum prefetch_presence prefetch_present(int fd, uint64_t offset, uint64_t length);

/**
 * True if the byte at @offset can be read without waiting, whoever owns the file. Where it cannot,
 * the kernel begins to read it.
 */
bool prefetch_reads_at_once(int fd, uint64_t offset);
