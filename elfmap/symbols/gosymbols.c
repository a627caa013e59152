// SPDX-License-Identifier: Apache-2.0
#include "elfmap/symbols/gosymbols.h"

#include "base/text.h"
#include "elfmap/headers/gopclntab.h"

/** The table; in position independent programs its section has a longer name. */
static bool open_table(struct elfmap *map, struct gopclntab *ret_table)
{
	const struct elfmap_section *text = elfmap_section_named(map, ".text");

	if (elfmap_word_size(map) != 8)
		return false;
	array_foreach (section, map->sections, map->section_count) {
		const uint8_t *bytes =
			(section->flags & SHF_ALLOC) && text_ends_with(section->name, ".gopclntab")
				? elfmap_bytes(map, section->vaddr, section->size)
				: NULL;

		if (bytes &&
		    gopclntab_init(ret_table, bytes, section->size, text ? text->vaddr : 0))
			return true;
	}
	return false;
}

bool gosymbols_are_there(struct elfmap *map)
{
	struct gopclntab table;

	return open_table(map, &table) && table.count > 0;
}

uint32_t gosymbols_list(struct elfmap *map, struct elfmap_symbol **ret_symbols)
{
	struct gopclntab table;
	uint32_t count = 0;

	*ret_symbols = NULL;
	if (!open_table(map, &table))
		return 0;
	*ret_symbols = xcalloc(table.count, sizeof(**ret_symbols));
	for (uint32_t i = 0; i < table.count; i++) {
		const struct elfmap_section *section;
		struct gopclntab_function function;

		if (!gopclntab_function(&table, i, &function) ||
		    !elfmap_load_at(map, function.start) || !elfmap_load_at(map, function.end - 1))
			continue;
		section = elfmap_section_at(map, function.start);
		(*ret_symbols)[count++] = (struct elfmap_symbol){
			.name = function.name, // in the file's bytes, which stay
			.vaddr = function.start,
			.size = function.end - function.start,
			.section = section ? section->index : 0,
			.type = STT_FUNC,
			.binding = STB_LOCAL,
			.source = ELFMAP_SYMBOLS_GO,
		};
	}
	return count;
}
