// SPDX-License-Identifier: Apache-2.0
// Initializers, which run before main, in the order they run; finalizers, which run after it.
#include "elfmap/private.h"

#include "elfmap/dwarf/source.h"
#include "elfmap/symbols/gosymbols.h"
#include "elfmap/symbols/modules.h"

struct elfmap_finalizer_set {
	uint64_t *items;
	size_t count;
};

/** An array of function addresses, or .init itself. */
struct array {
	const char *name;
	uint64_t vaddr;
	uint64_t size;
};

static struct array section_array(struct elfmap *map, const char *name)
{
	const struct elfmap_section *section = elfmap_section_named(map, name);
	struct array array = { .name = name };

	if (section && (section->flags & SHF_ALLOC) && section->has_bytes) {
		array.vaddr = section->vaddr;
		array.size = section->size;
	}
	return array;
}

/**
 * Find an array that the dynamic linker runs: by the dynamic table; in a program without one, by
 * section.
 */
static struct array find_array(struct elfmap *map, const char *name, uint64_t vaddr, uint64_t size)
{
	if (map->dynamic.present)
		return (struct array){ name, vaddr, size };
	return section_array(map, name);
}

static void add_initializer(struct elfmap *map, struct elfmap_initializer_set *set,
			    struct elfmap_initializer initializer)
{
	initializer.symbol = elfmap_symbol_at(map, initializer.vaddr);
	initializer.has_offset =
		elfmap_vaddr_to_offset(map, initializer.vaddr, &initializer.offset);
	set->items[set->count++] = initializer;
}

/** Bytes of @array, or NULL, with a note if it should be there but is not in the file. */
static const uint8_t *array_bytes(struct elfmap *map, const struct array *array)
{
	// An index is 32 bits wide.
	const uint8_t *bytes = array->size && array->size <= UINT32_MAX
				       ? elfmap_bytes(map, array->vaddr, array->size)
				       : NULL;

	if (array->size && !bytes)
		notes_add(&map->notes,
			  "%s: %s: %lu bytes at vaddr 0x%lx are not in the file; skipped",
			  map->info.path, array->name, array->size, array->vaddr);
	return bytes;
}

static void add_array(struct elfmap *map, struct elfmap_initializer_set *set,
		      const struct array *array)
{
	const uint8_t *bytes = array_bytes(map, array);
	unsigned word = elfmap_word_size(map);
	uint64_t unknown = 0;

	for (uint64_t i = 0; bytes && i < array->size / word; i++) {
		uint64_t slot = array->vaddr + i * word;
		uint64_t value = elfmap_slot_value(map, slot, bytes + i * word);

		unknown += value == 0;
		add_initializer(map, set,
				(struct elfmap_initializer){
					.index = (uint32_t)i, // array_bytes() limits the size
					.array = array->name,
					.slot_vaddr = slot,
					.vaddr = elfmap_code_vaddr(map, value),
				});
	}
	if (unknown)
		notes_add(&map->notes,
			  "%s: %s: %lu entries whose function cannot be determined from the file",
			  map->info.path, array->name, unknown);
}

/**
 * .ctors runs from its end to its start. The markers -1 (its head) and 0 (its tail) are skipped,
 * wherever they stand. Source: __do_global_ctors_aux of GCC's crtstuff.c.
 */
static void add_ctors(struct elfmap *map, struct elfmap_initializer_set *set,
		      const struct array *array)
{
	const uint8_t *bytes = array_bytes(map, array);
	unsigned word = elfmap_word_size(map);
	uint64_t marker = word == 8 ? UINT64_MAX : UINT32_MAX;

	for (uint64_t i = bytes ? array->size / word : 0; i-- > 0;) {
		uint64_t slot = array->vaddr + i * word;
		uint64_t value = elfmap_slot_value(map, slot, bytes + i * word);

		if (value == 0 || value == marker)
			continue;
		add_initializer(map, set,
				(struct elfmap_initializer){
					.index = (uint32_t)i, // array_bytes() limits the size
					.array = array->name,
					.slot_vaddr = slot,
					.vaddr = elfmap_code_vaddr(map, value),
				});
	}
}

/** Add the packages or modules that a language's runtime starts, each by its first function. */
static void add_modules(struct elfmap *map, struct elfmap_initializer_set *set, const char *array,
			const struct module_starts *modules)
{
	uint32_t index = 0;

	vec_foreach (module, modules)
		add_initializer(map, set,
				(struct elfmap_initializer){
					.index = index++,
					.array = array,
					.slot_vaddr = module->slot,
					.vaddr = module->functions[0],
					.package = module->name,
					.functions = module->functions,
					.function_count = module->count,
				});
}

/** .init is one function: DT_INIT, or in a program without a dynamic table its section. */
static void add_init(struct elfmap *map, struct elfmap_initializer_set *set)
{
	uint64_t vaddr = map->dynamic.init;

	if (!map->dynamic.present) {
		const struct elfmap_section *section = elfmap_section_named(map, ".init");

		if (section && (section->flags & SHF_EXECINSTR))
			vaddr = section->vaddr;
	}
	if (vaddr)
		add_initializer(map, set,
				(struct elfmap_initializer){
					.array = ".init",
					.slot_vaddr = vaddr,
					.vaddr = elfmap_code_vaddr(map, vaddr),
				});
}

/** Entries of @array; none, with its size set to 0, if it is not in the file. */
static uint64_t room_for(struct elfmap *map, struct array *array)
{
	if (!array_bytes(map, array))
		array->size = 0;
	return array->size / elfmap_word_size(map);
}

const struct elfmap_initializer *elfmap_initializers_without_source(struct elfmap *map,
								    size_t *ret_count)
{
	struct elfmap_initializer_set *set = map->initializer_set;

	if (!set) {
		const struct elfmap_dynamic *dynamic = &map->dynamic;
		struct array preinit = find_array(map, ".preinit_array", dynamic->preinit_array,
						  dynamic->preinit_array_size);
		struct array init = find_array(map, ".init_array", dynamic->init_array,
					       dynamic->init_array_size);
		struct array ctors = section_array(map, ".ctors");
		uint64_t room =
			1 + room_for(map, &preinit) + room_for(map, &init) + room_for(map, &ctors);
		struct module_starts packages, modules;

		gopackages_list(map, &packages);
		modules_list(map, &modules);
		set = arena_alloc(&map->arena, sizeof(*set));
		set->count = 0;
		set->items = arena_array(&map->arena, room + packages.count + modules.count,
					 sizeof(*set->items));
		add_array(map, set, &preinit);
		add_init(map, set);
		add_array(map, set, &init);
		add_ctors(map, set, &ctors);
		add_modules(map, set, "inittasks", &packages);
		add_modules(map, set, "modules", &modules);
		vec_deinit(&packages);
		vec_deinit(&modules);
		map->initializer_set = set;
	}
	*ret_count = set->count;
	return set->items;
}

static void add_finalizers(struct elfmap *map, struct elfmap_finalizer_set *set,
			   const struct array *array)
{
	const uint8_t *bytes = array_bytes(map, array);
	unsigned word = elfmap_word_size(map);
	uint64_t marker = word == 8 ? UINT64_MAX : UINT32_MAX;

	for (uint64_t i = 0; bytes && i < array->size / word; i++) {
		uint64_t value = elfmap_slot_value(map, array->vaddr + i * word, bytes + i * word);

		if (value != 0 && value != marker)
			set->items[set->count++] = elfmap_code_vaddr(map, value);
	}
}

const uint64_t *elfmap_finalizers(struct elfmap *map, size_t *ret_count)
{
	struct elfmap_finalizer_set *set = map->finalizer_set;

	if (!set) {
		const struct elfmap_dynamic *dynamic = &map->dynamic;
		const struct elfmap_section *section = elfmap_section_named(map, ".fini");
		struct array fini = find_array(map, ".fini_array", dynamic->fini_array,
					       dynamic->fini_array_size);
		struct array dtors = section_array(map, ".dtors");
		uint64_t room = 1 + room_for(map, &fini) + room_for(map, &dtors);
		uint64_t one = dynamic->fini;

		if (!dynamic->present && section && (section->flags & SHF_EXECINSTR))
			one = section->vaddr;
		set = arena_alloc(&map->arena, sizeof(*set));
		set->count = 0;
		set->items = arena_array(&map->arena, room, sizeof(*set->items));
		if (one)
			set->items[set->count++] = elfmap_code_vaddr(map, one);
		add_finalizers(map, set, &fini);
		add_finalizers(map, set, &dtors);
		map->finalizer_set = set;
	}
	*ret_count = set->count;
	return set->items;
}
