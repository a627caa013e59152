// SPDX-License-Identifier: Apache-2.0
// Go's table of functions, written by hand; the real one in tests/live/real.bats.
#include "elfmap/headers/gopclntab.h"
#include "tests/support/gotable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 0x401000, SIZE = GOTABLE_SIZE };

static const uint32_t magics[] = { 0xfffffffa, 0xfffffff0, 0xfffffff1 };

static void functions_have_names_and_places_in_every_version(void **state)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		uint8_t bytes[SIZE];
		struct gopclntab table;
		struct gopclntab_function function;

		gotable_write(bytes, TEXT, magics[i]);
		assert_true(gopclntab_init(&table, bytes, SIZE, 0));
		assert_int_equal(table.count, 3);
		assert_true(gopclntab_find(&table, TEXT + 31, &function));
		assert_string_equal(function.name, "main.main");
		assert_int_equal(function.start, TEXT);
		assert_int_equal(function.end, TEXT + 32);
		assert_int_equal(function.flags, 0);
		assert_true(gopclntab_find(&table, TEXT + 32, &function));
		assert_string_equal(function.name, "main.leaf");
		assert_true(gopclntab_find(&table, TEXT + 95, &function));
		assert_int_equal(function.flags, GOPCLNTAB_OUTERMOST);
		assert_false(gopclntab_find(&table, TEXT + 96, &function));
		assert_false(gopclntab_find(&table, TEXT - 1, &function));
	}
}

static void the_return_address_is_where_the_deltas_say(void **state)
{
	static const struct {
		uint64_t into, depth;
	} expected[] = { { 0, 0 }, { 3, 0 }, { 4, 24 }, { 23, 24 }, { 24, 0 }, { 31, 0 } };
	uint8_t bytes[SIZE];
	struct gopclntab table;
	struct gopclntab_function function;
	uint64_t depth;

	gotable_write(bytes, TEXT, magics[1]);
	assert_true(gopclntab_init(&table, bytes, SIZE, 0));
	assert_true(gopclntab_find(&table, TEXT, &function));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_true(gopclntab_depth(&table, &function, TEXT + expected[i].into, &depth));
		assert_int_equal(depth, expected[i].depth);
	}
	assert_false(gopclntab_depth(&table, &function, TEXT + 32, &depth));
	function.deltas = 0; // C code has none
	assert_false(gopclntab_depth(&table, &function, TEXT, &depth));
}

static void a_table_without_the_address_of_text_gets_it_from_the_section(void **state)
{
	uint8_t bytes[SIZE];
	struct gopclntab table;
	struct gopclntab_function function;

	gotable_write(bytes, TEXT, magics[2]);
	gotable_put(bytes + 8 + 2 * 8, 0, 8);
	assert_true(gopclntab_init(&table, bytes, SIZE, 0x1000));
	assert_true(gopclntab_find(&table, 0x1000, &function));
	assert_string_equal(function.name, "main.main");
}

static void damage_is_refused_or_stays_within_the_bytes(void **state)
{
	uint8_t whole[SIZE];

	gotable_write(whole, TEXT, magics[1]);
	// Blocks of their exact size, for the sanitizers; every byte changed, and every prefix.
	for (size_t i = 0; i < 2 * (size_t)SIZE; i++) {
		size_t size = i < SIZE ? SIZE : i - SIZE + 1;
		uint8_t *bytes = malloc(size);
		struct gopclntab table;
		struct gopclntab_function function;
		uint64_t depth;

		memcpy(bytes, whole, size);
		if (i < SIZE)
			bytes[i] = 0xff;
		if (gopclntab_init(&table, bytes, size, 0)) {
			for (uint32_t k = 0; k < table.count && k < 64; k++)
				if (gopclntab_function(&table, k, &function))
					gopclntab_depth(&table, &function, function.end - 1,
							&depth);
			gopclntab_find(&table, TEXT + 40, &function);
		}
		free(bytes);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_names_and_places_in_every_version),
		cmocka_unit_test(the_return_address_is_where_the_deltas_say),
		cmocka_unit_test(a_table_without_the_address_of_text_gets_it_from_the_section),
		cmocka_unit_test(damage_is_refused_or_stays_within_the_bytes),
	};

	// What fixtures/corpus/gopclntab holds: MAGIC's number writes one.
	if (argc == 2) {
		uint8_t bytes[SIZE];

		gotable_write(bytes, TEXT, magics[atoi(argv[1]) % 3]);
		return fwrite(bytes, 1, SIZE, stdout) != SIZE;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
