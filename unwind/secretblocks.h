// SPDX-License-Identifier: Apache-2.0
// Memory for what nobody else may see: anonymous, in no core dump, overwritten before it is
// released.
#pragma once

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A mapping of its own, so that madvise() and munmap() reach all of it. Zero-initialise. */
struct secretblock {
	uint8_t *bytes;
	size_t size;
	size_t used;
};

/** False: there is no memory, or it cannot be kept out of core dumps. */
bool secretblock_map(struct secretblock *block, size_t size);

/** Overwrite and release it; of one that was never mapped nothing. */
void secretblock_unmap(struct secretblock *block);

/** Pieces of blocks, which stay until all are released. Zero-initialise but for .limit. */
struct secretblocks {
	VEC(struct secretblock) list;
	uint64_t used, limit; // bytes
};

/** Room for @size bytes in the newest block or a new one; NULL when there is no memory. */
void *secretblocks_alloc(struct secretblocks *blocks, size_t size);
void secretblocks_deinit(struct secretblocks *blocks);
