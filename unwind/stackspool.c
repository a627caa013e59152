// SPDX-License-Identifier: Apache-2.0
// Owns the raw stacks. Each is cut into chunks at multiples of 1 KiB of its addresses, and each
// distinct chunk is kept once: a thread's outer frames hardly change from fault to fault, so that
// little is copied and memory grows slowly.
#include "unwind/stackspool.h"

#include "base/arena.h"
#include "base/range.h"
#include "base/vec.h"
#include "machine/machine.h"
#include "machine/unwinding.h"
#include "unwind/idtable.h"
#include "unwind/secretblocks.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <xxhash.h>

enum { CHUNK = 1024 };

/** Bytes of one or more stacks, inside a block; the bytes follow. */
struct chunk {
	uint32_t size;
	uint32_t reserved;
};

/**
 * The kept form of one stack, inside a block; its chunks' numbers follow. Registers are secrets as
 * well.
 */
struct kept {
	uint64_t time_ns;
	uint64_t registers[MACHINE_REGISTERS];
	uint64_t interrupted_sp;
	uint32_t pid;
	uint32_t size;
	uint32_t interrupted_size;
	uint32_t uses;
	uint32_t chunk_count;
	bool is_32bit;
	bool reaches_bottom;
	bool interrupted_reaches_bottom;
	uint32_t chunks[];
};

struct stackspool {
	struct secretblocks blocks;
	VEC(struct chunk *) chunks; // [id - 1]
	VEC(struct kept *) kept;    // [id - 1]
	struct idtable chunk_table, kept_table;
	VEC(uint64_t) hashes;	 // of the chunks of the stack that is being added
	struct secretblock copy; // of the stack that was last put together
	uint64_t seed;
	uint64_t lost;
};

/** The values by which two stacks are equal besides their bytes, without padding. */
struct key {
	// What a caller may rely on, and the ip: no other can change how a stack unwinds.
	uint64_t registers[MACHINE_KEPT + 1];
	uint32_t pid;
	uint32_t size;
	uint32_t is_32bit;
	uint32_t reaches_bottom;
	uint64_t interrupted_sp;
	uint32_t interrupted_size;
	uint32_t interrupted_reaches_bottom;
};
_Static_assert(sizeof(struct key) == 32 + 8 * (MACHINE_KEPT + 1),
	       "struct key is hashed whole: no padding");

static struct key key_of(const struct raw_stack *stack)
{
	struct key key = {
		.pid = stack->pid,
		.size = stack->size,
		.is_32bit = stack->is_32bit,
		.reaches_bottom = stack->reaches_bottom,
		.interrupted_sp = stack->interrupted_sp,
		.interrupted_size = stack->interrupted_size,
		.interrupted_reaches_bottom = stack->interrupted_reaches_bottom,
	};
	const struct machine_unwinding *unwinding = machine_own(false)->unwinding;

	for (size_t i = 0; unwinding && i < unwinding->kept_count; i++)
		key.registers[i] = stack->registers[unwinding->kept[i]];
	key.registers[MACHINE_KEPT] = stack->registers[MACHINE_IP];
	return key;
}

/** Return the kept stack, without its bytes. */
static struct raw_stack stack_of(const struct kept *kept)
{
	struct raw_stack stack = {
		.pid = kept->pid,
		.time_ns = kept->time_ns,
		.is_32bit = kept->is_32bit,
		.reaches_bottom = kept->reaches_bottom,
		.size = kept->size,
		.interrupted_sp = kept->interrupted_sp,
		.interrupted_size = kept->interrupted_size,
		.interrupted_reaches_bottom = kept->interrupted_reaches_bottom,
	};

	memcpy(stack.registers, kept->registers, sizeof(stack.registers));
	return stack;
}

static const uint8_t *bytes_of(const struct chunk *chunk)
{
	return (const uint8_t *)(chunk + 1);
}

struct stackspool *stackspool_create(uint64_t limit_bytes)
{
	struct stackspool *spool = xcalloc(1, sizeof(*spool));

	spool->blocks.limit = limit_bytes;
	idtable_init(&spool->chunk_table);
	idtable_init(&spool->kept_table);
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
	secretblocks_deinit(&spool->blocks);
	secretblock_unmap(&spool->copy);
	vec_deinit(&spool->chunks);
	vec_deinit(&spool->kept);
	vec_deinit(&spool->hashes);
	idtable_deinit(&spool->chunk_table);
	idtable_deinit(&spool->kept_table);
	free(spool);
}

// ---- Chunks -----------------------------------------------------------------------------------

/**
 * Return the end of the chunk that begins @at bytes into the stack: at a multiple of CHUNK or with
 * it.
 */
static size_t chunk_end(const struct raw_stack *stack, size_t at)
{
	bool is_outer = at >= stack->size;
	size_t stack_end = is_outer ? raw_stack_bytes(stack) : stack->size;
	uint64_t addr = is_outer ? stack->interrupted_sp + (at - stack->size)
				 : stack->registers[MACHINE_SP] + at;
	size_t size = CHUNK - addr % CHUNK;

	return size < stack_end - at ? at + size : stack_end;
}

static void hash_chunks(struct stackspool *spool, const struct raw_stack *stack)
{
	spool->hashes.count = 0;
	for (size_t at = 0; at < raw_stack_bytes(stack);) {
		size_t end = chunk_end(stack, at);

		vec_push(&spool->hashes,
			 XXH3_64bits_withSeed(stack->bytes + at, end - at, spool->seed));
		at = end;
	}
}

/** The number of the chunk with these bytes, which may be new; 0 when there is no memory. */
static uint32_t keep_chunk(struct stackspool *spool, uint64_t hash, const uint8_t *bytes,
			   uint32_t size)
{
	size_t at = hash;
	const struct idtable_slot *slot;

	for (; (slot = idtable_next(&spool->chunk_table, hash, &at)); at++) {
		const struct chunk *chunk = spool->chunks.items[slot->id - 1];

		if (chunk->size == size && !memcmp(bytes_of(chunk), bytes, size))
			return slot->id;
	}

	struct chunk *chunk = spool->chunks.count < UINT32_MAX
				      ? secretblocks_alloc(&spool->blocks, sizeof(*chunk) + size)
				      : NULL;

	if (!chunk)
		return 0;
	chunk->size = size;
	memcpy(chunk + 1, bytes, size);
	vec_push(&spool->chunks, chunk);

	// The count fits: checked above.
	uint32_t id = (uint32_t)spool->chunks.count;

	idtable_add(&spool->chunk_table, hash, id);
	return id;
}

/** True if the chunks of @kept are the bytes of @stack. */
static bool has_bytes(const struct stackspool *spool, const struct kept *kept,
		      const struct raw_stack *stack)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < kept->chunk_count; i++) {
		const struct chunk *chunk = spool->chunks.items[kept->chunks[i] - 1];

		if (memcmp(bytes_of(chunk), stack->bytes + at, chunk->size) != 0)
			return false;
		at += chunk->size;
	}
	return true;
}

// ---- Stacks -----------------------------------------------------------------------------------

static struct kept *find_equal(const struct stackspool *spool, const struct raw_stack *stack,
			       const struct key *key, uint64_t hash, uint32_t *ret_id)
{
	size_t at = hash;
	const struct idtable_slot *slot;

	for (; (slot = idtable_next(&spool->kept_table, hash, &at)); at++) {
		struct kept *kept = spool->kept.items[slot->id - 1];
		const struct raw_stack other_stack = stack_of(kept);
		struct key other = key_of(&other_stack);

		*ret_id = slot->id;
		if (!memcmp(key, &other, sizeof(other)) && has_bytes(spool, kept, stack))
			return kept;
	}
	return NULL;
}

/**
 * True if a new stack is to be left out to save memory. When half of it is used, the share that is
 * kept falls with the square of what is left: so the stacks kept come from all of the run, however
 * long it lasts, and memory never quite ends.
 */
static bool is_thinned_out(const struct stackspool *spool, uint64_t hash)
{
	uint64_t half = spool->blocks.limit / 2;
	uint64_t left = spool->blocks.limit - spool->blocks.used;

	if (left >= half)
		return false;

	double share = (double)left / (double)half;

	// The upper half of the hash: the lower one chooses the slot.
	return (double)(hash >> 32) >= share * share * 0x1p32;
}

static struct kept *keep(struct stackspool *spool, const struct raw_stack *stack)
{
	size_t count = spool->hashes.count;
	struct kept *kept = spool->kept.count < UINT32_MAX
				    ? secretblocks_alloc(&spool->blocks,
							 sizeof(*kept) + count * sizeof(uint32_t))
				    : NULL;

	if (!kept)
		return NULL;
	*kept = (struct kept){
		.time_ns = stack->time_ns,
		.pid = stack->pid,
		.size = stack->size,
		.chunk_count = (uint32_t)count, // fewer than bytes
		.is_32bit = stack->is_32bit,
		.reaches_bottom = stack->reaches_bottom,
		.interrupted_sp = stack->interrupted_sp,
		.interrupted_size = stack->interrupted_size,
		.interrupted_reaches_bottom = stack->interrupted_reaches_bottom,
	};
	memcpy(kept->registers, stack->registers, sizeof(kept->registers));
	for (size_t i = 0, at = 0; i < count; i++) {
		size_t end = chunk_end(stack, at);

		// At most CHUNK.
		kept->chunks[i] = keep_chunk(spool, spool->hashes.items[i], stack->bytes + at,
					     (uint32_t)(end - at));
		if (!kept->chunks[i])
			return NULL; // what was added stays: there is no memory left anyway
		at = end;
	}
	return kept;
}

/** @counts: 1 where what has the stack counts, 0 where it does not. */
static uint32_t add(struct stackspool *spool, const struct raw_stack *stack, uint32_t counts)
{
	struct key key = key_of(stack);
	uint64_t hash = XXH3_64bits_withSeed(&key, sizeof(key), spool->seed);

	hash_chunks(spool, stack);
	hash = XXH3_64bits_withSeed(spool->hashes.items,
				    spool->hashes.count * sizeof(*spool->hashes.items), hash);

	uint32_t id;
	struct kept *kept = find_equal(spool, stack, &key, hash, &id);

	if (!kept) {
		kept = is_thinned_out(spool, hash) ? NULL : keep(spool, stack);
		if (!kept) {
			spool->lost += counts;
			return 0;
		}
		vec_push(&spool->kept, kept);
		id = (uint32_t)spool->kept.count; // fits: keep() checks
		idtable_add(&spool->kept_table, hash, id);
	}
	kept->uses += counts;
	return id;
}

uint32_t stackspool_add(struct stackspool *spool, const struct raw_stack *stack)
{
	return add(spool, stack, 1);
}

uint32_t stackspool_add_uncounted(struct stackspool *spool, const struct raw_stack *stack)
{
	return add(spool, stack, 0);
}

uint32_t stackspool_count(const struct stackspool *spool)
{
	// stackspool_add() stops at UINT32_MAX.
	return (uint32_t)spool->kept.count;
}

void stackspool_get(const struct stackspool *spool, uint32_t id, struct raw_stack *ret_stack)
{
	*ret_stack = stack_of(spool->kept.items[id - 1]);
	ret_stack->size = ret_stack->interrupted_size = 0;
}

bool stackspool_get_bytes(struct stackspool *spool, uint32_t id, struct raw_stack *stack)
{
	const struct kept *kept = spool->kept.items[id - 1];
	const struct raw_stack all = stack_of(kept);
	struct secretblock *copy = &spool->copy;
	size_t at = 0;

	if (raw_stack_bytes(&all) > copy->size) {
		secretblock_unmap(copy);
		*copy = (struct secretblock){ 0 };
		if (!secretblock_map(copy, align_up(raw_stack_bytes(&all), MACHINE_PAGE)))
			return false;
	}
	for (uint32_t i = 0; i < kept->chunk_count; i++) {
		const struct chunk *chunk = spool->chunks.items[kept->chunks[i] - 1];

		memcpy(copy->bytes + at, bytes_of(chunk), chunk->size);
		at += chunk->size;
	}
	if (at > copy->used)
		copy->used = at;
	stack->size = all.size;
	stack->interrupted_size = all.interrupted_size;
	stack->bytes = copy->bytes;
	return true;
}

uint32_t stackspool_uses(const struct stackspool *spool, uint32_t id)
{
	return spool->kept.items[id - 1]->uses;
}

uint64_t stackspool_lost(const struct stackspool *spool)
{
	return spool->lost;
}
