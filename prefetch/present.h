// SPDX-License-Identifier: Apache-2.0
// What of a file is in memory.
#pragma once

#include <stdint.h>

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
