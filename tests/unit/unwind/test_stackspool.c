// SPDX-License-Identifier: Apache-2.0
// The spool against a plain list of the stacks that were added.
#include "unwind/stackspool.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct raw_stack stack_of(const uint8_t *bytes, uint32_t size)
{
	struct raw_stack stack = {
		.pid = 7,
		.time_ns = 1000,
		.size = size,
		.bytes = bytes,
		.reaches_bottom = true,
	};

	for (size_t i = 0; i < MACHINE_REGISTERS; i++)
		stack.registers[i] = 0x1000 + i;
	return stack;
}

static void get(struct stackspool *spool, uint32_t id, struct raw_stack *ret_stack)
{
	stackspool_get(spool, id, ret_stack);
	assert_true(stackspool_get_bytes(spool, id, ret_stack));
}

TEST(equal_stacks_share_an_id)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	uint8_t bytes[64] = { 1, 2, 3 }, same[64] = { 1, 2, 3 };
	struct raw_stack a = stack_of(bytes, 64), b = stack_of(same, 64);

	b.time_ns = 2000;
	b.registers[0] = 99; // rax: clobbered by every call, cannot matter
	assert_int_equal(stackspool_add(spool, &a), 1);
	assert_int_equal(stackspool_add(spool, &b), 1);
	assert_int_equal(stackspool_count(spool), 1);
	assert_int_equal(stackspool_uses(spool, 1), 2);
	assert_int_equal(stackspool_lost(spool), 0);
}

TEST(everything_that_unwinding_reads_tells_stacks_apart)
{
	static const uint8_t kept_registers[] = { 3, 6, 7, 12, 13, 14, 15, 16 };
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	uint8_t bytes[64] = { 0 };
	struct raw_stack stack = stack_of(bytes, 64);
	uint32_t next = 1;

	assert_int_equal(stackspool_add(spool, &stack), next++);
	for (size_t i = 0; i < sizeof(kept_registers); i++) {
		struct raw_stack other = stack;

		other.registers[kept_registers[i]]++;
		assert_int_equal(stackspool_add(spool, &other), next++);
	}

	struct raw_stack other = stack;

	other.pid++;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other = stack;
	other.is_32bit = true;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other = stack;
	other.reaches_bottom = false;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other = stack;
	other.size = 63;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other.interrupted_size = 1;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other.interrupted_sp = 0x2000;
	assert_int_equal(stackspool_add(spool, &other), next++);
	other.interrupted_reaches_bottom = true;
	assert_int_equal(stackspool_add(spool, &other), next++);
	bytes[63] = 1;
	assert_int_equal(stackspool_add(spool, &stack), next++);
	assert_int_equal(stackspool_count(spool), next - 1);
}

TEST(a_stack_comes_back_whole)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(64 << 20);
	uint8_t *bytes = malloc(20 << 20); // larger than a block
	struct raw_stack got;

	for (size_t i = 0; i < 20 << 20; i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);

	struct raw_stack empty = stack_of(NULL, 0), large = stack_of(bytes, 20 << 20);

	assert_int_equal(stackspool_add(spool, &empty), 1);
	assert_int_equal(stackspool_add(spool, &large), 2);
	get(spool, 1, &got);
	assert_int_equal(got.size, 0);
	get(spool, 2, &got);
	assert_int_equal(got.size, 20 << 20);
	assert_int_equal(got.pid, 7);
	assert_int_equal(got.time_ns, 1000);
	assert_true(got.reaches_bottom);
	assert_memory_equal(got.registers, large.registers, sizeof(got.registers));
	assert_memory_equal(got.bytes, bytes, 20 << 20);
	free(bytes);
}

// Cut at addresses of its own, so that its outer frames are kept once whatever handler runs.
TEST(a_handlers_stack_comes_back_with_the_one_it_interrupted)
{
	enum { OWN = 1500, INTERRUPTED = 5000 };
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 20);
	uint8_t bytes[OWN + INTERRUPTED];
	struct raw_stack stack = stack_of(bytes, OWN), got;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
	stack.interrupted_sp = 0x7000123;
	stack.interrupted_size = INTERRUPTED;
	stack.interrupted_reaches_bottom = true;
	assert_int_equal(stackspool_add(spool, &stack), 1);
	assert_int_equal(stackspool_add(spool, &stack), 1);
	bytes[OWN + INTERRUPTED - 1]++;
	assert_int_equal(stackspool_add(spool, &stack), 2);
	get(spool, 2, &got);
	assert_int_equal(got.size, OWN);
	assert_int_equal(got.interrupted_size, INTERRUPTED);
	assert_int_equal(got.interrupted_sp, 0x7000123);
	assert_true(got.interrupted_reaches_bottom);
	assert_memory_equal(got.bytes, bytes, sizeof(bytes));
}

// Stacks of 4 KiB at random places, the first bytes of each new.
TEST(stacks_that_differ_in_part_come_back_whole)
{
	enum { SIZE = 4096, COUNT = 3000 };
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 30);
	static uint8_t bytes[COUNT][SIZE];
	static uint64_t sps[COUNT];
	unsigned int seed = 7;

	print_message("# seed %u\n", seed);
	for (uint32_t i = 0; i < COUNT; i++) {
		// Like a thread's: the outer frames stay, and sp moves.
		memcpy(bytes[i], bytes[i ? i - 1 : 0], SIZE);
		for (size_t at = 0; at < (size_t)rand_r(&seed) % 3000; at++)
			bytes[i][at] = (uint8_t)rand_r(&seed);
		memcpy(bytes[i], &i, sizeof(i));
		sps[i] = 0x7ffe0000 + (uint64_t)rand_r(&seed) % 300 * 8;

		struct raw_stack stack = stack_of(bytes[i], SIZE - i % 1500);

		stack.registers[MACHINE_SP] = sps[i];
		assert_int_equal(stackspool_add(spool, &stack), i + 1);
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		struct raw_stack got;

		get(spool, i + 1, &got);
		assert_int_equal(got.registers[MACHINE_SP], sps[i]);
		assert_int_equal(got.size, SIZE - i % 1500);
		assert_memory_equal(got.bytes, bytes[i], got.size);
	}
}

TEST(what_stacks_have_in_common_is_kept_once)
{
	enum { SIZE = 32768, COUNT = 1000 };
	// All of them would be 32 MiB; each has one chunk of its own.
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(4 << 20);
	static uint8_t bytes[SIZE];
	struct raw_stack stack = stack_of(bytes, SIZE);

	for (uint32_t i = 0; i < COUNT; i++) {
		memcpy(bytes, &i, sizeof(i));
		assert_int_equal(stackspool_add(spool, &stack), i + 1);
	}
	assert_int_equal(stackspool_lost(spool), 0);
}

TEST(stacks_beyond_the_limit_are_counted_and_come_from_all_of_the_run)
{
	enum { COUNT = 80000, PARTS = 10 };
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(8 << 20);
	uint64_t bytes[128] = { 0 }; // COUNT times this is ten times the limit
	struct raw_stack stack = stack_of((uint8_t *)bytes, sizeof(bytes));
	uint32_t dropped = 0, kept[PARTS] = { 0 }, first = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		for (size_t word = 0; word < 128; word++)
			bytes[word] = i * 128 + word;

		uint32_t id = stackspool_add(spool, &stack);

		if (!id)
			dropped++;
		else
			kept[i * PARTS / COUNT]++;
		if (i == 0)
			first = id;
	}
	assert_int_equal(stackspool_count(spool), COUNT - dropped);
	assert_int_equal(stackspool_lost(spool), dropped);
	assert_true(dropped > COUNT / 2);
	for (size_t part = 0; part < PARTS; part++)
		assert_true(kept[part] > 0);
	// One that is there needs no room.
	for (size_t word = 0; word < 128; word++)
		bytes[word] = word;
	assert_int_equal(stackspool_add(spool, &stack), first);
	assert_int_equal(stackspool_lost(spool), dropped);
}

TEST(random_adds_agree_with_a_plain_list)
{
	enum { KINDS = 20000, ADDS = 100000 };
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(1 << 30);
	static uint32_t ids[KINDS];
	unsigned int seed = 42;
	uint32_t distinct = 0;

	print_message("# seed %u\n", seed);
	for (size_t i = 0; i < ADDS; i++) {
		uint32_t kind = (uint32_t)rand_r(&seed) % KINDS;
		uint8_t bytes[16] = { 0 };
		struct raw_stack stack = stack_of(bytes, 8 + kind % 8);

		memcpy(bytes, &kind, sizeof(kind));
		if (!ids[kind])
			ids[kind] = ++distinct;
		assert_int_equal(stackspool_add(spool, &stack), ids[kind]);
	}
	assert_int_equal(stackspool_count(spool), distinct);
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		struct raw_stack got;

		if (!ids[kind])
			continue;
		get(spool, ids[kind], &got);
		assert_int_equal(got.size, 8 + kind % 8);
		assert_memory_equal(got.bytes, &kind, sizeof(kind));
	}
}

/** The VmFlags line of the mapping that holds @address. */
static bool mapping_has_flag(const void *address, const char *flag)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[4096];
	bool inside = false, has = false;

	assert_non_null(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		unsigned long start, end;
		int used = 0;

		if (sscanf(line, "%lx-%lx %n", &start, &end, &used) == 2 && used)
			inside = (uintptr_t)address >= start && (uintptr_t)address < end;
		else if (inside && !strncmp(line, "VmFlags:", 8))
			has = strstr(line, flag) != NULL;
	}
	fclose(smaps);
	return has;
}

TEST(no_core_dump_shows_a_stack)
{
	CLEANUP(stackspool_destroyp) struct stackspool *spool = stackspool_create(64 << 20);
	uint8_t bytes[64] = "a secret on the stack";
	struct raw_stack stack = stack_of(bytes, sizeof(bytes)), got;

	assert_int_equal(stackspool_add(spool, &stack), 1);
	get(spool, 1, &got);
	assert_true(mapping_has_flag(got.bytes, " dd"));
	assert_false(mapping_has_flag(spool, " dd"));
}
