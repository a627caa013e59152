// SPDX-License-Identifier: Apache-2.0
// `elfault map --format json`: the document elfault.map/1, docs/schema/map.schema.json.
#include "render/map.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/escape.h"

#include <inttypes.h>
#include <json-c/json.h>

static void json_putp(struct json_object **object)
{
	json_object_put(*object);
}

static void add(struct json_object *object, const char *key, struct json_object *value)
{
	if (json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0)
		oom();
}

/** json-c writes the bytes it is given, so they are made UTF-8 first; NULL becomes null. */
static void add_text(struct json_object *object, const char *key, const char *text)
{
	struct strbuf valid = { 0 };
	struct json_object *value = NULL;

	if (text) {
		escape_utf8(&valid, text);
		value = json_object_new_string_len(strbuf_text(&valid),
						   (int)valid.length); // names are below 2 GiB
		strbuf_deinit(&valid);
		if (!value)
			oom();
	}
	add(object, key, value);
}

static void add_number(struct json_object *object, const char *key, bool is_there, uint64_t value)
{
	add(object, key, is_there ? json_object_new_uint64(value) : NULL);
}

/** Addresses are strings: JSON's numbers are not exact above 2^53. */
static void add_vaddr(struct json_object *object, const char *key, bool is_there, uint64_t value)
{
	char text[2 + 16 + 1];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	add(object, key, is_there ? json_object_new_string(text) : NULL);
}

static struct json_object *new_object(void)
{
	struct json_object *object = json_object_new_object();

	if (!object)
		oom();
	return object;
}

static void append(struct json_object *array, struct json_object *item)
{
	if (json_object_array_add(array, item) != 0)
		oom();
}

static struct json_object *segments(const struct map_model *model)
{
	struct json_object *array = json_object_new_array_ext((int)model->segment_count);

	for (size_t i = 0; i < model->segment_count; i++) {
		const struct map_segment *segment = &model->segments[i];
		struct json_object *item = new_object();

		add_number(item, "index", true, segment->index);
		add_text(item, "type", segment->type);
		add_text(item, "flags", segment->flags);
		add_number(item, "offset", true, segment->offset);
		add_number(item, "file_size", true, segment->file_size);
		add_vaddr(item, "vaddr", true, segment->vaddr);
		add_number(item, "memory_size", true, segment->memory_size);
		add_number(item, "align", true, segment->align);
		append(array, item);
	}
	return array;
}

static struct json_object *sections(const struct map_model *model)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < model->section_count; i++) {
		const struct map_section *section = &model->sections[i];
		struct json_object *item = new_object();

		add_number(item, "index", true, section->index);
		add_text(item, "name", section->name);
		add_number(item, "segment", section->has_segment, section->segment);
		add_text(item, "flags", section->flags);
		add_number(item, "offset", section->has_offset, section->offset);
		add_number(item, "size", true, section->size);
		add_vaddr(item, "vaddr", section->has_vaddr, section->vaddr);
		add_number(item, "pages", true, section->pages);
		append(array, item);
	}
	return array;
}

static struct json_object *symbols(const struct map_model *model)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < model->symbol_count; i++) {
		const struct map_symbol *symbol = &model->symbols[i];
		struct json_object *item = new_object();

		add_text(item, "name", symbol->name);
		add_text(item, "section", symbol->section);
		add_vaddr(item, "vaddr", true, symbol->vaddr);
		add_number(item, "offset", symbol->has_offset, symbol->offset);
		add_number(item, "size", true, symbol->size);
		append(array, item);
	}
	return array;
}

static struct json_object *initializers(const struct map_model *model)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < model->initializer_count; i++) {
		const struct map_initializer *initializer = &model->initializers[i];
		struct json_object *item = new_object();

		add_number(item, "index", true, initializer->index);
		add_text(item, "array", initializer->array);
		add_text(item, "function", initializer->function);
		add_vaddr(item, "vaddr", true, initializer->vaddr);
		add_number(item, "offset", initializer->has_offset, initializer->offset);
		add_number(item, "size", initializer->has_size, initializer->size);
		add_text(item, "source", initializer->source);
		append(array, item);
	}
	return array;
}

static struct json_object *mmaps(const struct map_model *model)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < model->mmap_count; i++) {
		const struct map_mmap *mmap = &model->mmaps[i];
		struct json_object *item = new_object();

		add_vaddr(item, "vaddr", true, mmap->vaddr);
		add_number(item, "size", true, mmap->size);
		add_number(item, "offset", mmap->has_offset, mmap->offset);
		add_text(item, "protection", mmap->protection);
		append(array, item);
	}
	return array;
}

static struct json_object *relocations(const struct map_relocations *from)
{
	struct json_object *object = new_object();

	add_number(object, "relative", true, from->relative);
	add_number(object, "symbolic", true, from->symbolic);
	add_number(object, "irelative", true, from->irelative);
	add_number(object, "tls", true, from->tls);
	add_number(object, "copy", true, from->copy);
	add_number(object, "jump_slot", true, from->jump_slot);
	add_text(object, "encoding", from->encoding);
	add_number(object, "table_bytes", true, from->table_bytes);
	return object;
}

static struct json_object *load(const struct map_model *model)
{
	struct json_object *object = new_object();

	add(object, "mmaps", mmaps(model));
	add(object, "relocations", relocations(&model->relocations));
	add_number(object, "pages_written_by_relocation", true, model->pages_written_by_relocation);
	add_number(object, "page_size", true, model->page_size);
	add_number(object, "relro_bytes", true, model->relro_bytes);
	add(object, "bind_now", json_object_new_boolean(model->bind_now));
	return object;
}

static struct json_object *notes(const struct map_model *model)
{
	struct json_object *array = json_object_new_array();

	vec_foreach (note, &model->notes.list) {
		struct strbuf text = { 0 };

		escape_utf8(&text, note->text);
		append(array, json_object_new_string(strbuf_text(&text)));
		strbuf_deinit(&text);
	}
	return array;
}

bool render_map_json(const struct map_model *model, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	CLEANUP(json_putp) struct json_object *root = new_object();

	add_text(root, "schema", "elfault.map/1");
	add_text(root, "path", model->path);
	add_number(root, "size", true, model->size);
	add_text(root, "type", model->type);
	add_text(root, "machine", model->machine);
	add_text(root, "soname", model->soname);
	add_text(root, "build_id", model->build_id);
	add_text(root, "interpreter", model->interpreter);
	add_text(root, "symbols", model->symbols_from);
	add(root, "segments", segments(model));
	add(root, "sections", sections(model));
	add(root, "symbols_by_size", symbols(model));
	add(root, "initializers", initializers(model));
	add(root, "load", load(model));
	add(root, "notes", notes(model));

	const char *text = json_object_to_json_string_ext(root, STYLE);
	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
