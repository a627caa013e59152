// SPDX-License-Identifier: Apache-2.0
#include "elfmap/dwarf/filesymbol.h"

#include "base/cleanup.h"
#include "elfmap/dwarf/sourcelist.h"
#include "elfmap/symbols/symtab.h"
#include "elfmap/dwarf/wanted.h"

#include <ctype.h>

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length > end_length && memcmp(text + length - end_length, end, end_length) == 0;
}

/** True if the name of a STT_FILE symbol is one of a source: LTO makes objects without any. */
static bool is_source(const char *name)
{
	return name[0] && name[0] != '<' && !ends_with(name, strlen(name), ".o");
}

static void decode(const struct symtab *table, uint64_t index, GElf_Sym *ret_symbol)
{
	elfmap_decode_symbol(table->owner, table->bytes + index * elfmap_symbol_size(table->owner),
			     ret_symbol);
}

/** Visibility that is not the default one makes no sense for what was local when compiled. */
static bool was_global(const GElf_Sym *symbol)
{
	return GELF_ST_VISIBILITY(symbol->st_other) != STV_DEFAULT;
}

/**
 * Return the end of the local symbols whose file is known. Each follows the STT_FILE symbol of its
 * file (gABI ch. 4 "Symbol Table"), but gold puts the global ones that it made local behind all of
 * them, so that they seem to be of the last file; bfd puts a STT_FILE symbol without a name
 * between.
 */
static uint64_t known_end(const struct symtab *table)
{
	uint64_t last_file = 0, end = 1;
	bool has_foreign = false;

	for (; end < table->count; end++) {
		GElf_Sym symbol;

		decode(table, end, &symbol);
		if (GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
			break; // no local symbol follows: gABI
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
			last_file = end;
			has_foreign = false;
		} else {
			has_foreign = has_foreign || was_global(&symbol);
		}
	}
	return has_foreign ? last_file : end;
}

static bool is_local_function(const struct elfmap *owner, const GElf_Sym *symbol)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_NOTYPE) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_shndx != SHN_ABS && symtab_is_loaded(owner, symbol) &&
	       !was_global(symbol);
}

/** Identical functions may be folded into one: then all their files are its sources. */
static void fill_by_symtab(struct elfmap *map, const struct wanted *wanted, size_t count)
{
	struct symtab table = symtab_best(map);
	uint64_t end = table.count ? known_end(&table) : 0;
	const char *file = NULL;
	CLEANUP(freep) struct sourcelist *lists = xcalloc(count, sizeof(*lists));

	for (uint64_t i = 1; i < end; i++) {
		GElf_Sym symbol;

		decode(&table, i, &symbol);
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
			file = elfmap_string(&table.names, symbol.st_name);
			continue;
		}
		if (!file || !is_source(file) || !is_local_function(table.owner, &symbol))
			continue;
		uint64_t vaddr = elfmap_code_vaddr(map, symbol.st_value);
		size_t at = wanted_first(wanted, count, vaddr);
		if (at < count && wanted[at].vaddr == vaddr)
			sourcelist_add(&lists[at], file);
	}
	for (size_t i = 0; i < count; i++)
		wanted[i].initializer->source = sourcelist_text(
			&lists[wanted_first(wanted, count, wanted[i].vaddr)], &map->arena);
	for (size_t i = 0; i < count; i++)
		sourcelist_deinit(&lists[i]);
}

/** Cut ".cold", ".123", ".lto_priv.0" and the like: what compilers add to a function's name. */
static size_t without_suffixes(const char *name, size_t length)
{
	static const char *const words[] = { ".cold",	  ".constprop", ".isra", ".part",
					     ".lto_priv", ".llvm",	".clone" };

	for (;;) {
		size_t shorter = length;

		while (shorter > 0 && isdigit((unsigned char)name[shorter - 1]))
			shorter--;
		if (shorter > 0 && shorter < length && name[shorter - 1] == '.')
			shorter--;
		else
			shorter = length;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (ends_with(name, shorter, words[i]))
				shorter -= strlen(words[i]);
		if (shorter == length)
			return length;
		length = shorter;
	}
}

bool filesymbol_in_name(const char *name, const char **ret_start, size_t *ret_length)
{
	static const char prefix[] = "_GLOBAL__sub_I";
	static const char *const extensions[] = { ".cc",  ".cpp", ".cxx", ".C",	 ".c++", ".cp",
						  ".CPP", ".c",	  ".cu",  ".mm", ".m",	 ".ii" };
	enum { PRIORITY_DIGITS = 5 };

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	name += sizeof(prefix) - 1;
	if (*name == '.' || *name == '_') {
		size_t digits = strspn(name + 1, "0123456789");

		if (digits == PRIORITY_DIGITS && name[1 + digits] == '_')
			name += 1 + digits;
	}
	if (*name++ != '_')
		return false;

	size_t length = without_suffixes(name, strlen(name));
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (!ends_with(name, length, extensions[i]))
			continue;
		*ret_start = name;
		*ret_length = length;
		return true;
	}
	return false;
}

void filesymbol_fill(struct elfmap *map, struct elfmap_initializer *initializers, size_t count)
{
	size_t wanted_count;
	CLEANUP(freep)
	struct wanted *wanted = wanted_sort(initializers, count, &wanted_count);

	if (wanted_count == 0)
		return;
	fill_by_symtab(map, wanted, wanted_count);
	for (size_t i = 0; i < wanted_count; i++) {
		struct elfmap_initializer *initializer = wanted[i].initializer;
		const char *start;
		size_t length;

		if (!initializer->source && initializer->symbol &&
		    initializer->symbol->vaddr == initializer->vaddr &&
		    filesymbol_in_name(initializer->symbol->name, &start, &length))
			initializer->source = arena_strndup(&map->arena, start, length);
	}
}
