// SPDX-License-Identifier: Apache-2.0
#include "unwind/secretblocks.h"

#include "base/checked.h"
#include "base/range.h"
#include "machine/page.h"

#include <string.h>
#include <sys/mman.h>

enum { BLOCK_MIN = 1 << 20, BLOCK_MAX = 4 << 20 };

bool secretblock_map(struct secretblock *block, size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED)
		return false;
	// Without this a crash of the recorder would put the stacks on disk.
	if (madvise(bytes, size, MADV_DONTDUMP)) {
		munmap(bytes, size);
		return false;
	}
	*block = (struct secretblock){ .bytes = bytes, .size = size };
	return true;
}

void secretblock_unmap(struct secretblock *block)
{
	if (!block->bytes)
		return;
	explicit_bzero(block->bytes, block->used);
	munmap(block->bytes, block->size);
}

void *secretblocks_alloc(struct secretblocks *blocks, size_t size)
{
	struct secretblock *last =
		blocks->list.count ? &blocks->list.items[blocks->list.count - 1] : NULL;

	size = align_up(size, 8);
	if (!checked_within(blocks->used, size, blocks->limit))
		return NULL;
	if (!last || size > last->size - last->used) {
		size_t block_size = last ? last->size * 2 : BLOCK_MIN;
		struct secretblock block;

		if (block_size > BLOCK_MAX)
			block_size = BLOCK_MAX;
		if (block_size < size)
			block_size = align_up(size, MACHINE_PAGE);
		if (!secretblock_map(&block, block_size))
			return NULL;
		// All at once: a fault for each page would cost more than the copy (5 µs against
		// 0.8 µs a stack of 1 KiB). Kernels before 5.14 refuse, and do it page by page.
		// Blocks stay small: a virtual machine may have to get the memory from its host,
		// 11 µs a page, and nothing is drained meanwhile.
		(void)madvise(block.bytes, block_size, MADV_POPULATE_WRITE);
		// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): none is null after a push
		vec_push(&blocks->list, block);
		last = &blocks->list.items[blocks->list.count - 1];
	}

	void *room = last->bytes + last->used;

	last->used += size;
	blocks->used += size;
	return room;
}

void secretblocks_deinit(struct secretblocks *blocks)
{
	vec_foreach (block, &blocks->list)
		secretblock_unmap(block);
	vec_deinit(&blocks->list);
}
