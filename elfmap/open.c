// SPDX-License-Identifier: Apache-2.0
// Opening and closing a file with all that belongs to it: its debug file and what is built on first
// use.
#include "elfmap/dwarffile.h"
#include "elfmap/private.h"

static void add_symbols(struct elfmap *map, const struct elfmap_options *options)
{
	static const struct elfmap_options usual = { 0 };

	if (!options)
		options = &usual;
	if (!options->no_debug_files)
		elfmap_find_debug_file(map,
				       options->debug_dir ? options->debug_dir : "/usr/lib/debug");
	elfmap_choose_symbols(map);
}

bool elfmap_open(const char *path, const struct elfmap_options *options, struct elfmap **ret_map,
		 struct err *err)
{
	struct elfmap *map;

	if (!elfmap_open_one(path, false, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = map;
	return true;
}

bool elfmap_open_parts(const struct elfmap_parts *from, const struct elfmap_options *options,
		       struct elfmap **ret_map, struct err *err)
{
	struct elfmap *map;

	if (!elfmap_open_one_parts(from, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = map;
	return true;
}

void elfmap_close(struct elfmap *map)
{
	if (!map)
		return;
	elfmap_code_index_destroy(map->code_index);
	elfmap_dwarf_destroy(map->dwarf); // reads through the descriptor of map->debug
	elfmap_close_one(map->debug);
	elfmap_symbol_table_destroy(map->symbol_table);
	elfmap_symbol_lookup_destroy(map->symbol_lookup);
	elfmap_roles_destroy(map->roles);
	elfmap_name_cache_destroy(map->name_cache);
	elfmap_close_one(map);
}
