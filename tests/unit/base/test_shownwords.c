// SPDX-License-Identifier: Apache-2.0
// The visible part of a command line.
#include "base/shownwords.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "tests/support/test.h"

#include <string.h>

static void expect(const char *const *words, const char *shown)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf text = { 0 };
	size_t count = 0, shown_count;

	while (words[count])
		count++;
	const char *const *found = shownwords_of(&arena, words, count, &shown_count);
	for (size_t i = 0; i < shown_count; i++)
		strbuf_printf(&text, "%s%s", i > 0 ? "|" : "", found[i]);
	assert_string_equal(strbuf_text(&text), shown);
}

#define EXPECT(shown, ...) expect((const char *const[]){ __VA_ARGS__, NULL }, shown)

TEST(names_of_options_are_shown)
{
	EXPECT("clang|--version", "clang", "--version");
	EXPECT("sh|-c|\u2026", "sh", "-c", "curl -u me:secret");
	EXPECT("tar|-x|--no-same-owner|-v", "tar", "-x", "--no-same-owner", "-v");
}

TEST(values_are_not)
{
	EXPECT("app|--token=\u2026", "app", "--token=abc=def");
	EXPECT("app|--token|\u2026", "app", "--token", "abc");
	EXPECT("app|--empty=\u2026", "app", "--empty=");
	EXPECT("cc|-o\u2026|-D\u2026|-I\u2026", "cc", "-ofile", "-DKEY=secret", "-I/home/ada");
	EXPECT("mysql|-p\u2026", "mysql", "-psecret");
	EXPECT("go|-t\u2026", "go", "-token=abc");
}

TEST(words_are_not_and_one_stands_for_those_that_follow_each_other)
{
	EXPECT("git|\u2026", "git", "push", "https://me:secret@host/");
	EXPECT("env|\u2026|-a|\u2026", "env", "KEY=secret", "OTHER=x", "-a", "b", "c");
	EXPECT("cat|\u2026", "cat", "-");
	EXPECT("app|\u2026", "app", "");
}

TEST(behind_two_dashes_nothing_is_an_option)
{
	EXPECT("rm|-f|--|\u2026", "rm", "-f", "--", "-rf", "--secret");
}

TEST(what_is_no_name_is_not_shown)
{
	EXPECT("app|\u2026", "app", "--a/b+c=", "-----BEGIN KEY-----", "--=secret", "--a b=c");
	EXPECT("app|\u2026", "app", "-5", "-\xff", "---x", "--1234");
}

TEST(a_program_alone_is_itself)
{
	EXPECT("./app", "./app");
	EXPECT("--token=abc", "--token=abc");
	expect((const char *const[]){ NULL }, "");
}

TEST(a_line_of_words_shows_the_same)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(shownwords_of_line(&arena, "app --token=a b -c d e"),
			    "app --token=\u2026 \u2026 -c \u2026");
	assert_string_equal(shownwords_of_line(&arena, "app --token=\u2026 \u2026"),
			    "app --token=\u2026 \u2026");
	assert_string_equal(shownwords_of_line(&arena, ""), "");
}
