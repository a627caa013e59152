// SPDX-License-Identifier: Apache-2.0
// Places of files: below sysroots, from which nothing leads out, then on this machine.
#include "base/arena.h"
#include "depot/depot.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A folder of its own for each test, which is entered, with two empty roots. */
static int enter(void **state)
{
	char *folder = xstrdup("/tmp/elfault-depot.XXXXXX");

	*state = folder;
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("one", 0700) == 0 &&
			       mkdir("two", 0700) == 0 && mkdir("one/lib", 0700) == 0
		       ? 0
		       : -1;
}

static int leave(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "cd / && rm -r '%s'", (char *)*state);
	free(*state);
	return system(command);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static struct depot *open_roots(void)
{
	struct depot *depot = depot_create();
	struct err err;

	depot_add_sysroot(depot, "one");
	depot_add_sysroot(depot, "two");
	assert_true(depot_start(depot, &err));
	return depot;
}

/** The next place that has something at @path has @text, or the problem @text. */
static void check_next(struct depot *depot, const char *path, size_t *place, const char *where,
		       const char *text)
{
	CLEANUP(depot_file_deinit) struct depot_file found = { .fd = -1 };
	char content[64] = "";

	assert_true(depot_next(depot, path, place, &found));
	assert_string_equal(found.place, where);
	if (found.fd >= 0)
		assert_true(pread(found.fd, content, sizeof(content) - 1, 0) >= 0);
	assert_string_equal(found.fd >= 0 ? content : found.problem, text);
}

static void check_end(struct depot *depot, const char *path, size_t place)
{
	struct depot_file found;

	assert_false(depot_next(depot, path, &place, &found));
}

const struct tests_around tests_around = { .before_each = enter, .after_each = leave };

TEST(roots_come_in_order_then_this_machine)
{
	struct depot *depot = open_roots();
	char path[256], below[300];
	size_t place = 0;

	snprintf(path, sizeof(path), "%s/two/file", (char *)*state);
	snprintf(below, sizeof(below), "mkdir -p one%s two%s", (char *)*state, (char *)*state);
	assert_int_equal(system(below), 0);
	put("two/file", "here");
	check_next(depot, path, &place, path, "here");
	check_end(depot, path, place);

	put("one/file", "first");
	put("two/file", "second");
	place = 0;
	check_next(depot, "/file", &place, "one/file", "first");
	check_next(depot, "/file", &place, "two/file", "second");
	check_end(depot, "/file", place);
	depot_destroy(depot);
}

TEST(without_a_depot_it_is_this_machine)
{
	size_t place = 0;

	put("file", "here");
	check_next(NULL, "file", &place, "file", "here");
	check_end(NULL, "file", place);
	assert_false(depot_has_others(NULL));
}

TEST(links_lead_nowhere_outside_a_root)
{
	struct depot *depot = open_roots();
	char secret[256];
	size_t place = 0;

	put("secret", "outside");
	put("one/lib/real", "inside");
	snprintf(secret, sizeof(secret), "%s/secret", (char *)*state);
	assert_int_equal(symlink(secret, "one/absolute"), 0);
	assert_int_equal(symlink("../../../../../../secret", "one/lib/relative"), 0);
	assert_int_equal(symlink("/lib/real", "one/within"), 0);
	assert_int_equal(symlink("/..", "one/up"), 0);

	check_next(depot, "/within", &place, "one/within", "inside");
	check_end(depot, "/absolute", 0);
	check_end(depot, "/lib/relative", 0);
	check_end(depot, "/up/secret", 0);
	check_end(depot, "/../secret", 0);
	depot_destroy(depot);
}

TEST(what_cannot_be_read_is_said_and_never_waited_for)
{
	struct depot *depot = open_roots();
	size_t place = 0;

	assert_int_equal(mkfifo("one/fifo", 0600), 0);
	assert_int_equal(symlink("loop", "one/loop"), 0);
	check_next(depot, "/fifo", &place, "one/fifo", "not a regular file");
	place = 0;
	check_next(depot, "/lib", &place, "one/lib", "not a regular file");
	place = 0;
	check_next(depot, "/loop", &place, "one/loop", strerror(ELOOP));
	depot_destroy(depot);
}

TEST(a_root_that_is_not_there_is_an_error)
{
	struct depot *depot = depot_create();
	struct err err;

	depot_add_sysroot(depot, "none");
	assert_false(depot_start(depot, &err));
	assert_string_equal(err.message, "--sysroot none: No such file or directory");
	depot_destroy(depot);
}
