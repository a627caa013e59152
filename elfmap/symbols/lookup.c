// SPDX-License-Identifier: Apache-2.0
// Symbols of .dynsym by name, as a dynamic linker finds them: .gnu.hash, else .hash. Sources: gABI
// ch. 5 "Hash Table"; for .gnu.hash glibc, elf/dl-lookup.c and elf/dl-setup_hash.c.
#include "elfmap/binding.h"
#include "elfmap/private.h"

#include "base/checked.h"

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (uint8_t)*name;
		hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
	}
	return hash;
}

/** @count items of @width bytes at @vaddr + @at; NULL outside the file. */
static const uint8_t *items_at(struct elfmap *map, uint64_t vaddr, uint64_t at, uint64_t count,
			       unsigned width)
{
	uint64_t start;

	return checked_add(vaddr, at, &start) ? elfmap_bytes(map, start, count * width) : NULL;
}

static void find_gnu_hash(struct elfmap *map, struct elfmap_names *names)
{
	const uint64_t start = map->dynamic.gnu_hash, count = elfmap_dynsym_count(map);
	const uint8_t *header = elfmap_bytes(map, start, 16);

	if (!header)
		return;
	const uint32_t bucket_count = elfmap_u32(map, header);

	names->is_gnu = true;
	names->width = elfmap_word_size(map);
	names->first = elfmap_u32(map, header + 4);
	names->filter_count = elfmap_u32(map, header + 8);
	names->shift = elfmap_u32(map, header + 12);
	if (names->filter_count == 0 || names->shift >= 32 || names->first > count)
		return;
	const uint64_t filter_bytes = (uint64_t)names->filter_count * names->width;

	names->chain_count = count - names->first;
	names->filter = items_at(map, start, 16, names->filter_count, names->width);
	names->buckets = items_at(map, start, 16 + filter_bytes, bucket_count, 4);
	names->chains = items_at(map, start, 16 + filter_bytes + (uint64_t)bucket_count * 4,
				 names->chain_count, 4);
	if (names->filter && names->buckets && (names->chains || names->chain_count == 0))
		names->bucket_count = bucket_count;
}

static void find_hash(struct elfmap *map, struct elfmap_names *names)
{
	const uint8_t hash_word = machine_of(map->info.machine)->hash_word;
	const unsigned width = map->info.is_64bit && hash_word ? hash_word : 4;
	const uint64_t start = map->dynamic.hash;
	const uint8_t *header = elfmap_bytes(map, start, 2 * width);
	const uint64_t bucket_count = header ? elfmap_number(map, header, width) : 0;

	if (bucket_count == 0 || bucket_count > UINT32_MAX)
		return;
	names->width = width;
	names->chain_count = elfmap_dynsym_count(map);
	names->buckets = items_at(map, start, 2 * width, bucket_count, width);
	names->chains = items_at(map, start, (2 + bucket_count) * width, names->chain_count, width);
	if (names->buckets && names->chains)
		names->bucket_count = (uint32_t)bucket_count;
}

static struct elfmap_names tables_of(struct elfmap *map)
{
	struct elfmap_names names = { .map = map };

	if (map->dynamic.gnu_hash)
		find_gnu_hash(map, &names);
	else if (map->dynamic.hash)
		find_hash(map, &names);
	return names;
}

/** Symbols of a chain that may have a name. */
struct walk {
	const struct elfmap_names *names;
	uint32_t hash;
	uint64_t next; // 0: none
	uint64_t steps;
	bool is_last;
};

/** False: the filter says that there is none. */
static bool walk_start(struct walk *walk, const struct elfmap_names *names, const char *name,
		       uint32_t hash)
{
	struct elfmap *map = names->map;
	const unsigned width = names->width;

	*walk = (struct walk){ .names = names, .hash = hash };
	if (names->is_gnu) {
		const uint32_t bits = 8 * width;
		const uint64_t word = elfmap_word(
			map, names->filter + (size_t)(hash / bits % names->filter_count) * width);

		if (!(word >> hash % bits & word >> (hash >> names->shift) % bits & 1))
			return false;
		walk->next =
			elfmap_u32(map, names->buckets + (size_t)(hash % names->bucket_count) * 4);
	} else {
		walk->next = elfmap_number(
			map,
			names->buckets + (size_t)(sysv_hash(name) % names->bucket_count) * width,
			width);
	}
	return true;
}

/** The next symbol; 0: there is none. A damaged chain may be a circle, or end nowhere. */
static uint64_t walk_next(struct walk *walk)
{
	const struct elfmap_names *names = walk->names;
	struct elfmap *map = names->map;

	while (walk->next != 0 && !walk->is_last && walk->steps++ < names->chain_count) {
		const uint64_t index = walk->next;

		if (!names->is_gnu) {
			if (index >= names->chain_count)
				return 0;
			walk->next = elfmap_number(map, names->chains + index * names->width,
						   names->width);
			return index;
		}
		if (index < names->first || index - names->first >= names->chain_count)
			return 0;
		const uint32_t link = elfmap_u32(map, names->chains + (index - names->first) * 4);

		walk->is_last = link & 1;
		walk->next++;
		if ((link | 1) == (walk->hash | 1))
			return index;
	}
	return 0;
}

bool elfmap_dynamic_symbol_named(struct elfmap *map, const char *name,
				 struct elfmap_dynamic_symbol *ret_symbol)
{
	const struct elfmap_names names = tables_of(map);
	struct walk walk;
	uint64_t index;

	if (names.bucket_count == 0 || !walk_start(&walk, &names, name, gnu_hash(name)))
		return false;
	while ((index = walk_next(&walk)) != 0)
		if (elfmap_dynamic_symbol(map, index, ret_symbol) && ret_symbol->is_defined &&
		    strcmp(ret_symbol->name, name) == 0)
			return true;
	return false;
}

// ---- Versions -------------------------------------------------------------------------------

enum { VERSION_INDEX = 0x7fff, VERSION_HIDDEN = 0x8000, VERSIONS_MOST = 1 << 12 };

struct version_list {
	struct elfmap_version *items; // VERSIONS_MOST + 1 of them at most
	size_t count;
};

static void set_version(struct elfmap *map, struct version_list *list, uint32_t index,
			uint32_t hash, uint32_t name, bool is_hidden)
{
	const char *text = elfmap_dynstr(map, name);

	if (!text || index > VERSIONS_MOST)
		return;
	list->items[index] = (struct elfmap_version){ text, hash, is_hidden };
	list->count = index >= list->count ? index + 1 : list->count;
}

/** DT_VERNEED: what is wanted of other files. */
static void read_needs(struct elfmap *map, struct version_list *list)
{
	uint64_t at = map->dynamic.verneed;

	for (size_t n = 0; n < map->dynamic.verneed_count && n < VERSIONS_MOST; n++) {
		const uint8_t *need = elfmap_bytes(map, at, sizeof(Elf64_Verneed));

		if (!need)
			return;
		uint64_t of = at + elfmap_u32(map, need + offsetof(Elf64_Verneed, vn_aux));

		for (uint32_t left = elfmap_u16(map, need + offsetof(Elf64_Verneed, vn_cnt));
		     left > 0; left--) {
			const uint8_t *aux = elfmap_bytes(map, of, sizeof(Elf64_Vernaux));

			if (!aux)
				return;
			const uint16_t index =
				elfmap_u16(map, aux + offsetof(Elf64_Vernaux, vna_other));

			set_version(map, list, index & VERSION_INDEX,
				    elfmap_u32(map, aux + offsetof(Elf64_Vernaux, vna_hash)),
				    elfmap_u32(map, aux + offsetof(Elf64_Vernaux, vna_name)),
				    index & VERSION_HIDDEN);
			const uint32_t behind =
				elfmap_u32(map, aux + offsetof(Elf64_Vernaux, vna_next));

			if (behind == 0)
				break;
			of += behind;
		}
		const uint32_t next = elfmap_u32(map, need + offsetof(Elf64_Verneed, vn_next));

		if (next == 0)
			return;
		at += next;
	}
}

/** DT_VERDEF: what the file itself defines. */
static void read_definitions(struct elfmap *map, struct version_list *list)
{
	uint64_t at = map->dynamic.verdef;

	for (size_t n = 0; n < map->dynamic.verdef_count && n < VERSIONS_MOST; n++) {
		const uint8_t *entry = elfmap_bytes(map, at, sizeof(Elf64_Verdef));

		if (!entry)
			return;
		const uint8_t *aux = elfmap_bytes(
			map, at + elfmap_u32(map, entry + offsetof(Elf64_Verdef, vd_aux)),
			sizeof(Elf64_Verdaux));

		if (aux &&
		    !(elfmap_u16(map, entry + offsetof(Elf64_Verdef, vd_flags)) & VER_FLG_BASE))
			set_version(map, list,
				    elfmap_u16(map, entry + offsetof(Elf64_Verdef, vd_ndx)) &
					    VERSION_INDEX,
				    elfmap_u32(map, entry + offsetof(Elf64_Verdef, vd_hash)),
				    elfmap_u32(map, aux + offsetof(Elf64_Verdaux, vda_name)),
				    false);
		const uint32_t next = elfmap_u32(map, entry + offsetof(Elf64_Verdef, vd_next));

		if (next == 0)
			return;
		at += next;
	}
}

static void read_versions(struct elfmap *map, struct elfmap_names *names)
{
	if (!map->dynamic.versym)
		return;
	struct version_list list = { xcalloc(VERSIONS_MOST + 1, sizeof(*list.items)), 0 };

	names->versym = elfmap_bytes(map, map->dynamic.versym, elfmap_dynsym_count(map) * 2);
	read_needs(map, &list);
	read_definitions(map, &list);
	names->version_count = list.count;
	names->versions = arena_copy(&map->arena, list.items, list.count * sizeof(*list.items));
	free(list.items);
}

struct elfmap_names elfmap_names_of(struct elfmap *map)
{
	struct elfmap_names names = tables_of(map);

	read_versions(map, &names);
	return names;
}

static uint16_t version_word(const struct elfmap_names *names, uint64_t index)
{
	return elfmap_u16(names->map, names->versym + index * 2);
}

static const struct elfmap_version *version_of(const struct elfmap_names *names, uint16_t word)
{
	static const struct elfmap_version none;
	const size_t index = word & VERSION_INDEX;

	return index < names->version_count ? &names->versions[index] : &none;
}

// ---- References -----------------------------------------------------------------------------

bool elfmap_reference_at(const struct elfmap_names *names, uint64_t index,
			 struct elfmap_reference *ret_reference)
{
	GElf_Sym symbol;
	const char *name;

	if (index == 0 || !elfmap_dynsym(names->map, index, &symbol, &name))
		return false;
	const uint8_t visibility = GELF_ST_VISIBILITY(symbol.st_other);

	if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL || visibility == STV_HIDDEN ||
	    visibility == STV_INTERNAL)
		return false;
	const struct elfmap_version *version =
		names->versym ? version_of(names, version_word(names, index)) : NULL;

	*ret_reference = (struct elfmap_reference){
		.name = name,
		.version = version && version->hash ? version : NULL,
		.hash = gnu_hash(name),
		.binding = GELF_ST_BIND(symbol.st_info),
		.visibility = visibility,
		.type = GELF_ST_TYPE(symbol.st_info),
		.is_defined = symbol.st_shndx != SHN_UNDEF,
	};
	return true;
}

/** Can a name be bound to it at all? */
static bool is_bindable(const GElf_Sym *symbol, bool is_call)
{
	enum {
		BINDABLE = 1 << STT_NOTYPE | 1 << STT_OBJECT | 1 << STT_FUNC | 1 << STT_COMMON |
			   1 << STT_TLS | 1 << STT_GNU_IFUNC
	};
	const unsigned type = GELF_ST_TYPE(symbol->st_info);
	const unsigned binding = GELF_ST_BIND(symbol->st_info);

	if (symbol->st_value == 0 && symbol->st_shndx != SHN_ABS && type != STT_TLS)
		return false;
	if (is_call && symbol->st_shndx == SHN_UNDEF)
		return false;
	return (BINDABLE >> type & 1) &&
	       (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE);
}

/** Is the version of symbol @index the one that @reference wants? */
static bool has_version(const struct elfmap_names *names, uint64_t index,
			const struct elfmap_version *wanted)
{
	const uint16_t word = version_word(names, index);
	const struct elfmap_version *version = version_of(names, word);

	if (version->hash == wanted->hash &&
	    (version->hash == 0 || strcmp(version->name, wanted->name) == 0))
		return true;
	// A symbol without a version will do, unless it is hidden.
	return !wanted->is_hidden && version->hash == 0 && !(word & VERSION_HIDDEN);
}

enum elfmap_search elfmap_names_search(const struct elfmap_names *names,
				       const struct elfmap_reference *reference, bool is_call,
				       uint64_t *ret_index)
{
	enum {
		FIRST_VERSIONS = 3
	}; // local, global, and the oldest are taken by those who ask for none
	struct walk walk;
	uint64_t index, other = 0;
	size_t others = 0;

	if (names->bucket_count == 0)
		return ELFMAP_SEARCH_NONE;
	if (!walk_start(&walk, names, reference->name, reference->hash))
		return ELFMAP_SEARCH_FILTERED;
	while ((index = walk_next(&walk)) != 0) {
		GElf_Sym symbol;
		const char *name;

		if (!elfmap_dynsym(names->map, index, &symbol, &name) ||
		    !is_bindable(&symbol, is_call) || strcmp(name, reference->name) != 0)
			continue;
		if (names->versym && reference->version) {
			if (!has_version(names, index, reference->version))
				continue;
		} else if (names->versym) {
			const uint16_t word = version_word(names, index);

			if ((word & VERSION_INDEX) >= FIRST_VERSIONS) {
				// The only one that is not hidden is taken in the end.
				if (!(word & VERSION_HIDDEN) && others++ == 0)
					other = index;
				continue;
			}
		}
		*ret_index = index;
		return ELFMAP_SEARCH_FOUND;
	}
	*ret_index = other;
	return others == 1 ? ELFMAP_SEARCH_FOUND : ELFMAP_SEARCH_IN_VAIN;
}
