// SPDX-License-Identifier: Apache-2.0
// The visible part of a command line.
#include "base/shownwords.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

static void names_of_options_are_shown(void **state)
{
	EXPECT("clang|--version", "clang", "--version");
	EXPECT("sh|-c|\u2026", "sh", "-c", "curl -u me:secret");
	EXPECT("tar|-x|--no-same-owner|-v", "tar", "-x", "--no-same-owner", "-v");
}

static void values_are_not(void **state)
{
	EXPECT("app|--token=\u2026", "app", "--token=abc=def");
	EXPECT("app|--token|\u2026", "app", "--token", "abc");
	EXPECT("app|--empty=\u2026", "app", "--empty=");
	EXPECT("cc|-o\u2026|-D\u2026|-I\u2026", "cc", "-ofile", "-DKEY=secret", "-I/home/ada");
	EXPECT("mysql|-p\u2026", "mysql", "-psecret");
	EXPECT("go|-t\u2026", "go", "-token=abc");
}

static void words_are_not_and_one_stands_for_those_that_follow_each_other(void **state)
{
	EXPECT("git|\u2026", "git", "push", "https://me:secret@host/");
	EXPECT("env|\u2026|-a|\u2026", "env", "KEY=secret", "OTHER=x", "-a", "b", "c");
	EXPECT("cat|\u2026", "cat", "-");
	EXPECT("app|\u2026", "app", "");
}

static void behind_two_dashes_nothing_is_an_option(void **state)
{
	EXPECT("rm|-f|--|\u2026", "rm", "-f", "--", "-rf", "--secret");
}

static void what_is_no_name_is_not_shown(void **state)
{
	EXPECT("app|\u2026", "app", "--a/b+c=", "-----BEGIN KEY-----", "--=secret", "--a b=c");
	EXPECT("app|\u2026", "app", "-5", "-\xff", "---x", "--1234");
}

static void a_program_alone_is_itself(void **state)
{
	EXPECT("./app", "./app");
	EXPECT("--token=abc", "--token=abc");
	expect((const char *const[]){ NULL }, "");
}

static void a_line_of_words_shows_the_same(void **state)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };

	assert_string_equal(shownwords_of_line(&arena, "app --token=a b -c d e"),
			    "app --token=\u2026 \u2026 -c \u2026");
	assert_string_equal(shownwords_of_line(&arena, "app --token=\u2026 \u2026"),
			    "app --token=\u2026 \u2026");
	assert_string_equal(shownwords_of_line(&arena, ""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_options_are_shown),
		cmocka_unit_test(values_are_not),
		cmocka_unit_test(words_are_not_and_one_stands_for_those_that_follow_each_other),
		cmocka_unit_test(behind_two_dashes_nothing_is_an_option),
		cmocka_unit_test(what_is_no_name_is_not_shown),
		cmocka_unit_test(a_program_alone_is_itself),
		cmocka_unit_test(a_line_of_words_shows_the_same),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
