// SPDX-License-Identifier: Apache-2.0
// Opening and closing a file with all that belongs to it: its debug file and what is built on first
// use.
#include "elfmap/private.h"

static void add_symbols(struct elfmap *map, const struct elfmap_options *options)
{
	static const struct elfmap_options usual = { 0 };

	if (!options)
		options = &usual;
	map->depot = options->depot;
	if (!options->no_debug_files)
		elfmap_find_debug_file(map, options->debug_dir);
	elfmap_choose_symbols(map);
}

bool elfmap_open(const char *path, const struct elfmap_options *options, struct elfmap **ret_map,
		 struct err *err)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;

	if (!elfmap_open_one(path, options && options->is_debug_file, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_fd(int fd, const char *path, const struct elfmap_options *options,
		    struct elfmap **ret_map, struct err *err)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;

	if (!elfmap_open_one_fd(fd, path, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_found(const char *path, struct depot_file *found,
		       const struct elfmap_options *options, struct elfmap **ret_map,
		       struct err *err)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;

	if (!elfmap_open_one_found(path, found, false, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = TAKE(map);
	return true;
}

bool elfmap_open_parts(const struct elfmap_parts *from, const struct elfmap_options *options,
		       struct elfmap **ret_map, struct err *err)
{
	CLEANUP(elfmap_closep) struct elfmap *map = NULL;

	if (!elfmap_open_one_parts(from, &map, err))
		return false;
	add_symbols(map, options);
	*ret_map = TAKE(map);
	return true;
}

void elfmap_close(struct elfmap *map)
{
	if (!map)
		return;
	if (map->release_code_index)
		map->release_code_index(map);
	if (map->release_dwarf)
		map->release_dwarf(map); // it reads through the descriptor of map->debug
	elfmap_close_one(map->debug);
	elfmap_symbol_table_destroy(map->symbol_table);
	elfmap_symbol_lookup_destroy(map->symbol_lookup);
	elfmap_roles_destroy(map->roles);
	elfmap_name_cache_destroy(map->name_cache);
	elfmap_close_one(map);
}
