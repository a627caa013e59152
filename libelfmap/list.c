// SPDX-License-Identifier: Apache-2.0
// Facts about the file and what it consists of: what is stable of elfmap/'s rows is copied.
#include "libelfmap/question.h"

static enum elfmap_symbol_source source_of(enum elfmap_symbols symbols)
{
	switch (symbols) {
	case ELFMAP_SYMBOLS_NONE:
		return ELFMAP_SOURCE_NONE;
	case ELFMAP_SYMBOLS_EH_FRAME:
		return ELFMAP_SOURCE_EH_FRAME;
	case ELFMAP_SYMBOLS_DYNSYM:
		return ELFMAP_SOURCE_DYNSYM;
	case ELFMAP_SYMBOLS_GO:
		return ELFMAP_SOURCE_GO;
	case ELFMAP_SYMBOLS_DEBUG_FILE:
		return ELFMAP_SOURCE_DEBUG_FILE;
	case ELFMAP_SYMBOLS_SYMTAB:
		return ELFMAP_SOURCE_SYMTAB;
	}
	return ELFMAP_SOURCE_NONE;
}

static void tell_info(void *argument)
{
	struct question *question = argument;
	const struct elfmap_info *info = elfmap_info(question->file->map);

	*(struct elfmap_file_info *)question->answer = (struct elfmap_file_info){
		.path = info->path,
		.size = info->size,
		.type = info->type,
		.machine = info->machine,
		.is_64bit = info->is_64bit,
		.is_big_endian = info->big_endian,
		.entry = info->entry,
		.soname = info->soname,
		.interpreter = info->interpreter,
		.build_id = info->build_id_size ? info->build_id : NULL,
		.build_id_size = info->build_id_size,
		.symbols = source_of(info->symbols),
		.debug_file = info->debug_file,
	};
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_info(struct elfmap_file *file, struct elfmap_file_info *ret_info)
{
	return question_ask(file, tell_info, 0, ret_info);
}

static void tell_segment(void *argument)
{
	struct question *question = argument;
	size_t count;
	const struct elfmap_segment *segments = elfmap_segments(question->file->map, &count);

	question->status = ELFMAP_NONE;
	if (question->at >= count)
		return;
	const struct elfmap_segment *segment = &segments[question->at];
	*(struct elfmap_file_segment *)question->answer = (struct elfmap_file_segment){
		.type = segment->type,
		.flags = segment->flags,
		.offset = segment->offset,
		.file_size = segment->file_size,
		.vaddr = segment->vaddr,
		.memory_size = segment->memory_size,
		.align = segment->align,
	};
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_segment(struct elfmap_file *file, size_t index,
				       struct elfmap_file_segment *ret_segment)
{
	return question_ask(file, tell_segment, index, ret_segment);
}

static void tell_section(void *argument)
{
	struct question *question = argument;
	size_t count;
	const struct elfmap_section *sections = elfmap_sections(question->file->map, &count);

	question->status = ELFMAP_NONE;
	if (question->at >= count)
		return;
	const struct elfmap_section *section = &sections[question->at];
	*(struct elfmap_file_section *)question->answer = (struct elfmap_file_section){
		.name = section->name,
		.type = section->type,
		.flags = section->flags,
		.offset = section->offset,
		.size = section->size,
		.vaddr = section->vaddr,
		.entry_size = section->entry_size,
		.has_bytes = section->has_bytes,
		.has_segment = section->segment >= 0,
		.segment = section->segment >= 0 ? (uint32_t)section->segment : 0,
	};
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_section(struct elfmap_file *file, size_t index,
				       struct elfmap_file_section *ret_section)
{
	return question_ask(file, tell_section, index, ret_section);
}

static void tell_symbol(void *argument)
{
	struct question *question = argument;
	size_t count;
	const struct elfmap_symbol *symbols = elfmap_symbols(question->file->map, &count);

	question->status = ELFMAP_NONE;
	if (question->at >= count)
		return;
	const struct elfmap_symbol *symbol = &symbols[question->at];
	*(struct elfmap_file_symbol *)question->answer = (struct elfmap_file_symbol){
		.name = symbol->name,
		.vaddr = symbol->vaddr,
		.size = symbol->size,
		.has_section = symbol->section != 0,
		.section = symbol->section,
		.type = symbol->type,
		.binding = symbol->binding,
		.source = source_of(symbol->source),
	};
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_symbol(struct elfmap_file *file, size_t index,
				      struct elfmap_file_symbol *ret_symbol)
{
	return question_ask(file, tell_symbol, index, ret_symbol);
}

static void tell_initializer(void *argument)
{
	struct question *question = argument;
	size_t count;
	const struct elfmap_initializer *initializers =
		elfmap_initializers_without_source(question->file->map, &count);

	question->status = ELFMAP_NONE;
	if (question->at >= count)
		return;
	const struct elfmap_initializer *initializer = &initializers[question->at];
	*(struct elfmap_file_initializer *)question->answer = (struct elfmap_file_initializer){
		.array = initializer->array,
		.index = initializer->index,
		.slot_vaddr = initializer->slot_vaddr,
		.vaddr = initializer->vaddr,
		.has_offset = initializer->has_offset,
		.offset = initializer->offset,
		.function = initializer->symbol ? initializer->symbol->name : NULL,
	};
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_initializer(struct elfmap_file *file, size_t index,
					   struct elfmap_file_initializer *ret_initializer)
{
	return question_ask(file, tell_initializer, index, ret_initializer);
}

static void tell_note(void *argument)
{
	struct question *question = argument;
	const struct notes *notes = elfmap_notes(question->file->map);

	question->status = ELFMAP_NONE;
	if (question->at >= notes->list.count)
		return;
	*(const char **)question->answer = notes->list.items[question->at].text;
	question->status = ELFMAP_OK;
}

enum elfmap_status elfmap_file_note(struct elfmap_file *file, size_t index, const char **ret_text)
{
	return question_ask(file, tell_note, index, ret_text);
}
