// SPDX-License-Identifier: Apache-2.0
// Arena, vector and string buffer: what everything else allocates with.
#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "tests/support/test.h"

#include <string.h>

TEST(pieces_are_zeroed_and_aligned)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		unsigned char *piece = arena_alloc(&arena, size);

		assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(piece[i], 0);
		memset(piece, 0xff, size);
	}
}

TEST(a_large_piece_leaves_earlier_ones_alone)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	char *before = arena_strdup(&arena, "before");
	memset(arena_alloc(&arena, 1 << 20), 'x', 1 << 20);
	char *after = arena_printf(&arena, "%s-%d", "after", 7);

	assert_string_equal(before, "before");
	assert_string_equal(after, "after-7");
}

TEST(a_vector_keeps_what_was_pushed)
{
	VEC(uint32_t) numbers = { 0 };

	for (uint32_t i = 0; i < 1000; i++)
		vec_push(&numbers, i * i);
	assert_int_equal(numbers.count, 1000);
	uint32_t expected = 0;
	vec_foreach (number, &numbers) {
		assert_int_equal(*number, expected * expected);
		expected++;
	}
	vec_deinit(&numbers);
	assert_null(numbers.items);
}

TEST(a_string_buffer_grows_by_pieces)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };

	assert_string_equal(strbuf_text(&buf), "");
	for (int i = 0; i < 100; i++)
		strbuf_printf(&buf, "%02d", i);
	strbuf_putc(&buf, '!');
	assert_int_equal(buf.length, 201);
	assert_memory_equal(buf.text, "000102", 6);
	assert_string_equal(buf.text + 198, "99!");
	strbuf_clear(&buf);
	assert_string_equal(strbuf_text(&buf), "");
}
