// SPDX-License-Identifier: Apache-2.0
// The role of a function in the life of a process, by its address: the entry point, main, an
// initializer, a finalizer, an IFUNC resolver.
#include "elfmap/private.h"

#include "base/u64map.h"

struct elfmap_roles {
	struct u64map by_vaddr; // -> index + 1 in items
	VEC(struct elfmap_role) items;
};

static struct elfmap_role *role_at(struct elfmap_roles *roles, uint64_t vaddr)
{
	uint32_t index =
		u64map_row(&roles->by_vaddr, vaddr, &roles->items, (struct elfmap_role){ 0 });
	return &roles->items.items[index];
}

static void add_initializer(struct elfmap_roles *roles, uint64_t vaddr, uint32_t index)
{
	struct elfmap_role *role = role_at(roles, vaddr);

	if (role->bits & ELFMAP_ROLE_INITIALIZER)
		return; // twice in the arrays: the first run is the one that faults
	role->bits |= ELFMAP_ROLE_INITIALIZER;
	role->initializer = index;
}

static void add_initializers(struct elfmap *map, struct elfmap_roles *roles)
{
	size_t count;
	const struct elfmap_initializer *items = elfmap_initializers_without_source(map, &count);

	for (size_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)i; // an array's entries are counted in 32 bits

		if (items[i].vaddr)
			add_initializer(roles, items[i].vaddr, index);
		for (uint64_t j = 1; j < items[i].function_count; j++)
			add_initializer(roles, items[i].functions[j], index);
	}
}

static void add_finalizers(struct elfmap *map, struct elfmap_roles *roles)
{
	size_t count;
	const uint64_t *items = elfmap_finalizers(map, &count);

	for (size_t i = 0; i < count; i++)
		role_at(roles, items[i])->bits |= ELFMAP_ROLE_FINALIZER;
}

static void add_resolvers(struct elfmap *map, struct elfmap_roles *roles)
{
	size_t count;
	const struct elfmap_relocation *relocations = elfmap_relocations(map, &count);

	for (size_t i = 0; i < count; i++)
		if (relocations[i].class == ELFMAP_RELOCATION_IRELATIVE)
			role_at(roles, relocations[i].value)->bits |= ELFMAP_ROLE_RESOLVER;

	GElf_Sym symbol;
	const char *name;
	uint64_t symbols = elfmap_dynsym_count(map);
	for (uint64_t i = 1; i < symbols; i++)
		if (elfmap_dynsym(map, i, &symbol, &name) && symbol.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
			role_at(roles, symbol.st_value)->bits |= ELFMAP_ROLE_RESOLVER;
}

struct elfmap_role elfmap_role_at(struct elfmap *map, uint64_t vaddr)
{
	struct elfmap_roles *roles = map->roles;

	if (!roles) {
		uint64_t main_vaddr;

		roles = map->roles = xcalloc(1, sizeof(*roles));
		if (map->info.entry)
			role_at(roles, map->info.entry)->bits |= ELFMAP_ROLE_ENTRY;
		if (elfmap_main(map, &main_vaddr))
			role_at(roles, main_vaddr)->bits |= ELFMAP_ROLE_MAIN;
		add_initializers(map, roles);
		add_finalizers(map, roles);
		add_resolvers(map, roles);
	}
	const uint32_t *index = u64map_get(&roles->by_vaddr, vaddr);
	struct elfmap_role role = index ? roles->items.items[*index] : (struct elfmap_role){ 0 };

	// Those of a STT_GNU_IFUNC symbol are resolvers also where no relocation calls them.
	if (elfmap_ifunc_at(map, vaddr))
		role.bits |= ELFMAP_ROLE_RESOLVER;
	return role;
}

void elfmap_roles_destroy(struct elfmap_roles *roles)
{
	if (!roles)
		return;
	u64map_deinit(&roles->by_vaddr);
	vec_deinit(&roles->items);
	free(roles);
}
