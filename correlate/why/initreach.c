// SPDX-License-Identifier: Apache-2.0
// Functions that the code of initializers jumps to and calls. An initializer that ends by a jump is
// not on the stack while the function that it jumps to runs: only its code tells whose that is.
#include "correlate/why/frame.h"

#include "base/cleanup.h"
#include "base/key.h"
#include "base/order.h"
#include "base/u64map.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** An initializer that leads to a place. */
struct leading {
	uint32_t initializer;
	uint32_t next; // that leads to the same place: into the list, + 1; 0: none
};

struct initreach {
	const struct rows *rows;
	bool has_code;	       // all initializers were read
	VEC(bool) has_symbols; // by object: its symbols were looked up in by_name
	VEC(struct leading) list;
	// -> the first one in the list, + 1
	struct u64map by_place[INITREACH_WAYS]; // by hash of object and vaddr
	struct u64map by_name;			// those that jump to a symbol, by hash of its name
	VEC(uint32_t) unseen;			// initializers that may also jump elsewhere, sorted
};

static uint64_t hash_name(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

static void add(struct initreach *reach, struct u64map *map, uint64_t key, uint32_t initializer)
{
	uint32_t *first = u64map_put(map, key, NULL);

	// One after the other is read.
	if (*first && reach->list.items[*first - 1].initializer == initializer)
		return;
	vec_push(&reach->list, (struct leading){ initializer, *first });
	*first = (uint32_t)reach->list.count; // each needs a byte of code
}

/** Knowledge of a function's jumps. */
enum seen { ALL_SEEN = 1, SOME_UNSEEN };

/** Code that is read for one file's initializers, one after the other. */
struct reading {
	struct initreach *reach;
	struct elfmap *map;
	uint32_t object;
	uint32_t initializer;
	uint64_t left; // bytes that may still be read: functions that overlap make no more work
	struct u64map functions; // by vaddr, that were read for this initializer
	struct u64map unseen;	 // by vaddr of a function, enum seen
	bool has_unseen;	 // it may jump where its code does not show
};

/**
 * True if the function at @vaddr, which has no symbol and no unwinding data, jumps nowhere: .init,
 * which ends with a return, and GCC's frame_dummy(), which jumps to one that does.
 */
static bool returns_for_sure(const struct reading *reading, uint64_t vaddr)
{
	enum { JUMP_SIZE = 5, ENTRY_SIZE = 4 + JUMP_SIZE, DUMMY_SIZE = 64 };
	const struct model_initializer *row =
		&reading->reach->rows->initializers.items[reading->initializer];
	struct range entry = { vaddr, vaddr + ENTRY_SIZE };
	struct elfmap_branch branch;

	if (strcmp(row->array, ".init") == 0)
		return true;
	return elfmap_branch_next(reading->map, &entry, &branch) && !branch.is_call &&
	       branch.has_vaddr && !branch.name &&
	       !elfmap_jumps_unseen(reading->map,
				    (struct range){ branch.vaddr, branch.vaddr + DUMMY_SIZE });
}

/** elfmap_jumps_unseen() for the function @code, once for all initializers that lead to it. */
static bool jumps_unseen(struct reading *reading, struct range code)
{
	uint32_t *seen = u64map_put(&reading->unseen, code.start, NULL);

	if (!*seen)
		*seen = elfmap_jumps_unseen(reading->map, code) ? SOME_UNSEEN : ALL_SEEN;
	return *seen == SOME_UNSEEN;
}

/** Note where the function at @vaddr leads, which the initializer gets to by @jumps jumps. */
static void read_code(struct reading *reading, uint64_t vaddr, unsigned jumps)
{
	enum { LIMIT = 64 * 1024, JUMPS_LIMIT = 8 };
	struct initreach *reach = reading->reach;
	uint32_t initializer = reading->initializer;
	const struct elfmap_symbol *symbol = elfmap_symbol_at(reading->map, vaddr);
	struct elfmap_branch branch;

	if (!symbol || symbol->vaddr != vaddr) {
		// Elsewhere it is no function, but bytes that look like a jump to it.
		reading->has_unseen |= jumps == 0 && !returns_for_sure(reading, vaddr);
		return;
	}
	if (!u64map_add(&reading->functions, vaddr))
		return;
	uint64_t size = symbol->size < LIMIT ? symbol->size : LIMIT;
	size = size < reading->left ? size : reading->left;
	reading->left -= size;
	const struct range whole = { vaddr, vaddr + size };
	struct range code = whole;
	if (jumps > JUMPS_LIMIT || size < symbol->size || jumps_unseen(reading, whole))
		reading->has_unseen = true;
	while (jumps <= JUMPS_LIMIT && elfmap_branch_next(reading->map, &code, &branch)) {
		uint64_t place = key_of(reading->object, branch.vaddr);

		if (!branch.name && range_contains(whole, branch.vaddr))
			continue;
		if (branch.has_vaddr && jumps == 0)
			add(reach, &reach->by_place[INITREACH_BRANCH_WITHIN], place, initializer);
		if (branch.is_call)
			continue;
		if (branch.name)
			add(reach, &reach->by_name, hash_name(branch.name), initializer);
		else
			add(reach, &reach->by_place[INITREACH_JUMP], place, initializer);
		if (!branch.has_vaddr)
			continue;
		add(reach, &reach->by_place[INITREACH_JUMP_WITHIN], place, initializer);
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

		reading.initializer = row->first_initializer + i;
		vaddr = reach->rows->initializers.items[reading.initializer].vaddr;
		// A function that the arrays name twice is the first, as elfmap_role_at() has it.
		// Go's end by a return.
		if (!u64map_add(&seen, vaddr) ||
		    reach->rows->initializers.items[reading.initializer].package)
			continue;
		read_code(&reading, vaddr, 0);
		u64map_deinit(&reading.functions);
		reading.functions = (struct u64map){ 0 };
		if (reading.has_unseen)
			vec_push(&reach->unseen, reading.initializer);
		reading.has_unseen = false;
	}
	u64map_deinit(&reading.unseen);
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
		const uint32_t *first = u64map_get(&reach->by_name, hash_name(symbol.name));
		for (uint32_t at = first ? *first : 0, next; at; at = next) {
			const struct leading *leading = &reach->list.items[at - 1];

			next = leading->next;
			add(reach, &reach->by_place[INITREACH_JUMP], key_of(object, symbol.vaddr),
			    leading->initializer);
		}
	}
}

/** True if code leads there; *@ret_first: into the list, + 1. */
static bool look_up(struct initreach *reach, uint32_t object, uint64_t vaddr,
		    enum initreach_way way, uint32_t *ret_first)
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
	const uint32_t *first = u64map_get(&reach->by_place[way], key_of(object, vaddr));
	if (first)
		*ret_first = *first;
	return first;
}

bool initreach_leads(struct initreach *reach, uint32_t object, uint64_t vaddr,
		     enum initreach_way way)
{
	uint32_t first;

	return look_up(reach, object, vaddr, way, &first);
}

/** Sort, each once. */
static void sort_found(struct initreach_found *found)
{
	size_t kept = 0;

	vec_sort(&found->list, order_u32);
	for (size_t i = 0; i < found->list.count; i++)
		if (kept == 0 || found->list.items[kept - 1] != found->list.items[i])
			found->list.items[kept++] = found->list.items[i];
	found->list.count = kept;
}

void initreach_find(struct initreach *reach, uint32_t object, uint64_t vaddr,
		    enum initreach_way way, struct initreach_found *found)
{
	uint32_t first = 0;

	found->list.count = 0;
	found->is_seen = look_up(reach, object, vaddr, way, &first);
	for (uint32_t at = first; at; at = reach->list.items[at - 1].next)
		vec_push(&found->list, reach->list.items[at - 1].initializer);
	if (way != INITREACH_BRANCH_WITHIN)
		vec_foreach (unseen, &reach->unseen)
			if (reach->rows->initializers.items[*unseen].object == object)
				vec_push(&found->list, *unseen);
	sort_found(found);
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
	vec_deinit(&reach->list);
	vec_deinit(&reach->unseen);
	u64map_deinit(&reach->by_name);
	for (int way = 0; way < INITREACH_WAYS; way++)
		u64map_deinit(&reach->by_place[way]);
	free(reach);
}
