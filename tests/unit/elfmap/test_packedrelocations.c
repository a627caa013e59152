// SPDX-License-Identifier: Apache-2.0
// Android's packed relocations, byte by byte.
#include "elfmap/packedrelocations.h"
#include "tests/support/test.h"

// Of 6 entries from 0x1000 on: two with one info and one step, of addends 16 and 8; one of each its
// own; two with one addend; one without any.
static const uint8_t table[] = {
	'A', 'P', 'S',	'2',  6,    0x80, 0x20, // 0x1000
	2,   11,  8,	0x08, 16,   0x78,	// SAME_INFO, SAME_STEP, HAS_ADDEND; -8
	1,   8,	  0x70, 6,    0x01,		// HAS_ADDEND: -16, info 6, +1
	2,   12,  0x20, 8,    7,    8,	  9,	// SAME_ADDEND, HAS_ADDEND
	1,   0,	  0x08, 5,
};

struct entry {
	uint64_t vaddr, info, addend;
};

static const struct entry entries[] = {
	{ 0x1008, 8, 16 }, { 0x1010, 8, 8 },  { 0x1000, 6, 9 },
	{ 0x1008, 7, 41 }, { 0x1010, 9, 41 }, { 0x1018, 5, 0 },
};

enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

TEST(each_group_has_facts_of_its_own)
{
	struct packedrelocations packed;

	assert_true(packedrelocations_begin(&packed, table, sizeof(table)));
	assert_int_equal(packed.left, ENTRIES);
	for (size_t i = 0; i < ENTRIES; i++) {
		assert_true(packedrelocations_next(&packed));
		assert_int_equal(packed.vaddr, entries[i].vaddr);
		assert_int_equal(packed.info, entries[i].info);
		assert_int_equal(packed.addend, entries[i].addend);
	}
	assert_false(packedrelocations_next(&packed));
	assert_int_equal(packed.left, 0);
}

TEST(a_table_that_ends_early_leaves_some)
{
	struct packedrelocations packed;

	for (size_t size = 0; size < sizeof(table); size++) {
		size_t count = 0;

		if (!packedrelocations_begin(&packed, table, size)) {
			assert_true(size < 7);
			continue;
		}
		while (packedrelocations_next(&packed))
			count++;
		assert_true(packed.left > 0);
		assert_int_equal(count + packed.left, ENTRIES);
	}
}

TEST(another_format_is_refused)
{
	struct packedrelocations packed;

	assert_false(packedrelocations_begin(&packed, (const uint8_t *)"APS1\0\0\0", 7));
}

TEST(a_group_of_none_ends_it)
{
	struct packedrelocations packed;

	assert_true(packedrelocations_begin(&packed, (const uint8_t *)"APS2\1\0\0\0", 8));
	assert_false(packedrelocations_next(&packed));
	assert_int_equal(packed.left, 1);
}
