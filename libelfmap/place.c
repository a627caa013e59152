// SPDX-License-Identifier: Apache-2.0
// Places of bytes of the file, and names for people.
#include "libelfmap/question.h"

static enum elfmap_table table_of(enum elfmap_entry_kind kind)
{
	switch (kind) {
	case ELFMAP_ENTRY_NONE:
	case ELFMAP_ENTRY_POINTEE:
		return ELFMAP_TABLE_NONE;
	case ELFMAP_ENTRY_GOT:
		return ELFMAP_TABLE_GOT;
	case ELFMAP_ENTRY_PLT:
		return ELFMAP_TABLE_PLT;
	case ELFMAP_ENTRY_DYNSYM:
		return ELFMAP_TABLE_DYNSYM;
	case ELFMAP_ENTRY_DYNSTR:
		return ELFMAP_TABLE_DYNSTR;
	case ELFMAP_ENTRY_RELOCATION:
		return ELFMAP_TABLE_RELOCATIONS;
	case ELFMAP_ENTRY_EH_FRAME:
		return ELFMAP_TABLE_EH_FRAME;
	case ELFMAP_ENTRY_EH_FRAME_HDR:
		return ELFMAP_TABLE_EH_FRAME_HDR;
	case ELFMAP_ENTRY_EXCEPT_TABLE:
		return ELFMAP_TABLE_EXCEPT_TABLE;
	case ELFMAP_ENTRY_VERSYM:
		return ELFMAP_TABLE_VERSYM;
	case ELFMAP_ENTRY_VERSION:
		return ELFMAP_TABLE_VERSIONS;
	case ELFMAP_ENTRY_HASH:
		return ELFMAP_TABLE_HASH;
	case ELFMAP_ENTRY_DYNAMIC:
		return ELFMAP_TABLE_DYNAMIC;
	case ELFMAP_ENTRY_NOTE:
		return ELFMAP_TABLE_NOTE;
	case ELFMAP_ENTRY_INTERP:
		return ELFMAP_TABLE_INTERP;
	case ELFMAP_ENTRY_INIT_ARRAY:
		return ELFMAP_TABLE_INIT_ARRAY;
	case ELFMAP_ENTRY_HEADER:
		return ELFMAP_TABLE_HEADERS;
	case ELFMAP_ENTRY_INIT:
		return ELFMAP_TABLE_INIT;
	case ELFMAP_ENTRY_STRING:
		return ELFMAP_TABLE_STRINGS;
	case ELFMAP_ENTRY_DATA:
		return ELFMAP_TABLE_DATA;
	}
	return ELFMAP_TABLE_NONE;
}

/** Name what is at @place, of @file. */
static void name_place(struct elfmap_file *file, const struct elfmap_place *place,
		       struct elfmap_file_place *ret_place)
{
	const struct elfmap_symbol *symbol = place->symbol;
	const struct elfmap_entry *entry = &place->entry;

	if (symbol) {
		ret_place->name_kind = ELFMAP_NAME_SYMBOL;
		ret_place->name = file->keeps_mangled ? symbol->name
						      : elfmap_symbol_display(file->map, symbol);
		ret_place->symbol = symbol->name;
		ret_place->name_vaddr = symbol->vaddr;
		ret_place->name_size = symbol->size;
		return;
	}
	ret_place->name = elfmap_entry_name(file->map, entry, !file->keeps_mangled);
	if (entry->kind == ELFMAP_ENTRY_NONE)
		return;
	ret_place->name_kind =
		entry->kind == ELFMAP_ENTRY_POINTEE ? ELFMAP_NAME_POINTEE : ELFMAP_NAME_ENTRY;
	ret_place->table = table_of(entry->kind);
	ret_place->name_vaddr = entry->vaddr;
	ret_place->name_size = entry->size;
}

static void fill_place(struct elfmap_file *file, const struct elfmap_place *place,
		       struct elfmap_file_place *ret_place)
{
	*ret_place = (struct elfmap_file_place){
		.has_offset = place->has_offset,
		.has_vaddr = place->has_vaddr,
		.has_segment = place->segment != NULL,
		.has_section = place->section != NULL,
		.offset = place->offset,
		.vaddr = place->vaddr,
		.segment = place->segment ? place->segment->index : 0,
		.section = place->section ? place->section->index : 0,
		.section_name = place->section_name,
	};
	name_place(file, place, ret_place);
}

static void find_offset(void *argument)
{
	struct question *question = argument;
	struct elfmap *map = question->file->map;
	struct elfmap_place place;

	question->status = ELFMAP_NONE;
	if (question->at >= elfmap_info(map)->size)
		return;
	elfmap_locate_offset(map, question->at, &place);
	fill_place(question->file, &place, question->answer);
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_at_offset(struct elfmap_file *file, uint64_t offset,
					 struct elfmap_file_place *ret_place)
{
	return question_ask(file, find_offset, offset, ret_place);
}

static void find_vaddr(void *argument)
{
	struct question *question = argument;
	struct elfmap_place place;

	elfmap_locate(question->file->map, question->at, &place);
	question->status = ELFMAP_NONE;
	if (!place.segment)
		return;
	fill_place(question->file, &place, question->answer);
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_at_vaddr(struct elfmap_file *file, uint64_t vaddr,
					struct elfmap_file_place *ret_place)
{
	return question_ask(file, find_vaddr, vaddr, ret_place);
}

/** A name to demangle. */
struct mangled {
	const char *name;
	const char **ret_name;
};

static void demangle(void *argument)
{
	struct question *question = argument;
	const struct mangled *mangled = question->answer;

	*mangled->ret_name = elfmap_demangle(question->file->map, mangled->name);
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_demangle(struct elfmap_file *file, const char *name,
					const char **ret_name)
{
	return question_ask(file, demangle, 0, &(struct mangled){ name, ret_name });
}
