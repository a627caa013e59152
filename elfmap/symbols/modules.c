// SPDX-License-Identifier: Apache-2.0
#include "elfmap/symbols/modules.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "elfmap/symbols/symtab.h"

#include <string.h>

// OCaml: caml_globals has the data of each module, whose code is a function of a like name.

static const char ocaml_prefix[] = "caml";

/** If @name is "caml", a module and @suffix, the length of "caml" and the module; else 0. */
static size_t ocaml_module(const char *name, const char *suffix)
{
	size_t length = strlen(name), end = strlen(suffix);

	return strncmp(name, ocaml_prefix, sizeof(ocaml_prefix) - 1) == 0 && length > end &&
			       strcmp(name + length - end, suffix) == 0
		       ? length - end
		       : 0;
}

/** Ends of the names of a module's two symbols. */
static const struct {
	const char *code, *data;
} ocaml_suffixes[] = {
	{ "__entry", "__gc_roots" }, // to 5.1
	{ ".entry", ".gc_roots" },
};

struct ocaml {
	struct elfmap *map;
	struct symtab table;
	struct u64map code; // of a module's name: the index of its symbol, plus 1
	struct u64map data; // of a vaddr: the same
	uint64_t globals;   // vaddr of caml_globals; 0: it is no program of OCaml's
};

static void read_symbol(struct ocaml *ocaml, uint32_t index)
{
	struct elfmap_symbol symbol;
	uint64_t nameless = 0;

	if (!symtab_entry(ocaml->map, &ocaml->table, index, &nameless, &symbol))
		return;
	if (strcmp(symbol.name, "caml_globals") == 0)
		ocaml->globals = symbol.vaddr;
	for (size_t i = 0; i < sizeof(ocaml_suffixes) / sizeof(ocaml_suffixes[0]); i++) {
		size_t length = ocaml_module(symbol.name, ocaml_suffixes[i].code);

		if (length)
			*u64map_put(&ocaml->code, hash_bytes(0, symbol.name, length), NULL) =
				index + 1;
		else if (ocaml_module(symbol.name, ocaml_suffixes[i].data))
			*u64map_put(&ocaml->data, symbol.vaddr, NULL) = index + 1;
	}
}

/** The symbol that @known counts, less 1. */
static struct elfmap_symbol symbol_of(struct ocaml *ocaml, uint32_t known)
{
	struct elfmap_symbol symbol = { 0 };
	uint64_t nameless = 0;

	symtab_entry(ocaml->map, &ocaml->table, known - 1, &nameless, &symbol);
	return symbol;
}

/** Add the module whose data is at @vaddr; false if there is none. */
static bool add_ocaml_module(struct ocaml *ocaml, uint64_t slot, uint64_t vaddr,
			     struct module_starts *starts)
{
	const uint32_t *data = u64map_get(&ocaml->data, vaddr);
	size_t length = 0;

	if (!data)
		return false;
	const char *name = symbol_of(ocaml, *data).name;

	for (size_t i = 0; !length && i < sizeof(ocaml_suffixes) / sizeof(ocaml_suffixes[0]); i++)
		length = ocaml_module(name, ocaml_suffixes[i].data);

	const uint32_t *code = u64map_get(&ocaml->code, hash_bytes(0, name, length));

	if (!code)
		return false;
	const struct elfmap_symbol entry = symbol_of(ocaml, *code);
	const size_t prefix = sizeof(ocaml_prefix) - 1;

	if (strncmp(entry.name, name, length) != 0)
		return false;
	vec_push(starts,
		 (struct module_start){
			 .name = arena_strndup(&ocaml->map->arena, name + prefix, length - prefix),
			 .slot = slot,
			 .functions =
				 arena_copy(&ocaml->map->arena, &entry.vaddr, sizeof(entry.vaddr)),
			 .count = 1,
		 });
	return true;
}

static void list_ocaml(struct elfmap *map, struct module_starts *starts)
{
	struct ocaml ocaml = { .map = map, .table = symtab_best(map) };
	const unsigned word = elfmap_word_size(map);
	const uint8_t *bytes;

	for (uint32_t i = 1; i < ocaml.table.count && i < UINT32_MAX; i++)
		read_symbol(&ocaml, i);
	for (uint64_t slot = ocaml.globals; slot && (bytes = elfmap_bytes(map, slot, word));
	     slot += word)
		if (!add_ocaml_module(&ocaml, slot, elfmap_slot_value(map, slot, bytes), starts))
			break;
	u64map_deinit(&ocaml.code);
	u64map_deinit(&ocaml.data);
	if (starts->count && strcmp(starts->items[starts->count - 1].name, "Std_exit") == 0)
		starts->count--;
	if (starts->count)
		starts->count--;
}

// D: a section of pointers to ModuleInfo, which says by flags which fields follow.

enum {
	D_TLS_CTOR = 1 << 3,
	D_TLS_DTOR = 1 << 4,
	D_CTOR = 1 << 5,
	D_DTOR = 1 << 6,
	D_MEMBERS = 1 << 7,
	D_INDEPENDENT_CTOR = 1 << 8,
	D_UNITTEST = 1 << 9,
	D_IMPORTED = 1 << 10,
	D_CLASSES = 1 << 11,
};

/** Read the word at *@at, and go on behind it; false: it is not in the file. */
static bool next_word(struct elfmap *map, uint64_t *at, bool is_pointer, uint64_t *ret_word)
{
	const unsigned word = elfmap_word_size(map);
	const uint8_t *bytes = elfmap_bytes(map, *at, word);

	if (!bytes)
		return false;
	*ret_word = is_pointer ? elfmap_slot_value(map, *at, bytes) : elfmap_word(map, bytes);
	*at += word;
	return true;
}

/** Pass over a list with its length in front. */
static bool pass_list(struct elfmap *map, uint64_t *at)
{
	uint64_t count;

	if (!next_word(map, at, false, &count) || count > elfmap_info(map)->size)
		return false;
	*at += count * elfmap_word_size(map);
	return true;
}

/** The text at @vaddr up to its NUL; NULL if that is not in the file. */
static const char *text_at(struct elfmap *map, uint64_t vaddr)
{
	enum { LONGEST = 1024 };

	for (uint64_t length = 0; length < LONGEST; length++) {
		const uint8_t *bytes = elfmap_bytes(map, vaddr, length + 1);

		if (!bytes)
			return NULL;
		if (bytes[length] == '\0')
			return length ? (const char *)bytes : NULL;
	}
	return NULL;
}

static void add_d_module(struct elfmap *map, uint64_t slot, uint64_t at,
			 struct module_starts *starts)
{
	static const uint32_t pointers[] = { D_TLS_CTOR, D_TLS_DTOR,	     D_CTOR,	D_DTOR,
					     D_MEMBERS,	 D_INDEPENDENT_CTOR, D_UNITTEST };
	static const uint32_t runs[] = { D_INDEPENDENT_CTOR, D_CTOR, D_TLS_CTOR };
	const uint8_t *head = elfmap_bytes(map, at, 2 * sizeof(uint32_t));
	uint64_t found[sizeof(pointers) / sizeof(pointers[0])] = { 0 };
	uint64_t functions[sizeof(runs) / sizeof(runs[0])], count = 0;

	if (!head)
		return;
	const uint32_t flags = elfmap_u32(map, head);

	at += 2 * sizeof(uint32_t);
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
		if ((flags & pointers[i]) && !next_word(map, &at, true, &found[i]))
			return;
	if (((flags & D_IMPORTED) && !pass_list(map, &at)) ||
	    ((flags & D_CLASSES) && !pass_list(map, &at)))
		return;
	const char *name = text_at(map, at); // whatever the flags say

	for (size_t run = 0; run < sizeof(runs) / sizeof(runs[0]); run++)
		for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++)
			if (pointers[i] == runs[run] && found[i])
				functions[count++] = found[i];
	if (!name || count == 0)
		return;
	vec_push(starts, (struct module_start){
				 .name = name,
				 .slot = slot,
				 .functions = arena_copy(&map->arena, functions,
							 count * sizeof(*functions)),
				 .count = count,
			 });
}

static void list_d(struct elfmap *map, struct module_starts *starts)
{
	const struct elfmap_section *section = elfmap_section_named(map, "__minfo"); // LDC, DMD
	const unsigned word = elfmap_word_size(map);

	if (!section)
		section = elfmap_section_named(map, "minfo"); // GDC
	if (!section || !(section->flags & SHF_ALLOC) || !section->has_bytes)
		return;
	for (uint64_t at = 0; at + word <= section->size; at += word) {
		const uint8_t *bytes = elfmap_bytes(map, section->vaddr + at, word);
		uint64_t info = bytes ? elfmap_slot_value(map, section->vaddr + at, bytes) : 0;

		if (info)
			add_d_module(map, section->vaddr + at, info, starts);
	}
}

void modules_list(struct elfmap *map, struct module_starts *ret_starts)
{
	*ret_starts = (struct module_starts){ 0 };
	if (!map->info.soname)
		list_ocaml(map, ret_starts);
	if (ret_starts->count == 0)
		list_d(map, ret_starts);
}
