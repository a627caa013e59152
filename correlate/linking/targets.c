// SPDX-License-Identifier: Apache-2.0
// A name is looked up among those of the language's and the system's libraries that the trace has;
// what none of them defines is of another file. Versions do not matter: a name has one home there.
#include "correlate/linking/relocation.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/search.h"
#include "correlate/linking/relr.h"
#include "model/library.h"

#include <elf.h>
#include <string.h>
#include <xxhash.h>

struct targets {
	const struct rows *rows;
	bool is_read;
	struct u64map by_name; // hash of the name -> enum model_target
};

struct targets *targets_create(const struct rows *rows)
{
	struct targets *targets = xcalloc(1, sizeof(*targets));

	targets->rows = rows;
	return targets;
}

void targets_destroy(struct targets *targets)
{
	if (!targets)
		return;
	u64map_deinit(&targets->by_name);
	free(targets);
}

static uint64_t hash_of(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

static void read_names(struct targets *targets, struct elfmap *map, enum model_target target)
{
	uint64_t count = elfmap_dynamic_symbol_count(map);
	struct elfmap_dynamic_symbol symbol;

	for (uint64_t i = 1; i < count && elfmap_dynamic_symbol(map, i, &symbol); i++) {
		bool is_new;

		if (!symbol.is_defined || symbol.binding == STB_LOCAL)
			continue;
		uint32_t *value = u64map_put(&targets->by_name, hash_of(symbol.name), &is_new);
		if (is_new)
			*value = target;
	}
}

static void read_libraries(struct targets *targets)
{
	if (targets->is_read)
		return;
	targets->is_read = true;
	for (size_t i = 0; i < targets->rows->object_rows.count; i++) {
		const struct model_object *row = &targets->rows->object_rows.items[i];
		struct elfmap *map = objects_opened(targets->rows->objects, (uint32_t)i);
		enum model_library library = map ? model_library_of(row) : MODEL_LIBRARY_OTHER;

		if (library != MODEL_LIBRARY_OTHER)
			read_names(targets, map,
				   library == MODEL_LIBRARY_CXX ? MODEL_TARGET_CXX
								: MODEL_TARGET_SYSTEM);
	}
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static void note_call(struct model_relocation *to, const char *name)
{
	static const char *const opens[] = { "dlopen", "dlmopen", NULL };
	static const char *const nss[] = {
		"getaddrinfo", "gethostbyname", "gethostbyname_r", "getpwnam",	 "getpwnam_r",
		"getpwuid",    "getpwuid_r",	"getgrnam",	   "getgrnam_r", "getgrgid",
		"getgrgid_r",  "getgrouplist",	"initgroups",	   NULL
	};

	to->calls_dlopen |= is_one_of(name, opens);
	to->calls_nss |= is_one_of(name, nss);
}

static enum model_target target_of_symbol(struct targets *targets,
					  const struct relocation_count *count, uint32_t index)
{
	struct elfmap_dynamic_symbol symbol;

	if (index == 0 || !elfmap_dynamic_symbol(count->map, index, &symbol) || symbol.is_defined)
		return MODEL_TARGET_OWN;
	read_libraries(targets);
	const uint32_t *found = u64map_get(&targets->by_name, hash_of(symbol.name));

	note_call(count->to, symbol.name);
	if (found)
		return (enum model_target) * found;
	// A weak name that nobody defines, __gmon_start__ and the like, stays so.
	return symbol.binding == STB_WEAK ? MODEL_TARGET_SYSTEM : MODEL_TARGET_LIBRARY;
}

/** Facts about a symbol while slots are counted. */
enum { TARGET_MASK = (1 << 4) - 1, IS_KNOWN = 1 << 4, IS_LOOKED_UP = 1 << 5 };

struct tally {
	struct targets *targets;
	const struct relocation_count *count;
	uint8_t *symbols; // by index
	uint64_t symbol_count;
	struct relr relr;
	size_t next; // written page
	struct model_written_page *written;
};

static enum model_target target_of(struct tally *tally, const struct elfmap_relocation *slot)
{
	struct model_targets *to = &tally->count->to->targets;

	if (slot->class == ELFMAP_RELOCATION_RELATIVE)
		return MODEL_TARGET_SELF;
	if (slot->class == ELFMAP_RELOCATION_IRELATIVE)
		return MODEL_TARGET_CHOSEN;
	if (slot->symbol >= tally->symbol_count)
		return MODEL_TARGET_OWN;
	uint8_t *known = &tally->symbols[slot->symbol];
	if (!(*known & IS_KNOWN))
		*known = (uint8_t)(target_of_symbol(tally->targets, tally->count, slot->symbol) |
				   IS_KNOWN);
	enum model_target target = *known & TARGET_MASK;
	if (!(*known & IS_LOOKED_UP) && slot->symbol != 0) {
		*known |= IS_LOOKED_UP;
		to->lookups[target]++;
	}
	return target;
}

/** The pages that relocation wrote, by vaddr, each once. */
static void list_written(struct tally *tally)
{
	const struct relocation_count *count = tally->count;
	struct model_relocation *to = count->to;
	CLEANUP(u64map_deinit) struct u64map seen = { 0 };
	CLEANUP(vec_release) VEC(uint64_t) pages = { 0 };

	vec_foreach (index, &count->faults->indexes) {
		const struct model_fault *fault = &count->faults->all[*index];
		uint64_t page = align_down(fault->at.vaddr, count->page_size);

		if (objectfaults_is_copy(count->faults, fault) && u64map_add(&seen, page))
			vec_push(&pages, page);
	}
	vec_sort(&pages, order_u64);
	tally->written =
		arena_array(&count->rows->model->arena, pages.count + 1, sizeof(*tally->written));
	for (size_t i = 0; i < pages.count; i++)
		tally->written[i] = (struct model_written_page){ .vaddr = pages.items[i] };
	to->written = tally->written;
	to->written_count = pages.count;
}

/** Slots come by vaddr, and so do the pages. */
static void mark_page(struct tally *tally, uint64_t vaddr, enum model_target target)
{
	size_t end = tally->count->to->written_count;
	uint64_t page = align_down(vaddr, tally->count->page_size);

	while (tally->next < end && tally->written[tally->next].vaddr < page)
		tally->next++;
	if (tally->next < end && tally->written[tally->next].vaddr == page)
		tally->written[tally->next].targets |= (uint8_t)(1 << target);
}

static void count_packing(struct tally *tally, const struct elfmap_relocation *slot,
			  const struct elfmap_relocation_table *table)
{
	if (slot->class != ELFMAP_RELOCATION_RELATIVE || !relr_can_hold(slot->vaddr))
		return;
	relr_add(&tally->relr, slot->vaddr);
	if (table->encoding != ELFMAP_ENCODING_RELR)
		tally->count->to->relative_bytes += table->entry_size;
}

void targets_fill(struct targets *targets, const struct relocation_count *count)
{
	struct model_relocation *to = count->to;
	size_t slot_count, table_count;
	const struct elfmap_relocation *slots = elfmap_relocations(count->map, &slot_count);
	const struct elfmap_relocation_table *tables =
		elfmap_relocation_tables(count->map, &table_count);
	struct tally tally = {
		.targets = targets,
		.count = count,
		.symbol_count = elfmap_dynamic_symbol_count(count->map),
		.relr = relr_start(elfmap_info(count->map)->is_64bit ? 8 : 4),
	};

	tally.symbols = xcalloc(tally.symbol_count + 1, sizeof(*tally.symbols));
	list_written(&tally);
	array_foreach (slot, slots, slot_count) {
		enum model_target target = target_of(&tally, slot);

		to->targets.slots[target]++;
		// What is copied here has no slot left once its home is linked in.
		if (slot->class != ELFMAP_RELOCATION_COPY)
			mark_page(&tally, slot->vaddr, target);
		count_packing(&tally, slot, &tables[slot->table]);
	}
	array_foreach (table, tables, table_count)
		if (table->encoding == ELFMAP_ENCODING_RELR)
			to->relative_bytes += table->size;
	to->packed_bytes = relr_size(&tally.relr);
	free(tally.symbols);
}
