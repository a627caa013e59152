// SPDX-License-Identifier: Apache-2.0
// Reasons why the dynamic linker looks for libraries where it does.
#include "model/search.h"
#include "tests/support/knownstacks.h"

/** Numbers of x86-64. */
enum { OPENAT = 257, NEWFSTATAT = 262 };

/** Add a call of the dynamic linker's that finds @path, or does not. */
static void look(uint32_t call, const char *path, bool is_there)
{
	static unsigned time = 5000;

	strbuf_printf(&events,
		      "open pid=10 tid=10 time=%u call=%u error=%u ip=0x%" PRIxPTR " path=\"%s\"\n",
		      ++time, call, is_there ? 0 : 2, in_linker("open_library"), path);
}

/** Answer for calls, of files that are read since a fault touched them. */
static void answer(void)
{
	add_alone(10, (const void *)in_program("main"), "read", in_linker("open_library"));
	answer_of_known("linked-runpath.elf", "linker.elf");
}

static void expect_origin(size_t i, enum model_origin origin, const char *folder)
{
	assert_true(i < model->searches->count);
	assert_string_equal(model_origin_name(model->searches->list[i].origin),
			    model_origin_name(origin));
	assert_string_equal(model->searches->list[i].folder, folder);
}

const struct tests_around tests_around = { .after_each = stacks_forget };

TEST(a_folder_of_the_run_path_is_the_program_s)
{
	look(OPENAT, "/own/glibc-hwcaps/x86-64-v3/linker.so", false);
	look(OPENAT, "/own/linker.so", true);
	answer();
	expect_origin(0, MODEL_ORIGIN_RUNPATH, "/own");
	expect_origin(1, MODEL_ORIGIN_RUNPATH, "/own");
	assert_string_equal(model->searches->list[1].library, "linker.so");
	assert_int_equal(model->searches->list[1].owner, 0);
}

TEST(other_folders_before_the_cache_are_of_the_library_path)
{
	look(OPENAT, "/elsewhere/linker.so", false);
	look(OPENAT, "/etc/ld.so.cache", true);
	look(OPENAT, "/elsewhere/linker.so", false);
	answer();
	expect_origin(0, MODEL_ORIGIN_LIBRARY_PATH, "/elsewhere");
	expect_origin(2, MODEL_ORIGIN_LIBRARY_PATH, "/elsewhere");
	assert_int_equal(model->searches->list[1].origin, MODEL_ORIGIN_CACHE);
}

TEST(files_are_counted_and_folders_and_the_cache_are_not)
{
	look(OPENAT, "/own/linker.so", false);
	look(NEWFSTATAT, "/own", true);
	look(OPENAT, "/etc/ld.so.cache", true);
	look(OPENAT, "/lib/linker.so", true);
	answer();
	assert_int_equal(model->searches->opened, 1);
	assert_int_equal(model->searches->missed, 1);
	assert_null(model->searches->list[1].library);
	expect_origin(1, MODEL_ORIGIN_RUNPATH, "/own"); // as the call before
	expect_origin(3, MODEL_ORIGIN_CACHE, "/lib");
}
