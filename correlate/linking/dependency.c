// SPDX-License-Identifier: Apache-2.0
// Dependencies between the objects of a trace: DT_NEEDED, as far as it leads to one of them.
#include "correlate/linking/costs.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/u64map.h"
#include "base/vec.h"

#include <elf.h>
#include <string.h>
#include <xxhash.h>

/** Objects by name; hashes of different names do not meet in practice, and are compared anyway. */
struct names {
	struct u64map sonames, files, paths;
};

static void names_deinit(struct names *names)
{
	u64map_deinit(&names->sonames);
	u64map_deinit(&names->files);
	u64map_deinit(&names->paths);
}

static uint64_t hash_of(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

static void add_name(struct u64map *map, const char *name, uint32_t object)
{
	bool is_new;
	uint32_t *first = u64map_put(map, hash_of(name), &is_new);

	if (is_new)
		*first = object;
}

static uint32_t find_object(const struct model_object *objects, const struct names *names,
			    const char *name)
{
	uint64_t hash = hash_of(name);
	const uint32_t *found;

	found = u64map_get(&names->sonames, hash);
	if (found && strcmp(objects[*found].soname, name) == 0)
		return *found;
	found = u64map_get(strchr(name, '/') ? &names->paths : &names->files, hash);
	if (found && (strcmp(objects[*found].path, name) == 0 ||
		      strcmp(path_file_name(objects[*found].path), name) == 0))
		return *found;
	return MODEL_NONE;
}

/** How many bytes at the ends of @a and @b are the same. */
static size_t common_end(const char *a, const char *b)
{
	size_t of_a = strlen(a), of_b = strlen(b), count = 0;

	while (count < of_a && count < of_b && a[of_a - 1 - count] == b[of_b - 1 - count])
		count++;
	return count;
}

/**
 * Find the object that the path @name means although it is no object's own: it counts from the
 * folder in which the command ran, or leads through links. Of those with its file name the one
 * whose path ends like it furthest.
 */
static uint32_t find_elsewhere(const struct rows *rows, const char *name)
{
	const char *file = path_file_name(name);
	uint32_t best = MODEL_NONE;
	size_t longest = 0;

	for (uint32_t i = 0; i < rows->object_rows.count; i++) {
		const struct model_object *row = &rows->object_rows.items[i];
		size_t length = row->is_file ? common_end(row->path, name) : 0;

		if (length <= longest || strcmp(path_file_name(row->path), file) != 0)
			continue;
		longest = length;
		best = i;
	}
	return best;
}

/** @told: by object, 1 + the last object that it was listed for: each once, though named twice. */
static void fill_object(struct rows *rows, const struct names *names, uint32_t id, uint32_t *told)
{
	struct model_object *row = &rows->object_rows.items[id];
	struct elfmap *map = objects_opened(rows->objects, id);
	VEC(uint32_t) needed = { 0 };
	size_t count;

	if (!map)
		return;
	const char *const *wanted = elfmap_needed(map, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t object = find_object(rows->object_rows.items, names, wanted[i]);

		if (object == MODEL_NONE && strchr(wanted[i], '/'))
			object = find_elsewhere(rows, wanted[i]);
		if (object == MODEL_NONE || object == id || told[object] == id + 1)
			continue;
		told[object] = id + 1;
		vec_push(&needed, object);
	}
	row->needed = vec_keep_counted(&needed, &rows->model->arena, &row->needed_count);
}

/** A name that a file defines; owned by its map. */
struct defined {
	uint64_t hash;
	const char *name;
	bool is_data;
};

/** The names of .dynsym of one file, read when they are first asked for. */
struct symbols {
	VEC(struct defined) defined;
	// Hashes of those that it takes from others: undefined, or data that a program has a copy
	// of.
	struct u64map wanted;
	bool are_read;
};

/**
 * True if @symbol is a copy: a name that a program defines is its own unless it was told to copy it
 * from another.
 */
static bool is_copied(struct elfmap *map, const struct elfmap_dynamic_symbol *symbol)
{
	const struct elfmap_relocation *relocation =
		symbol->type == STT_OBJECT ? elfmap_relocation_at(map, symbol->vaddr) : NULL;

	return relocation && relocation->class == ELFMAP_RELOCATION_COPY;
}

/** A name without a type is of assembler: what lies outside code is data. */
static bool is_data(const struct elfmap *map, const struct elfmap_dynamic_symbol *symbol)
{
	const struct elfmap_section *section;

	if (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC)
		return false;
	section = symbol->type == STT_NOTYPE ? elfmap_section_at(map, symbol->vaddr) : NULL;
	return !section || !(section->flags & SHF_EXECINSTR);
}

static const struct symbols *symbols_of(struct elfmap *map, struct symbols *symbols)
{
	uint64_t count = elfmap_dynamic_symbol_count(map);
	bool is_program = elfmap_info(map)->interpreter, is_new;
	struct elfmap_dynamic_symbol symbol;

	if (symbols->are_read)
		return symbols;
	symbols->are_read = true;
	for (uint64_t i = 1; i < count && elfmap_dynamic_symbol(map, i, &symbol); i++) {
		if (!symbol.name[0])
			continue;
		uint64_t hash = hash_of(symbol.name);

		if (symbol.is_defined)
			vec_push(&symbols->defined,
				 (struct defined){ hash, symbol.name, is_data(map, &symbol) });
		if (!symbol.is_defined || (is_program && is_copied(map, &symbol)))
			*u64map_put(&symbols->wanted, hash, &is_new) = 1;
	}
	return symbols;
}

/** Count the names of @symbols, which are of @map, among @wanted. */
static struct model_used count_used(struct arena *arena, struct elfmap *map,
				    const struct u64map *wanted, const struct symbols *symbols)
{
	enum { EXAMPLES = 2 };
	struct model_used used = { 0 };

	vec_foreach (defined, &symbols->defined) {
		if (!u64map_get(wanted, defined->hash))
			continue;
		if (defined->is_data && used.data++ == 0)
			used.datum = arena_strdup(arena, elfmap_demangle(map, defined->name));
		if (used.names++ >= EXAMPLES)
			continue;
		const char *name = elfmap_demangle(map, defined->name);

		used.examples = used.examples ? arena_printf(arena, "%s, %s", used.examples, name)
					      : arena_strdup(arena, name);
	}
	return used;
}

static void fill_used(struct rows *rows, uint32_t id, struct symbols *symbols)
{
	struct arena *arena = &rows->model->arena;
	struct model_object *row = &rows->object_rows.items[id];

	if (row->needed_count == 0)
		return;
	struct model_used *used = arena_array(arena, row->needed_count, sizeof(*used));
	const struct u64map *wanted =
		&symbols_of(objects_opened(rows->objects, id), &symbols[id])->wanted;

	for (size_t i = 0; i < row->needed_count; i++) {
		uint32_t of = row->needed[i];
		struct elfmap *map = objects_opened(rows->objects, of);

		if (!map)
			return; // what it defines is unknown
		used[i] = count_used(arena, map, wanted, symbols_of(map, &symbols[of]));
	}
	row->used = used;
}

void dependencies_fill(struct rows *rows)
{
	size_t count = rows->object_rows.count;
	CLEANUP(names_deinit) struct names names = { 0 };
	CLEANUP(freep) uint32_t *told = xcalloc(count + 1, sizeof(*told));

	for (size_t i = 0; i < count; i++) {
		const struct model_object *row = &rows->object_rows.items[i];

		if (!row->is_file)
			continue;
		if (row->soname)
			add_name(&names.sonames, row->soname, (uint32_t)i);
		add_name(&names.files, path_file_name(row->path), (uint32_t)i);
		add_name(&names.paths, row->path, (uint32_t)i);
	}
	for (size_t i = 0; i < count; i++)
		fill_object(rows, &names, (uint32_t)i, told);

	CLEANUP(freep) struct symbols *symbols = xcalloc(count + 1, sizeof(*symbols));

	for (size_t i = 0; i < count; i++)
		fill_used(rows, (uint32_t)i, symbols);
	for (size_t i = 0; i < count; i++) {
		vec_deinit(&symbols[i].defined);
		u64map_deinit(&symbols[i].wanted);
	}
}
