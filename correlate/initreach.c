// SPDX-License-Identifier: Apache-2.0
#include "correlate/initreach.h"

#include "base/cleanup.h"
#include "base/u64map.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** Instead of an initializer. */
static const uint32_t SEVERAL = UINT32_MAX;

struct initreach {
	const struct rows *rows;
	bool has_code;	       // all initializers were read
	VEC(bool) has_symbols; // by object: its symbols were looked up in by_name
	// -> initializer + 1, or SEVERAL
	struct u64map by_place[INITREACH_WAYS]; // by hash of object and vaddr
	struct u64map by_name;			// those that jump to a symbol, by hash of its name
};

static uint64_t hash_place(uint32_t object, uint64_t vaddr)
{
	const uint64_t parts[] = { object, vaddr };

	return XXH3_64bits(parts, sizeof(parts));
}

static uint64_t hash_name(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

static void add(struct u64map *map, uint64_t key, uint32_t value)
{
	bool is_new;
	uint32_t *known = u64map_put(map, key, &is_new);

	*known = is_new || *known == value ? value : SEVERAL;
}

/** Code that is read for one file's initializers, one after the other. */
struct reading {
	struct initreach *reach;
	struct elfmap *map;
	uint32_t object;
	uint32_t initializer;
	uint64_t left; // bytes that may still be read: functions that overlap make no more work
};

/** Note where the function at @vaddr leads, which the initializer gets to by @jumps jumps. */
static void read_code(struct reading *reading, uint64_t vaddr, unsigned jumps)
{
	enum { LIMIT = 64 * 1024, JUMPS_LIMIT = 3 };
	struct initreach *reach = reading->reach;
	uint32_t value = reading->initializer + 1;
	const struct elfmap_symbol *symbol = elfmap_symbol_at(reading->map, vaddr);
	struct elfmap_branch branch;

	if (!symbol || symbol->vaddr != vaddr)
		return;
	uint64_t size = symbol->size < LIMIT ? symbol->size : LIMIT;
	size = size < reading->left ? size : reading->left;
	reading->left -= size;
	const struct range whole = { vaddr, vaddr + size };
	struct range code = whole;
	while (elfmap_branch_next(reading->map, &code, &branch)) {
		uint64_t place = hash_place(reading->object, branch.vaddr);

		if (branch.has_vaddr && jumps == 0)
			add(&reach->by_place[INITREACH_BRANCH_WITHIN], place, value);
		if (branch.is_call)
			continue;
		if (branch.has_vaddr)
			add(&reach->by_place[INITREACH_JUMP_WITHIN], place, value);
		if (branch.name)
			add(&reach->by_name, hash_name(branch.name), value);
		else
			add(&reach->by_place[INITREACH_JUMP], place, value);
		if (branch.has_vaddr && !range_contains(whole, branch.vaddr) && jumps < JUMPS_LIMIT)
			read_code(reading, branch.vaddr, jumps + 1);
	}
}

static void read_object(struct initreach *reach, uint32_t object)
{
	const struct model_object *row = &reach->rows->object_rows.items[object];
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	struct reading reading = {
		.reach = reach,
		.map = objects_opened(reach->rows->objects, object),
		.object = object,
	};

	if (!reading.map)
		return;
	reading.left = elfmap_info(reading.map)->size;
	for (uint32_t i = 0; i < row->initializer_count; i++) {
		uint64_t vaddr;
		bool is_new;

		reading.initializer = row->first_initializer + i;
		vaddr = reach->rows->initializers.items[reading.initializer].vaddr;
		// What stands in the arrays twice is the first, as elfmap_role_at() has it.
		u64map_put(&seen, vaddr, &is_new);
		if (is_new)
			read_code(&reading, vaddr, 0);
	}
}

/** Look up the functions that @object defines by name, since any file's initializer may mean them.
 */
static void read_symbols(struct initreach *reach, uint32_t object)
{
	struct elfmap *map = objects_opened(reach->rows->objects, object);
	uint64_t count = map && reach->by_name.count ? elfmap_dynamic_symbol_count(map) : 0;
	struct elfmap_dynamic_symbol symbol;

	for (uint64_t i = 1; i < count && elfmap_dynamic_symbol(map, i, &symbol); i++) {
		if (!symbol.is_defined || symbol.binding == STB_LOCAL ||
		    symbol.type == STT_OBJECT || symbol.type == STT_TLS)
			continue;
		const uint32_t *found = u64map_get(&reach->by_name, hash_name(symbol.name));
		if (found)
			add(&reach->by_place[INITREACH_JUMP], hash_place(object, symbol.vaddr),
			    *found);
	}
}

bool initreach_find(struct initreach *reach, uint32_t object, uint64_t vaddr,
		    enum initreach_way way, uint32_t *ret_initializer)
{
	const struct rows *rows = reach->rows;

	if (!reach->has_code) {
		reach->has_code = true;
		for (size_t i = 0; i < rows->object_rows.count; i++)
			read_object(reach, (uint32_t)i); // objects have 32 bits
	}
	if (object >= rows->object_rows.count)
		return false;
	while (reach->has_symbols.count <= object)
		vec_push(&reach->has_symbols, false);
	if (!reach->has_symbols.items[object]) {
		reach->has_symbols.items[object] = true;
		read_symbols(reach, object);
	}
	const uint32_t *found = u64map_get(&reach->by_place[way], hash_place(object, vaddr));
	if (!found)
		return false;
	*ret_initializer = *found == SEVERAL ? MODEL_NONE : *found - 1;
	return true;
}

struct initreach *initreach_create(const struct rows *rows)
{
	struct initreach *reach = xcalloc(1, sizeof(*reach));

	reach->rows = rows;
	return reach;
}

void initreach_destroy(struct initreach *reach)
{
	if (!reach)
		return;
	vec_deinit(&reach->has_symbols);
	u64map_deinit(&reach->by_name);
	for (int way = 0; way < INITREACH_WAYS; way++)
		u64map_deinit(&reach->by_place[way]);
	free(reach);
}
