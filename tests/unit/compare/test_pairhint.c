// SPDX-License-Identifier: Apache-2.0
// Files that --pair is suggested for.
#include "compare/pairhint.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_FILES = 8 };

/** A file of one side, or of both. */
struct file {
	const char *name;
	bool is_on[COMPARE_SIDES];
	bool is_program;
};

/** Return the suggestion for @files, the last of which has no name; in @arena. */
static const char *suggest(struct arena *arena, const struct file *files)
{
	struct compare_object objects[MOST_FILES] = { 0 };
	struct compare_row rows[MOST_FILES] = { 0 };
	struct comparison comparison = { .objects = objects };
	uint32_t count = 0;

	for (; files[count].name; count++) {
		objects[count] =
			(struct compare_object){ .label = files[count].name, .is_file = true };
		rows[count].object = count;
		for (int side = 0; side < COMPARE_SIDES; side++) {
			bool is_on = files[count].is_on[side];

			objects[count].path[side] = is_on ? files[count].name : NULL;
			objects[count].layout[side].is_known = is_on;
			objects[count].layout[side].is_library = !files[count].is_program;
		}
	}
	comparison.object_count = count;
	comparison.rows[COMPARE_BY_OBJECT] = rows;
	comparison.row_count[COMPARE_BY_OBJECT] = count;
	return pairhint(arena, &comparison);
}

static void builds_with_similar_names_are_suggested(void **state)
{
	(void)state;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	static const struct file files[] = {
		{ "libold.so.1", { true, false }, false },
		{ "python3.11d", { true, false }, true },
		{ "_json.cpython-311d.so", { true, false }, false },
		{ "libc.so.6", { true, true }, false },
		{ "python3.11", { false, true }, true },
		{ "_json.cpython-311.so", { false, true }, false },
		{ NULL, { false }, false },
	};

	const char *hint = suggest(&arena, files);

	assert_non_null(hint);
	assert_non_null(strstr(hint, "add --pair python3.11d=python3.11 "
				     "--pair _json.cpython-311d.so=_json.cpython-311.so."));
}

static void programs_are_suggested_whatever_their_names(void **state)
{
	(void)state;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	static const struct file files[] = {
		{ "mawk", { true, false }, true },
		{ "gawk", { false, true }, true },
		{ NULL, { false }, false },
	};

	assert_non_null(strstr(suggest(&arena, files), "--pair mawk=gawk."));
}

static void unrelated_files_are_not(void **state)
{
	(void)state;
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	static const struct file files[] = {
		{ "bash", { true, false }, true },
		{ "libexpat.so.1.8.10", { false, true }, false },
		{ "libz.so.1", { false, true }, false },
		{ NULL, { false }, false },
	};

	assert_null(suggest(&arena, files));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_with_similar_names_are_suggested),
		cmocka_unit_test(programs_are_suggested_whatever_their_names),
		cmocka_unit_test(unrelated_files_are_not),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
