// SPDX-License-Identifier: Apache-2.0
// Tests that list themselves: TEST(name) and a body are all that it takes for a test to run.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct test {
	const char *name;
	CMUnitTestFunction run;
	int line;
	bool is_long;
};

/** Around all tests of a program, or around each of them. A program that needs it defines it. */
struct tests_around {
	CMFixtureFunction before_all, after_all, before_each, after_each;
	const char *locale; // its characters; NULL: those of C
};
extern const struct tests_around tests_around;

// The linker puts the pointers in a row. Constructors would make a list as well, but some tests
// look at the initializers of their own program.
#define TEST_ENTRY(name, is_long)                                                      \
	static void name(void **state);                                                \
	static const struct test entry_of_##name = { #name, name, __LINE__, is_long }; \
	__attribute__((section("tests"), used)) static const struct test *at_##name =  \
		&entry_of_##name;                                                      \
	static void name(void **state)

/** A test; its name says what it shows. Tests run in the order in which they are written. */
#define TEST(name) TEST_ENTRY(name, false)

/** A test that takes long. It runs where the program has an argument, and then without the others.
 */
#define LONG_TEST(name) TEST_ENTRY(name, true)

/**
 * Return the text that @write puts into the stream out; free() it. @write: an expression, which is
 * true where all was written. No text has a NUL.
 */
#define text_written(write)                                 \
	({                                                  \
		char *text_ = NULL;                         \
		size_t size_;                               \
		FILE *out = open_memstream(&text_, &size_); \
                                                            \
		assert_non_null(out);                       \
		assert_true(write);                         \
		assert_int_equal(fclose(out), 0);           \
		assert_int_equal(strlen(text_), size_);     \
		text_;                                      \
	})
