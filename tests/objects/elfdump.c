// SPDX-License-Identifier: Apache-2.0
// Prints what elfmap finds in a file, one thing a line, for compare.py:
// `needed NAME`, `slot VADDR TYPE SYMBOL VALUE ENCODING` and `name VADDR NAME`, the last for every
// word of the sections that hold slots or stubs.
#include "elfmap/elfmap.h"

#include "base/cleanup.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_slots(struct elfmap *map)
{
	static const char *const encodings[] = { "rel", "rela", "relr" };
	size_t count, table_count;
	const struct elfmap_relocation *slots = elfmap_relocations(map, &count);
	const struct elfmap_relocation_table *tables = elfmap_relocation_tables(map, &table_count);

	for (size_t i = 0; i < count; i++)
		printf("slot %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %s\n", slots[i].vaddr,
		       slots[i].type, slots[i].symbol, slots[i].value,
		       encodings[tables[slots[i].table].encoding]);
}

static void print_names(struct elfmap *map)
{
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(map, &count);

	for (size_t i = 0; i < count; i++) {
		if (strncmp(sections[i].name, ".plt", 4) != 0 &&
		    strncmp(sections[i].name, ".got", 4) != 0 &&
		    strncmp(sections[i].name, ".data", 5) != 0)
			continue;
		for (uint64_t at = 0; at < sections[i].size; at += 4) {
			struct elfmap_place place;

			elfmap_locate(map, sections[i].vaddr + at, &place);
			if (place.entry.kind != ELFMAP_ENTRY_NONE)
				printf("name %" PRIx64 " %s\n", sections[i].vaddr + at,
				       elfmap_entry_name(map, &place.entry, false));
		}
	}
}

static void print_needed(struct elfmap *map)
{
	size_t count;
	const char *const *names = elfmap_needed(map, &count);

	for (size_t i = 0; i < count; i++)
		printf("needed %s\n", names[i]);
}

int main(int argc, char **argv)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;
	struct err err;

	if (argc != 2)
		return 2;
	if (!elfmap_open(argv[1], NULL, &map, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	print_needed(map);
	print_slots(map);
	print_names(map);
	return 0;
}
