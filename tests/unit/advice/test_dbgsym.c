// SPDX-License-Identifier: Apache-2.0
// Packages of files, by the lists that dpkg keeps.
#include "advice/dbgsym.h"

#include "base/cleanup.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static void check(const char *path, const char *package)
{
	CLEANUP(strbuf_deinit) struct strbuf found = { 0 };

	assert_int_equal(dbgsym_package(".", path, &found), package != NULL);
	if (package)
		assert_string_equal(found.text, package);
}

TEST(a_file_is_of_the_package_that_lists_it)
{
	char folder[] = "/tmp/elfault-dbgsym.XXXXXX";

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	put("libfoo1:amd64.list", "/.\n/usr\n/usr/lib\n/usr/lib/libfoo.so.1\n");
	put("libc6:amd64.list", "/.\n/lib\n/lib/libc.so.6\n");
	put("tool.list", "/.\n/usr/bin/tool\n/bin/moved\n");
	put("tool.md5sums", "/usr/bin/other\n");
	put("empty.list", "");
	check("/usr/lib/libfoo.so.1", "libfoo1");
	check("/usr/lib/libfoo.so", NULL); // the beginning of another
	check("/lib/libfoo.so.1", "libfoo1");
	check("/usr/lib/libc.so.6", "libc6"); // /lib is a link to /usr/lib now
	check("/usr/bin/tool", "tool");
	check("/usr/bin/moved", "tool");
	check("/usr/bin/other", NULL);
	unlink("libfoo1:amd64.list");
	unlink("libc6:amd64.list");
	unlink("tool.list");
	unlink("tool.md5sums");
	unlink("empty.list");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);

	CLEANUP(strbuf_deinit) struct strbuf found = { 0 };
	assert_false(dbgsym_package(folder, "/usr/bin/tool", &found)); // no dpkg here
}
