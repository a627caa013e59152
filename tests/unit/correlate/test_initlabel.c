// SPDX-License-Identifier: Apache-2.0
// Names for people of the functions that construct globals.
#include "base/cleanup.h"
#include "correlate/replay/builder.h"
#include "tests/support/test.h"

static const struct {
	const char *function, *source, *label;
} cases[] = {
	{ "_GLOBAL__sub_I__ZN4node11per_process17cli_options_mutexE", "node_options.cc",
	  "globals of node_options.cc" },
	{ "_GLOBAL__sub_I__ZN4node11per_process17cli_options_mutexE", "../src/node_options.cc",
	  "globals of node_options.cc" },
	{ "_GLOBAL__sub_I__ZN4node11per_process17cli_options_mutexE", NULL,
	  "globals beside node::per_process::cli_options_mutex" },
	{ "_GLOBAL__sub_I_foo.cpp", "foo.cpp", "globals of foo.cpp" },
	{ "_GLOBAL__sub_I.00101_main", NULL, "globals beside main" },
	{ "_GLOBAL__I_main", NULL, "globals beside main" },
	{ "_GLOBAL__I_00101_main", NULL, "globals beside main" },
	{ "_sub_I_65535_0", "a.cc, b.cc and 3 more", "globals of several files" },
	{ "_sub_I_65535_0.0", "a.cc", "globals of a.cc" },
	{ "_sub_I_65535_0", NULL, NULL },
	// Of an initializer with other code merged into it, the name tells nothing of the rest.
	{ "_GLOBAL__sub_I_main", "a.cc, b.cc", "globals beside main" },
	{ "frame_dummy", "crtstuff.c", NULL },
	{ "_GLOBAL__sub_I_", "a.cc", NULL },
	{ "_GLOBAL__sub_D_main", "a.cc", NULL },
	{ "_sub_Interest", "a.cc", NULL },
	{ "_GLOBAL_OFFSET_TABLE_", NULL, NULL },
};

TEST(globals_are_those_of_a_file_or_beside_a_symbol)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(elfmap_closep) struct elfmap *map;
	struct err err;

	assert_true(elfmap_open("/proc/self/exe", NULL, &map, &err));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct elfmap_symbol symbol = { .name = cases[i].function, .vaddr = 16 };
		const struct elfmap_initializer from = { .symbol = &symbol,
							 .vaddr = 16,
							 .source = cases[i].source };
		const struct elfmap_initializer inside = { .symbol = &symbol, .vaddr = 20 };
		const char *label = initlabel(&arena, true, map, &from);

		if (cases[i].label && label)
			assert_string_equal(label, cases[i].label);
		else if (cases[i].label != label)
			fail_msg("%s: %s", cases[i].function, label ? label : "nothing");
		assert_null(initlabel(&arena, true, map, &inside));
	}
}

TEST(raw_names_stay_raw)
{
	const struct elfmap_symbol symbol = { .name = "_GLOBAL__sub_I_main" };
	const struct elfmap_initializer from = { .symbol = &symbol, .source = "a.cc" };

	assert_null(initlabel(NULL, false, NULL, &from));
	assert_null(initlabel(NULL, false, NULL, &(struct elfmap_initializer){ 0 }));
}
