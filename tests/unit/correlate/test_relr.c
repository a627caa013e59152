// SPDX-License-Identifier: Apache-2.0
// The size of a packed table: cases by hand, and the encoding of it read back.
#include "correlate/linking/relr.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t words_of(unsigned word_size, const uint64_t *vaddrs, size_t count)
{
	struct relr relr = relr_start(word_size);

	for (size_t i = 0; i < count; i++)
		relr_add(&relr, vaddrs[i]);
	assert_int_equal(relr_size(&relr), relr.words * word_size);
	return relr.words;
}
#define WORDS(word_size, ...)                                  \
	words_of(word_size, (const uint64_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

TEST(a_slot_alone_takes_one_word)
{
	assert_int_equal(words_of(8, NULL, 0), 0);
	assert_int_equal(WORDS(8, 0x1000), 1);
	assert_int_equal(WORDS(8, 0), 1);
	assert_int_equal(WORDS(8, UINT64_MAX - 7), 1);
}

TEST(a_bitmap_stands_for_63_words_after_the_address)
{
	assert_int_equal(WORDS(8, 0x1000, 0x1008), 2);
	assert_int_equal(WORDS(8, 0x1000, 0x1000 + 63 * 8), 2);
	assert_int_equal(WORDS(8, 0x1000, 0x1000 + 64 * 8), 2); // too far: an address of its own
	assert_int_equal(WORDS(8, 0x1000, 0x1000 + 63 * 8, 0x1000 + 64 * 8), 3);
	assert_int_equal(WORDS(8, 0x1000, 0x1008, 0x1000 + 126 * 8), 3);
	assert_int_equal(WORDS(8, 0x1000, 0x1008, 0x1000 + 127 * 8), 3); // address
	assert_int_equal(WORDS(8, 0x1000, 0x1008, 0x1000 + 127 * 8, 0x1000 + 128 * 8), 4);
	assert_int_equal(WORDS(4, 0x1000, 0x1000 + 31 * 4), 2);
	assert_int_equal(WORDS(4, 0x1000, 0x1000 + 31 * 4, 0x1000 + 32 * 4), 3);
}

TEST(a_slot_that_is_not_aligned_with_the_last_starts_anew)
{
	assert_int_equal(WORDS(8, 0x1000, 0x100c, 0x1014), 3);
	assert_int_equal(WORDS(8, 0x1000, 0x1008, 0x100c), 3);
	assert_int_equal(WORDS(8, 0x1000, 0x1004), 2); // within the first
	assert_int_equal(WORDS(8, 0x1000, 0x1000, 0x1008), 2);
	assert_true(relr_can_hold(0x1002));
	assert_false(relr_can_hold(0x1001));
}

/** The loop that linkers have, over the whole list at once; writes the table. */
static size_t encode(const uint64_t *vaddrs, size_t count, unsigned word_size, uint64_t *words)
{
	const uint64_t bits = 8 * word_size - 1;
	size_t used = 0, i = 0;

	while (i < count) {
		uint64_t base = vaddrs[i] + word_size;

		words[used++] = vaddrs[i++];
		for (;;) {
			uint64_t bitmap = 0;

			for (; i < count; i++) {
				uint64_t distance = vaddrs[i] - base;

				if (distance >= bits * word_size || distance % word_size)
					break;
				bitmap |= 1ULL << (distance / word_size);
			}
			if (!bitmap)
				break;
			words[used++] = bitmap << 1 | 1;
			base += bits * word_size;
		}
	}
	return used;
}

TEST(any_table_has_the_size_of_its_encoding)
{
	enum { ROUNDS = 20000, MAX = 300 };
	unsigned seed = 20240607;
	uint64_t vaddrs[MAX], words[MAX];

	printf("# seed %u\n", seed);
	for (int round = 0; round < ROUNDS; round++) {
		unsigned word_size = rand_r(&seed) % 2 ? 8 : 4;
		int spread = 1 << rand_r(&seed) % 9;
		size_t count = (size_t)(rand_r(&seed) % MAX);
		uint64_t vaddr = 0x1000;

		for (size_t i = 0; i < count; i++) {
			int step = 1 + rand_r(&seed) % spread;

			vaddr += rand_r(&seed) % 50 ? (uint64_t)step * word_size
						    : (uint64_t)step * 2;
			vaddrs[i] = vaddr;
		}
		assert_int_equal(words_of(word_size, vaddrs, count),
				 encode(vaddrs, count, word_size, words));
	}
}
