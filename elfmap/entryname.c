// SPDX-License-Identifier: Apache-2.0
// How entries of tables are spelled: got:malloc, dynsym:printf, rela.dyn[7], &llvm::Foo::bar.
#include "elfmap/entries.h"

#include "elfmap/literals.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

#include <string.h>

/** A name under construction. */
struct spelling {
	struct elfmap *map;
	struct strbuf text;
	bool demangle;
};

static void spelling_deinit(struct spelling *spelling)
{
	strbuf_deinit(&spelling->text);
}

static void add_raw_name(struct spelling *spelling, const char *name)
{
	strbuf_puts(&spelling->text,
		    spelling->demangle ? elfmap_demangle(spelling->map, name) : name);
}

/** Name of symbol @index of .dynsym; false if it has none. */
static bool add_dynsym_name(struct spelling *spelling, uint64_t index)
{
	GElf_Sym symbol;
	const char *name;

	if (!elfmap_dynsym(spelling->map, index, &symbol, &name) || !name || !name[0])
		return false;
	add_raw_name(spelling, name);
	return true;
}

/** The symbol at @vaddr, with the distance from its start; false if none covers it. */
static bool add_symbol_at(struct spelling *spelling, uint64_t vaddr)
{
	const struct elfmap_symbol *symbol = elfmap_symbol_at(spelling->map, vaddr);

	if (!symbol)
		return false;
	strbuf_puts(&spelling->text, spelling->demangle
					     ? elfmap_symbol_display(spelling->map, symbol)
					     : symbol->name);
	if (vaddr != symbol->vaddr)
		strbuf_printf(&spelling->text, "+0x%lx", vaddr - symbol->vaddr);
	return true;
}

/** Whatever is at @vaddr: a symbol, else a place in a section, else the number. */
static void add_target(struct spelling *spelling, uint64_t vaddr)
{
	const struct elfmap_section *section;

	if (add_symbol_at(spelling, vaddr))
		return;
	section = elfmap_section_at(spelling->map, vaddr);
	if (section)
		strbuf_printf(&spelling->text, "%s+0x%lx", section->name, vaddr - section->vaddr);
	else
		strbuf_printf(&spelling->text, "0x%lx", vaddr);
}

/** The function that starts at @vaddr; its own name is all that is wanted. */
static void add_function(struct spelling *spelling, uint64_t vaddr)
{
	if (!add_symbol_at(spelling, vaddr))
		strbuf_printf(&spelling->text, "fn@0x%lx", vaddr);
}

/** Add the choice of the resolver at @vaddr: the IFUNC, else the resolver itself. */
static void add_chosen(struct spelling *spelling, uint64_t vaddr)
{
	const struct elfmap_symbol *symbol = elfmap_ifunc_at(spelling->map, vaddr);

	if (!symbol)
		add_target(spelling, vaddr);
	else
		strbuf_puts(&spelling->text, spelling->demangle
						     ? elfmap_symbol_display(spelling->map, symbol)
						     : symbol->name);
}

/** Add the name or address that @relocation puts into its slot; false if neither is known. */
static bool add_relocated(struct spelling *spelling, const struct elfmap_relocation *relocation)
{
	if (relocation->symbol && add_dynsym_name(spelling, relocation->symbol)) {
		if (relocation->value && relocation->class == ELFMAP_RELOCATION_SYMBOLIC)
			strbuf_printf(&spelling->text, "+0x%lx", relocation->value);
		return true;
	}
	if (relocation->class == ELFMAP_RELOCATION_RELATIVE)
		add_target(spelling, relocation->value);
	else if (relocation->class == ELFMAP_RELOCATION_IRELATIVE)
		add_chosen(spelling, relocation->value);
	else
		return false;
	return true;
}

/** The first three words from DT_PLTGOT on belong to the dynamic linker. */
static bool is_reserved(const struct elfmap *map, uint64_t slot)
{
	uint64_t start = map->dynamic.pltgot;

	return start && slot >= start && slot - start < 3 * (uint64_t)elfmap_word_size(map);
}

/** A slot that nothing relocates holds its address in the file, where addresses are fixed. */
static bool add_fixed_slot(struct spelling *spelling, uint64_t slot)
{
	struct elfmap *map = spelling->map;
	const uint8_t *bytes;
	uint64_t value;

	if (map->info.type != ET_EXEC || is_reserved(map, slot))
		return false;
	bytes = elfmap_bytes(map, slot, elfmap_word_size(map));
	value = bytes ? elfmap_word(map, bytes) : 0;
	return value && add_symbol_at(spelling, value);
}

static void spell_got(struct spelling *spelling, uint64_t slot, uint64_t index)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(spelling->map, slot);

	strbuf_puts(&spelling->text, "got:");
	if (relocation ? add_relocated(spelling, relocation) : add_fixed_slot(spelling, slot))
		return;
	strbuf_clear(&spelling->text);
	strbuf_printf(&spelling->text, "got[%lu]", index);
}

static void spell_plt(struct spelling *spelling, const struct elfmap_entry *stub, uint64_t index)
{
	struct elfmap *map = spelling->map;
	const struct elfmap_relocation *relocation;
	uint64_t slot;

	strbuf_puts(&spelling->text, "plt:");
	if (elfmap_plt_slot(map, stub, index, &slot)) {
		relocation = elfmap_relocation_at(map, slot);
		if (relocation ? add_relocated(spelling, relocation)
			       : add_fixed_slot(spelling, slot))
			return;
	}
	strbuf_clear(&spelling->text);
	if (index == UINT32_MAX)
		strbuf_puts(&spelling->text, "plt[header]");
	else
		strbuf_printf(&spelling->text, "plt[%lu]", index);
}

static void spell_dynsym(struct spelling *spelling, const char *prefix, uint64_t index)
{
	strbuf_printf(&spelling->text, "%s:", prefix);
	if (add_dynsym_name(spelling, index))
		return;
	strbuf_clear(&spelling->text);
	strbuf_printf(&spelling->text, "%s[%lu]", prefix, index);
}

static void spell_dynstr(struct spelling *spelling, const struct elfmap_entry *entry,
			 uint64_t index)
{
	const uint8_t *bytes = elfmap_bytes(spelling->map, entry->vaddr, entry->size);

	strbuf_puts(&spelling->text, "dynstr:");
	// An unterminated last string has no name; the first string of a table is empty.
	if (bytes && entry->size > 1 && bytes[entry->size - 1] == '\0') {
		add_raw_name(spelling, (const char *)bytes);
		return;
	}
	strbuf_clear(&spelling->text);
	strbuf_printf(&spelling->text, "dynstr[%lu]", index);
}

static void spell_eh_frame(struct spelling *spelling, const struct elfmap_entry *entry)
{
	const struct elfmap_frame *frame = elfmap_frame_holding(spelling->map, entry->vaddr);

	strbuf_puts(&spelling->text, "eh_frame:");
	if (frame)
		add_function(spelling, frame->code.start);
}

static void spell_eh_frame_hdr(struct spelling *spelling, const struct entry_table *table,
			       uint64_t index)
{
	uint64_t function;

	if (index == 0 || !elfmap_frame_hdr_function(spelling->map, table, index - 1, &function)) {
		strbuf_puts(&spelling->text, "eh_frame_hdr[header]");
		return;
	}
	strbuf_puts(&spelling->text, "eh_frame_hdr:");
	add_function(spelling, function);
}

static void spell_except(struct spelling *spelling, const struct elfmap_entry *entry)
{
	uint64_t end;
	const struct except_entry *except =
		elfmap_except_holding(spelling->map, entry->vaddr, &end);

	strbuf_puts(&spelling->text, "gcc_except_table:");
	if (except)
		add_function(spelling, except->function);
}

static void spell_hash(struct spelling *spelling, const struct entry_table *table, uint64_t index)
{
	const char *prefix = strstr(table->name, "gnu") ? "gnu.hash" : "hash";
	struct hash_layout layout;
	uint64_t buckets = 0;

	if (elfmap_hash_layout(spelling->map, table, &layout))
		buckets = (layout.chains - layout.buckets) / layout.width;
	if (index == HASH_HEADER)
		strbuf_printf(&spelling->text, "%s:header", prefix);
	else if (index == HASH_BLOOM)
		strbuf_printf(&spelling->text, "%s:bloom", prefix);
	else if (index - HASH_FIRST_BUCKET < buckets)
		strbuf_printf(&spelling->text, "%s:bucket[%lu]", prefix, index - HASH_FIRST_BUCKET);
	else
		strbuf_printf(&spelling->text, "%s:chain[%lu]", prefix,
			      index - HASH_FIRST_BUCKET - buckets);
}

static const char *dynamic_tag_name(uint64_t tag)
{
#define TAG(name)           \
	{                   \
		name, #name \
	}
	static const struct {
		uint64_t tag;
		const char *name;
	} tags[] = {
		TAG(DT_NULL),	      TAG(DT_NEEDED),	     TAG(DT_PLTRELSZ),
		TAG(DT_PLTGOT),	      TAG(DT_HASH),	     TAG(DT_STRTAB),
		TAG(DT_SYMTAB),	      TAG(DT_RELA),	     TAG(DT_RELASZ),
		TAG(DT_RELAENT),      TAG(DT_STRSZ),	     TAG(DT_SYMENT),
		TAG(DT_INIT),	      TAG(DT_FINI),	     TAG(DT_SONAME),
		TAG(DT_RPATH),	      TAG(DT_SYMBOLIC),	     TAG(DT_REL),
		TAG(DT_RELSZ),	      TAG(DT_RELENT),	     TAG(DT_PLTREL),
		TAG(DT_DEBUG),	      TAG(DT_TEXTREL),	     TAG(DT_JMPREL),
		TAG(DT_BIND_NOW),     TAG(DT_INIT_ARRAY),    TAG(DT_FINI_ARRAY),
		TAG(DT_INIT_ARRAYSZ), TAG(DT_FINI_ARRAYSZ),  TAG(DT_RUNPATH),
		TAG(DT_FLAGS),	      TAG(DT_PREINIT_ARRAY), TAG(DT_PREINIT_ARRAYSZ),
		TAG(DT_SYMTAB_SHNDX), TAG(DT_RELRSZ),	     TAG(DT_RELR),
		TAG(DT_RELRENT),      TAG(DT_GNU_PRELINKED), TAG(DT_GNU_HASH),
		TAG(DT_TLSDESC_PLT),  TAG(DT_TLSDESC_GOT),   TAG(DT_VERSYM),
		TAG(DT_RELACOUNT),    TAG(DT_RELCOUNT),	     TAG(DT_FLAGS_1),
		TAG(DT_VERDEF),	      TAG(DT_VERDEFNUM),     TAG(DT_VERNEED),
		TAG(DT_VERNEEDNUM),   TAG(DT_AUXILIARY),     TAG(DT_FILTER),
	};
#undef TAG

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (tags[i].tag == tag)
			return tags[i].name;
	}
	return NULL;
}

static void spell_dynamic(struct spelling *spelling, const struct elfmap_entry *entry)
{
	const uint8_t *bytes =
		elfmap_bytes(spelling->map, entry->vaddr, elfmap_word_size(spelling->map));
	uint64_t tag = bytes ? elfmap_word(spelling->map, bytes) : DT_NULL;
	const char *name = dynamic_tag_name(tag);

	if (name)
		strbuf_printf(&spelling->text, "dynamic:%s", name);
	else
		strbuf_printf(&spelling->text, "dynamic:0x%lx", tag);
}

static void spell_pointee(struct spelling *spelling, uint64_t slot)
{
	const struct elfmap_relocation *relocation = elfmap_relocation_at(spelling->map, slot);

	strbuf_putc(&spelling->text, '&');
	if (!relocation || !add_relocated(spelling, relocation))
		strbuf_printf(&spelling->text, "[slot 0x%lx]", slot);
}

static void spell_header(struct spelling *spelling, uint64_t index)
{
	if (index == 0)
		strbuf_puts(&spelling->text, "elf-header");
	else
		strbuf_printf(&spelling->text, "program-header[%lu]", index - 1);
}

static void spell_init(struct spelling *spelling, const struct elfmap_entry *entry)
{
	const struct elfmap_section *section = elfmap_section_at(spelling->map, entry->vaddr);

	strbuf_puts(&spelling->text,
		    section && strcmp(section->name, ".fini") == 0 ? "_fini" : "_init");
}

static void spell(struct spelling *spelling, const struct elfmap_entry *entry)
{
	const struct entry_table *table = elfmap_entry_table(spelling->map, entry->vaddr);
	uint64_t index = entry->index;

	if (entry->kind == ELFMAP_ENTRY_HEADER) {
		spell_header(spelling, index);
		return;
	}
	if (entry->kind == ELFMAP_ENTRY_POINTEE) {
		spell_pointee(spelling, entry->vaddr);
		return;
	}
	if (entry->kind == ELFMAP_ENTRY_STRING) {
		elfmap_literal_spell(spelling->map, entry, &spelling->text);
		return;
	}
	if (entry->kind == ELFMAP_ENTRY_DATA) {
		strbuf_printf(&spelling->text, "data@0x%lx", entry->vaddr);
		return;
	}
	if (entry->kind == ELFMAP_ENTRY_INIT) {
		spell_init(spelling, entry);
		return;
	}
	if (!table || table->kind != entry->kind)
		return;
	if (table->section == 0)
		index &= (UINT64_C(1) << 48) - 1; // the table's own number is above
	switch (entry->kind) {
	case ELFMAP_ENTRY_GOT:
		spell_got(spelling, entry->vaddr, index);
		break;
	case ELFMAP_ENTRY_PLT:
		spell_plt(spelling, entry, index);
		break;
	case ELFMAP_ENTRY_DYNSYM:
		spell_dynsym(spelling, "dynsym", index);
		break;
	case ELFMAP_ENTRY_VERSYM:
		spell_dynsym(spelling, "gnu.version", index);
		break;
	case ELFMAP_ENTRY_DYNSTR:
		spell_dynstr(spelling, entry, index);
		break;
	case ELFMAP_ENTRY_EH_FRAME:
		spell_eh_frame(spelling, entry);
		break;
	case ELFMAP_ENTRY_EH_FRAME_HDR:
		spell_eh_frame_hdr(spelling, table, index);
		break;
	case ELFMAP_ENTRY_EXCEPT_TABLE:
		spell_except(spelling, entry);
		break;
	case ELFMAP_ENTRY_HASH:
		spell_hash(spelling, table, index);
		break;
	case ELFMAP_ENTRY_DYNAMIC:
		spell_dynamic(spelling, entry);
		break;
	case ELFMAP_ENTRY_NOTE:
		strbuf_printf(&spelling->text, "note:%s", table->name);
		break;
	case ELFMAP_ENTRY_RELOCATION:
	case ELFMAP_ENTRY_INIT_ARRAY:
		strbuf_printf(&spelling->text, "%s[%lu]", table->name, index);
		break;
	default: // INTERP, VERSION: one entry, called as the section is
		strbuf_puts(&spelling->text, table->name);
		break;
	}
}

static uint64_t hash_entry(const struct elfmap_entry *entry, bool demangle)
{
	uint64_t hash = entry->index * 31 + (uint64_t)entry->kind;

	hash = (hash * 0x9e3779b97f4a7c15ULL + entry->section) * 0x9e3779b97f4a7c15ULL;
	return (hash ^ hash >> 32) + demangle;
}

/** The cache's place for @entry, taken or free. */
static struct cached_name *find_cached(struct cached_name *names, size_t capacity,
				       const struct elfmap_entry *entry, bool demangle)
{
	size_t at = hash_entry(entry, demangle) % capacity;

	while (names[at].text &&
	       (names[at].entry.kind != entry->kind || names[at].entry.index != entry->index ||
		names[at].entry.section != entry->section || names[at].demangle != demangle))
		at = (at + 1) % capacity;
	return &names[at];
}

/** Keep at most three quarters in use. What is outgrown stays in the arena: as much again. */
static void grow_names(struct elfmap *map, struct elfmap_entry_set *set)
{
	enum { FIRST_CAPACITY = 256 };
	size_t capacity = set->name_capacity ? set->name_capacity * 2 : FIRST_CAPACITY;
	struct cached_name *names;

	if (set->name_count * 4 < set->name_capacity * 3)
		return;
	names = arena_array(&map->arena, capacity, sizeof(*names));
	array_foreach (old, set->names, set->name_capacity) {
		if (old->text)
			*find_cached(names, capacity, &old->entry, old->demangle) = *old;
	}
	set->names = names;
	set->name_capacity = capacity;
}

const char *elfmap_entry_name(struct elfmap *map, const struct elfmap_entry *entry, bool demangle)
{
	struct elfmap_entry_set *set = elfmap_entry_set(map);
	struct cached_name *cached;

	if (entry->kind == ELFMAP_ENTRY_NONE)
		return "";
	grow_names(map, set);
	cached = find_cached(set->names, set->name_capacity, entry, demangle);
	if (!cached->text) {
		CLEANUP(spelling_deinit)
		struct spelling spelling = { .map = map, .demangle = demangle };

		spell(&spelling, entry);
		*cached = (struct cached_name){
			.entry = *entry,
			.demangle = demangle,
			.text = arena_strdup(&map->arena, strbuf_text(&spelling.text)),
		};
		set->name_count++;
	}
	return cached->text;
}
