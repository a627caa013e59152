// SPDX-License-Identifier: Apache-2.0
// Symbols of .dynsym by name, of the C library that this program runs with.
#include "elfmap/elfmap.h"

#include "tests/support/elffile.h"

#include <dlfcn.h>

static struct elfmap *open_libc(void)
{
	struct elfmap *map = NULL;
	struct err err = { 0 };
	Dl_info info;

	if (!dladdr(dlsym(RTLD_DEFAULT, "printf"), &info) ||
	    !elfmap_open(info.dli_fname, NULL, &map, &err))
		skip();
	return map;
}

static bool is_exported(const struct elfmap_dynamic_symbol *symbol)
{
	return symbol->is_defined && symbol->binding != STB_LOCAL && symbol->name[0];
}

TEST(every_symbol_that_a_file_exports_is_found_by_its_name)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_libc();
	uint64_t count = elfmap_dynamic_symbol_count(map), found_count = 0;
	struct elfmap_dynamic_symbol symbol, found;

	for (uint64_t i = 1; i < count && elfmap_dynamic_symbol(map, i, &symbol); i++) {
		if (!is_exported(&symbol))
			continue;
		if (!elfmap_dynamic_symbol_named(map, symbol.name, &found))
			fail_msg("%s is not found", symbol.name);
		assert_string_equal(found.name, symbol.name);
		assert_true(found.is_defined);
		found_count++;
	}
	assert_true(found_count > 1000);
}

TEST(other_names_are_not_found)
{
	CLEANUP(elfmap_closep) struct elfmap *map = open_libc();
	uint64_t count = elfmap_dynamic_symbol_count(map);
	struct elfmap_dynamic_symbol symbol, found;
	char name[256];

	assert_false(elfmap_dynamic_symbol_named(map, "", &found));
	for (uint64_t i = 1; i < count && elfmap_dynamic_symbol(map, i, &symbol); i++) {
		snprintf(name, sizeof(name), "%s_of_nobody", symbol.name);
		assert_false(elfmap_dynamic_symbol_named(map, name, &found));
	}
}
