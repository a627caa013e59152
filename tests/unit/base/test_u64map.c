// SPDX-License-Identifier: Apache-2.0
// The hash table against the plainest oracle there is: an array of what was put.
#include "base/u64map.h"
#include "tests/support/test.h"

TEST(an_empty_map_has_no_key)
{
	CLEANUP(u64map_deinit) struct u64map map = { 0 };

	assert_null(u64map_get(&map, 0));
}

TEST(every_key_keeps_its_value_through_growth)
{
	enum { COUNT = 10000 };
	CLEANUP(u64map_deinit) struct u64map map = { 0 };

	for (uint32_t i = 0; i < COUNT; i++) {
		bool is_new;

		*u64map_put(&map, (uint64_t)i << 40 | i % 7, &is_new) = i;
		assert_true(is_new);
	}
	assert_int_equal(map.count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint32_t *value = u64map_get(&map, (uint64_t)i << 40 | i % 7);

		assert_non_null(value);
		assert_int_equal(*value, i);
	}
	assert_null(u64map_get(&map, (uint64_t)COUNT << 40));
}

TEST(putting_a_key_again_finds_the_old_value)
{
	CLEANUP(u64map_deinit) struct u64map map = { 0 };
	bool is_new;

	*u64map_put(&map, UINT64_MAX, NULL) = 42;
	assert_int_equal(*u64map_put(&map, UINT64_MAX, &is_new), 42);
	assert_false(is_new);
	assert_int_equal(map.count, 1);
}

TEST(what_was_reserved_for_does_not_move)
{
	enum { COUNT = 5000 };
	CLEANUP(u64map_deinit) struct u64map map = { 0 };

	*u64map_put(&map, 1, NULL) = 11;
	u64map_reserve(&map, COUNT);
	uint32_t *first = u64map_put(&map, 1, NULL);
	assert_int_equal(*first, 11);
	for (uint32_t i = 2; i <= COUNT; i++)
		*u64map_put(&map, i, NULL) = i;
	assert_ptr_equal(u64map_put(&map, 1, NULL), first);
	size_t capacity = map.capacity;
	u64map_reserve(&map, 1); // never less
	assert_int_equal(map.capacity, capacity);
}
