// SPDX-License-Identifier: Apache-2.0
// Blame: the innermost frame outside what every program brings along.
#include "base/cleanup.h"
#include "correlate/why/blame.h"
#include "tests/support/answers.h"

const struct tests_around tests_around = { .after_each = answer_forget };

TEST(the_runtime_is_known_by_its_files_names)
{
	static const char *const runtime[] = {
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/usr/lib/libstdc++.so.6.0.30",
		"libm.so.6",
		"/lib/libgcc_s.so.1",
		"/lib/libpthread-2.31.so",
		"/lib/libc-2.31.so",
		"/lib64/ld-linux-x86-64.so.2",
		"/lib/ld-2.31.so",
		"/lib/ld-musl-x86_64.so.1",
		"/lib/libc.musl-x86_64.so.1",
		"/opt/llvm/lib/libc++.so.1.0",
		"/opt/llvm/lib/libc++abi.so.1",
		"/lib/ld64.so.2",
		"/lib/libc.so",
		"/system/bin/linker",
		"/system/bin/linker64",
	};
	static const char *const others[] = {
		"/usr/lib/libcurl.so.4", "/usr/bin/ld",	     "/usr/lib/libmagic.so.1",
		"/usr/lib/libc.a",	 "/usr/bin/libc",    "/lib/libc.so.6/program",
		"/usr/lib/libcap.so.2",	 "/opt/libc-x.so",   "/usr/bin/ld.gold",
		"/usr/lib/libc.social",	 "/usr/bin/ld-tool", "/usr/lib/libstdc++fs.so",
		"/usr/lib/libc-",	 "/usr/lib/libc-2",
	};

	for (size_t i = 0; i < sizeof(runtime) / sizeof(runtime[0]); i++)
		if (!blame_is_runtime(runtime[i], NULL))
			fail_msg("%s", runtime[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (blame_is_runtime(others[i], NULL))
			fail_msg("%s", others[i]);
	assert_true(blame_is_runtime("/snap/core/renamed", "libc.so.6"));
	assert_false(blame_is_runtime("/snap/core/renamed", "libz.so.1"));
}

static const char text[] =
	"elfault-trace-text 1\n"
	"meta arg=\"prog\" backend=\"bpf\" machine=\"x86_64\" page_size=4096 root_pid=10 "
	"start=1000 stacks=yes\n"
	"exec pid=10 tid=10 time=1000 comm=\"prog\"\n"
	"map pid=10 tid=10 time=2000 addr=0x10000 size=0x1000 prot=r-xp path=\"/no/libc.so.6\"\n"
	"map pid=10 tid=10 time=2000 addr=0x20000 size=0x1000 prot=r-xp "
	"path=\"/no/ld-linux.so.2\"\n"
	"map pid=10 tid=10 time=2000 addr=0x30000 size=0x1000 prot=r-xp path=\"/no/lib.so\"\n"
	"map pid=10 tid=10 time=2000 addr=0x40000 size=0x1000 prot=r-xp path=\"/no/prog\"\n"
	"map pid=10 tid=10 time=2000 addr=0x50000 size=0x1000 prot=rw-p path=\"[heap]\"\n"
	"map pid=10 tid=10 time=2000 addr=0x60000 size=0x1000 prot=r-xp\n"
	"map pid=10 tid=10 time=2000 addr=0x70000 size=0x1000 prot=r-xp path=\"[vdso]\"\n"
	"stack id=1 frames=0x10100,0x30100,0x40100\n"
	"stack id=2 frames=0x20100,0x20200\n"
	"stack id=3 frames=0x90100,0x50100,0x70100,0x60100,0x40100\n"
	"fault pid=10 tid=10 time=2500 addr=0x50010 ip=0x10100 error=write,user stack=1\n"
	"fault pid=10 tid=10 time=2600 addr=0x50020 ip=0x10100 error=write,user stack=1 "
	"kind=major\n"
	"fault pid=10 tid=10 time=2700 addr=0x40020 ip=0x20100 error=write,user stack=2\n"
	"fault pid=10 tid=10 time=2800 addr=0x40020 ip=0x90100 error=write,user stack=3\n"
	"fault pid=10 tid=10 time=2900 addr=0x50030 ip=0x40100 error=write,user\n"
	"fault pid=10 tid=10 time=3000 addr=0x50030 ip=0x10100 error=write,user\n";

/** Path of the object whose function is blamed for fault number @i, NULL: nobody's. */
static const char *blamed(const struct model *model, size_t i)
{
	assert_true(i < model->fault_count);
	uint32_t function = model->faults[i].blame;

	return function == MODEL_NONE ? NULL
				      : model->objects[model->functions[function].object].path;
}

TEST(the_innermost_frame_outside_the_runtime_is_blamed)
{
	answer_text(text, NULL);
	assert_string_equal(blamed(model, 0), "/no/lib.so");
	assert_null(blamed(model, 2));			 // ld.so alone
	assert_string_equal(blamed(model, 3), "[anon]"); // code made at run time
	assert_string_equal(blamed(model, 4), "/no/prog");
	assert_null(blamed(model, 5)); // libc, and no stack to tell its caller
}

TEST(faults_are_counted_by_blame_for_each_object_and_for_all)
{
	answer_text(text, NULL);
	assert_int_equal(model->blamed_count, 3);
	assert_int_equal(model->blamed[0].count.faults, 2);
	assert_int_equal(model->blamed[0].count.major, 1);
	assert_int_equal(model->blamed[0].function, model->faults[0].blame);
	assert_int_equal(model->blamed[1].count.faults + model->blamed[2].count.faults, 2);

	const struct model_object *heap = &model->objects[model->faults[0].at.object];
	assert_string_equal(heap->path, "[heap]");
	assert_int_equal(heap->blamed_count, 2);
	assert_int_equal(heap->blamed[0].function, model->faults[0].blame);
	assert_int_equal(heap->blamed[0].count.faults, 2);
	assert_int_equal(heap->blamed[1].function, model->faults[4].blame);
	assert_int_equal(heap->blamed[1].count.faults, 1);
	assert_int_equal(model->objects[model->faults[2].at.object].blamed_count, 1);
}
