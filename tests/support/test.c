// SPDX-License-Identifier: Apache-2.0
// main() of the programs of unit tests: runs what TEST() lists.
#include "tests/support/test.h"

#include <locale.h>
#include <stdlib.h>

// The ends of the section "tests", so named by the linker.
extern const struct test *__start_tests[], *__stop_tests[];

__attribute__((weak)) const struct tests_around tests_around = { 0 };

static int by_line(const void *a, const void *b)
{
	const struct test *const *first = a, *const *second = b;

	return (*first)->line - (*second)->line;
}

int main(int argc, char **argv)
{
	size_t listed = (size_t)(__stop_tests - __start_tests), count = 0;
	struct CMUnitTest *tests = calloc(listed, sizeof(*tests));

	if (!tests)
		return 1;
	// A compiler may write variables out in an order of its own.
	qsort(__start_tests, listed, sizeof(__start_tests[0]), by_line);
	for (size_t i = 0; i < listed; i++)
		if (__start_tests[i]->is_long == (argc > 1))
			tests[count++] = (struct CMUnitTest){
				.name = __start_tests[i]->name,
				.test_func = __start_tests[i]->run,
				.setup_func = tests_around.before_each,
				.teardown_func = tests_around.after_each,
			};
	if (tests_around.locale)
		setlocale(LC_CTYPE, tests_around.locale);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = _cmocka_run_group_tests("tests", tests, count, tests_around.before_all,
					     tests_around.after_all);
	free(tests);
	return failed;
}
