// SPDX-License-Identifier: Apache-2.0
// Owns the raw stacks: large blocks of anonymous memory that no core dump shows and that are
// overwritten before they are released, and the hash table that finds an equal stack.
#include "bpf/stackspool.h"

#include "base/arena.h"
#include "base/checked.h"
#include "base/range.h"
#include "base/vec.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

enum { BLOCK_MIN = 1 << 20, BLOCK_MAX = 16 << 20, SLOTS_AT_FIRST = 1 << 12 };

/** What is kept of one stack, inside a block; the bytes follow. Registers are secrets as well. */
struct kept {
	uint64_t time_ns;
	uint64_t registers[RAW_REGISTER_COUNT];
	uint32_t pid;
	uint32_t size;
	bool is_32bit;
	bool reaches_bottom;
};

/** A mapping of its own, so that madvise() and munmap() reach all of it. */
struct block {
	uint8_t *bytes;
	size_t size;
	size_t used;
};

/** Open addressing with linear probing; id 0 is a free slot. */
struct slot {
	uint64_t hash;
	uint32_t id;
};

struct stackspool {
	VEC(struct block) blocks;
	VEC(struct kept *) kept; // [id - 1]
	struct slot *slots;
	size_t slot_count; // a power of two
	uint64_t seed;
	uint64_t limit_bytes;
	uint64_t kept_bytes;
	uint64_t lost;
};

/** What makes two stacks equal besides their bytes, without padding. */
struct key {
	uint64_t registers[8]; // ip sp rbx rbp r12 r13 r14 r15
	uint32_t pid;
	uint32_t size;
	uint32_t is_32bit;
	uint32_t reaches_bottom;
};
_Static_assert(sizeof(struct key) == 80, "struct key is hashed whole: no padding");

/** DWARF numbers of what a caller may rely on: the rest cannot change how a stack unwinds. */
static const uint8_t key_registers[8] = {
	RAW_REGISTER_IP, RAW_REGISTER_SP, 3, 6, 12, 13, 14, 15,
};

static struct key key_of(const uint64_t *registers, uint32_t pid, uint32_t size, bool is_32bit,
			 bool reaches_bottom)
{
	struct key key = {
		.pid = pid,
		.size = size,
		.is_32bit = is_32bit,
		.reaches_bottom = reaches_bottom,
	};

	for (size_t i = 0; i < 8; i++)
		key.registers[i] = registers[key_registers[i]];
	return key;
}

static const uint8_t *kept_bytes(const struct kept *kept)
{
	return (const uint8_t *)(kept + 1);
}

struct stackspool *stackspool_create(uint64_t limit_bytes)
{
	struct stackspool *spool = xcalloc(1, sizeof(*spool));

	spool->limit_bytes = limit_bytes;
	spool->slot_count = SLOTS_AT_FIRST;
	spool->slots = xcalloc(spool->slot_count, sizeof(*spool->slots));
	// A traced program must not be able to choose stacks that collide.
	if (getrandom(&spool->seed, sizeof(spool->seed), GRND_NONBLOCK) != sizeof(spool->seed)) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		spool->seed = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15 ^ (uintptr_t)spool;
	}
	return spool;
}

void stackspool_destroy(struct stackspool *spool)
{
	if (!spool)
		return;
	vec_foreach (block, &spool->blocks) {
		explicit_bzero(block->bytes, block->used);
		munmap(block->bytes, block->size);
	}
	vec_deinit(&spool->blocks);
	vec_deinit(&spool->kept);
	free(spool->slots);
	free(spool);
}

static void slots_grow(struct stackspool *spool)
{
	size_t grown = spool->slot_count * 2;
	struct slot *slots = xcalloc(grown, sizeof(*slots));

	for (size_t i = 0; i < spool->slot_count; i++) {
		struct slot slot = spool->slots[i];
		size_t at = slot.hash & (grown - 1);

		if (!slot.id)
			continue;
		while (slots[at].id)
			at = (at + 1) & (grown - 1);
		slots[at] = slot;
	}
	free(spool->slots);
	spool->slots = slots;
	spool->slot_count = grown;
}

/** Room for @size bytes in the newest block or a new one; NULL when there is no memory. */
static void *blocks_alloc(struct stackspool *spool, size_t size)
{
	struct block *last =
		spool->blocks.count ? &spool->blocks.items[spool->blocks.count - 1] : NULL;

	if (!last || size > last->size - last->used) {
		size_t block_size = last ? last->size * 2 : BLOCK_MIN;

		if (block_size > BLOCK_MAX)
			block_size = BLOCK_MAX;
		if (block_size < size)
			block_size = align_up(size, 4096);

		void *bytes = mmap(NULL, block_size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (bytes == MAP_FAILED)
			return NULL;
		// Without this a crash of the recorder would put the stacks on disk.
		if (madvise(bytes, block_size, MADV_DONTDUMP)) {
			munmap(bytes, block_size);
			return NULL;
		}
		// All at once: a fault for each page would cost more than the copy (5 µs against
		// 0.8 µs a stack of 1 KiB). Kernels before 5.14 refuse, and do it page by page.
		(void)madvise(bytes, block_size, MADV_POPULATE_WRITE);
		vec_push(&spool->blocks,
			 (struct block){ .bytes = bytes, .size = block_size, .used = 0 });
		last = &spool->blocks.items[spool->blocks.count - 1];
	}

	void *room = last->bytes + last->used;

	last->used += size;
	return room;
}

uint32_t stackspool_add(struct stackspool *spool, const struct raw_stack *stack)
{
	struct key key = key_of(stack->registers, stack->pid, stack->size, stack->is_32bit,
				stack->reaches_bottom);
	uint64_t hash = XXH3_64bits_withSeed(&key, sizeof(key), spool->seed);

	hash = XXH3_64bits_withSeed(stack->bytes, stack->size, hash);

	size_t at = hash & (spool->slot_count - 1);

	for (; spool->slots[at].id; at = (at + 1) & (spool->slot_count - 1)) {
		if (spool->slots[at].hash != hash)
			continue;

		const struct kept *kept = spool->kept.items[spool->slots[at].id - 1];
		struct key other = key_of(kept->registers, kept->pid, kept->size, kept->is_32bit,
					  kept->reaches_bottom);

		if (!memcmp(&key, &other, sizeof(key)) &&
		    !memcmp(kept_bytes(kept), stack->bytes, stack->size))
			return spool->slots[at].id;
	}

	uint64_t size = align_up(sizeof(struct kept) + (uint64_t)stack->size, 8);
	struct kept *kept = NULL;

	if (checked_within(spool->kept_bytes, size, spool->limit_bytes) &&
	    spool->kept.count < UINT32_MAX)
		kept = blocks_alloc(spool, size);
	if (!kept) {
		spool->lost++;
		return 0;
	}
	spool->kept_bytes += size;
	*kept = (struct kept){
		.time_ns = stack->time_ns,
		.pid = stack->pid,
		.size = stack->size,
		.is_32bit = stack->is_32bit,
		.reaches_bottom = stack->reaches_bottom,
	};
	memcpy(kept->registers, stack->registers, sizeof(kept->registers));
	if (stack->size)
		memcpy(kept + 1, stack->bytes, stack->size);
	vec_push(&spool->kept, kept);

	// The count fits: checked above.
	uint32_t id = (uint32_t)spool->kept.count;

	spool->slots[at] = (struct slot){ .hash = hash, .id = id };
	if (spool->kept.count * 4 > spool->slot_count * 3)
		slots_grow(spool);
	return id;
}

uint32_t stackspool_count(const struct stackspool *spool)
{
	// stackspool_add() stops at UINT32_MAX.
	return (uint32_t)spool->kept.count;
}

void stackspool_get(const struct stackspool *spool, uint32_t id, struct raw_stack *ret_stack)
{
	const struct kept *kept = spool->kept.items[id - 1];

	*ret_stack = (struct raw_stack){
		.pid = kept->pid,
		.time_ns = kept->time_ns,
		.is_32bit = kept->is_32bit,
		.reaches_bottom = kept->reaches_bottom,
		.size = kept->size,
		.bytes = kept_bytes(kept),
	};
	memcpy(ret_stack->registers, kept->registers, sizeof(kept->registers));
}

uint64_t stackspool_lost(const struct stackspool *spool)
{
	return spool->lost;
}
