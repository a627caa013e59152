// SPDX-License-Identifier: Apache-2.0
// Lookups one by one answer as the list of all symbols does: on fixtures and on real files.
#include "elfmap/elfmap.h"
#include "elfmap/private.h"

#include "tests/support/elffile.h"

/** Both must find the same, or nothing, at @vaddr. */
static void check_at(struct elfmap *few, struct elfmap *all, uint64_t vaddr)
{
	const struct elfmap_symbol *a = elfmap_symbol_at(few, vaddr);
	const struct elfmap_symbol *b = elfmap_symbol_at(all, vaddr);

	if (!a && !b)
		return;
	if (!a || !b || strcmp(a->name, b->name) || a->vaddr != b->vaddr || a->size != b->size ||
	    a->section != b->section || a->type != b->type || a->binding != b->binding ||
	    a->source != b->source ||
	    elfmap_symbol_is_a_guess(few, a) != elfmap_symbol_is_a_guess(all, b))
		fail_msg("%s: vaddr %#lx: %s at %#lx (%lu bytes), in the list %s at %#lx (%lu)",
			 elfmap_info(few)->path, vaddr, a ? a->name : "none", a ? a->vaddr : 0,
			 a ? a->size : 0, b ? b->name : "none", b ? b->vaddr : 0, b ? b->size : 0);
	assert_ptr_equal(elfmap_symbol_at(few, vaddr), a); // one symbol, one address
}

static void check_edges(struct elfmap *few, struct elfmap *all, struct range range)
{
	check_at(few, all, range.start - 1);
	check_at(few, all, range.start);
	check_at(few, all, range.start + range_size(range) / 2);
	check_at(few, all, range.end - 1);
	check_at(few, all, range.end);
}

/** Compare around every symbol and FDE, or every @stride-th, and the edges of every section. */
static void check_files(struct elfmap *few, struct elfmap *all, size_t stride)
{
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(all, &count);

	for (size_t i = 0; i < count; i += stride)
		check_edges(few, all,
			    (struct range){ symbols[i].vaddr, symbols[i].vaddr + symbols[i].size });
	const struct elfmap_frame *frames = elfmap_frames(all, &count);
	for (size_t i = 0; i < count; i += stride)
		check_edges(few, all, frames[i].code);
	const struct elfmap_section *sections = elfmap_sections(all, &count);
	for (size_t i = 0; i < count; i++)
		check_edges(
			few, all,
			(struct range){ sections[i].vaddr, sections[i].vaddr + sections[i].size });
	assert_non_null(few->symbol_lookup);
	assert_null(few->symbol_table);
}

TEST(fixtures_are_looked_up_as_their_list_says)
{
	static const char *const names[] = { "le64-dyn",  "be64-dyn",	 "le32-dyn",
					     "be32-exec", "no-sections", "relocations64" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CLEANUP(elfmap_closep) struct elfmap *few = elffile_open_fixture(names[i]);
		CLEANUP(elfmap_closep) struct elfmap *all = elffile_open_fixture(names[i]);

		check_files(few, all, 1);
		for (uint64_t vaddr = 0xff0; vaddr < 0x1200; vaddr++)
			check_at(few, all, vaddr);
	}
}

/** Files of this machine, where there are any: with and without .symtab and debug files. */
static void check_real_files(size_t wanted)
{
	static const char *const paths[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
		"/usr/bin/python3",
		"/usr/bin/git",
		"/usr/bin/node",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		for (int no_debug = 0; no_debug < 2; no_debug++) {
			struct elfmap_options options = { .no_debug_files = no_debug };
			CLEANUP(elfmap_closep) struct elfmap *few = NULL, *all = NULL;
			struct err err;
			size_t count;

			if (!elfmap_open(paths[i], &options, &few, &err))
				continue;
			assert_true(elfmap_open(paths[i], &options, &all, &err));
			elfmap_symbols(all, &count);
			check_files(few, all, count / wanted + 1);
			if (i == 0) // its search table was good enough for all of it
				assert_null(few->frames);
		}
	}
}

TEST(a_thousand_symbols_of_real_files_are_looked_up_as_their_list_says)
{
	check_real_files(1000);
}

LONG_TEST(real_files_are_looked_up_as_their_list_says)
{
	check_real_files(20000);
}
