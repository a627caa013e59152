// SPDX-License-Identifier: Apache-2.0
// Patterns of names, and the word that a misspelled one stands for.
#include "base/glob.h"
#include "base/nearest.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

TEST(plain_text_matches_itself_only)
{
	assert_true(glob_match("", ""));
	assert_true(glob_match(".bss", ".bss"));
	assert_false(glob_match(".bss", ".bs"));
	assert_false(glob_match(".bs", ".bss"));
	assert_false(glob_match("", "a"));
	assert_false(glob_match("a", ""));
	assert_true(glob_match("got[3]", "got[3]"));
	assert_false(glob_match("got[3]", "got3"));
}

TEST(a_star_takes_any_part)
{
	assert_true(glob_match("*", ""));
	assert_true(glob_match("**", "a/b"));
	assert_true(glob_match("lib*.so*", "libxul.so"));
	assert_true(glob_match("lib*.so*", "libLLVM-14.so.1"));
	assert_true(glob_match("*ab*ab", "ababxab"));
	assert_false(glob_match("*ab*ab", "abx"));
	assert_false(glob_match("lib*.so", "libxul.so.1"));
	assert_false(glob_match("*b", "ba"));
}

TEST(a_question_mark_takes_one_character)
{
	assert_true(glob_match("a?c", "abc"));
	assert_false(glob_match("a?c", "ac"));
	assert_false(glob_match("a?", "a"));
	assert_true(glob_match("caf?", "caf\xc3\xa9"));
	assert_true(glob_match("*?", "\xff"));
	assert_false(glob_match("?", ""));
}

TEST(a_backslash_takes_the_meaning_away)
{
	assert_true(glob_match("char\\*", "char*"));
	assert_false(glob_match("char\\*", "char"));
	assert_false(glob_match("char\\*", "charx"));
	assert_false(glob_match("a\\?", "ab"));
	assert_true(glob_match("*\\*", "foo(char*"));
	assert_true(glob_match("a\\\\b", "a\\b"));
	assert_true(glob_match("a\\", "a\\"));
}

/** Patterns that take exponential time in naive matchers end at once. */
TEST(many_stars_take_no_time)
{
	enum { LENGTH = 20000 };
	char *text = malloc(LENGTH + 1);

	memset(text, 'a', LENGTH);
	text[LENGTH] = '\0';
	assert_false(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
	assert_true(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", text));
	free(text);
}

TEST(the_nearest_word_is_the_one_meant)
{
	static const char *const words[] = { "file-map", "zero-fill", "fork-cow", "other" };

	assert_string_equal(nearest_word("zero-fil", words, 4), "zero-fill");
	assert_string_equal(nearest_word("zreo-fill", words, 4), "zero-fill");
	assert_string_equal(nearest_word("fork_cow", words, 4), "fork-cow");
	assert_string_equal(nearest_word("ohter", words, 4), "other");
	assert_null(nearest_word("relocation", words, 4));
	assert_null(nearest_word("", words, 4));
	assert_null(nearest_word(
		"a word that is far too long to be any of the words that there are", words, 4));
	assert_null(nearest_word("x", words, 0));
}
