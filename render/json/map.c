// SPDX-License-Identifier: Apache-2.0
// `elfault map --format json`: the document elfault.map/1, docs/schema/map.schema.json.
#include "render/map.h"

#include "base/cleanup.h"
#include "render/json/head.h"
#include "render/json/node.h"

static struct json_object *segments(const struct map_model *model)
{
	struct json_object *array = node_array();

	array_foreach (segment, model->segments, model->segment_count) {
		struct json_object *item = node_object();

		node_add_number(item, "index", segment->index);
		node_add_text(item, "type", segment->type);
		node_add_text(item, "flags", segment->flags);
		node_add_number(item, "offset", segment->offset);
		node_add_number(item, "file_size", segment->file_size);
		node_add_address(item, "vaddr", true, segment->vaddr);
		node_add_number(item, "memory_size", segment->memory_size);
		node_add_number(item, "align", segment->align);
		node_append(array, item);
	}
	return array;
}

static struct json_object *sections(const struct map_model *model)
{
	struct json_object *array = node_array();

	array_foreach (section, model->sections, model->section_count) {
		struct json_object *item = node_object();

		node_add_number(item, "index", section->index);
		node_add_text(item, "name", section->name);
		node_add_known(item, "segment", section->has_segment, section->segment);
		node_add_text(item, "flags", section->flags);
		node_add_known(item, "offset", section->has_offset, section->offset);
		node_add_number(item, "size", section->size);
		node_add_address(item, "vaddr", section->has_vaddr, section->vaddr);
		node_add_number(item, "pages", section->pages);
		node_append(array, item);
	}
	return array;
}

static struct json_object *symbols(const struct map_model *model)
{
	struct json_object *array = node_array();

	array_foreach (symbol, model->symbols, model->symbol_count) {
		struct json_object *item = node_object();

		node_add_text(item, "name", symbol->name);
		node_add_text(item, "section", symbol->section);
		node_add_address(item, "vaddr", true, symbol->vaddr);
		node_add_known(item, "offset", symbol->has_offset, symbol->offset);
		node_add_number(item, "size", symbol->size);
		node_append(array, item);
	}
	return array;
}

static struct json_object *initializers(const struct map_model *model)
{
	struct json_object *array = node_array();

	array_foreach (initializer, model->initializers, model->initializer_count) {
		struct json_object *item = node_object();

		node_add_number(item, "index", initializer->index);
		node_add_text(item, "array", initializer->array);
		node_add_text(item, "function", initializer->function);
		node_add_address(item, "vaddr", true, initializer->vaddr);
		node_add_known(item, "offset", initializer->has_offset, initializer->offset);
		node_add_known(item, "size", initializer->has_size, initializer->size);
		node_add_text(item, "source", initializer->source);
		node_append(array, item);
	}
	return array;
}

static struct json_object *mmaps(const struct map_model *model)
{
	struct json_object *array = node_array();

	array_foreach (mmap, model->mmaps, model->mmap_count) {
		struct json_object *item = node_object();

		node_add_address(item, "vaddr", true, mmap->vaddr);
		node_add_number(item, "size", mmap->size);
		node_add_known(item, "offset", mmap->has_offset, mmap->offset);
		node_add_text(item, "protection", mmap->protection);
		node_append(array, item);
	}
	return array;
}

static struct json_object *relocations(const struct map_relocations *from)
{
	struct json_object *object = node_object();

	node_add_number(object, "relative", from->relative);
	node_add_number(object, "symbolic", from->symbolic);
	node_add_number(object, "irelative", from->irelative);
	node_add_number(object, "tls", from->tls);
	node_add_number(object, "copy", from->copy);
	node_add_number(object, "jump_slot", from->jump_slot);
	node_add_text(object, "encoding", from->encoding);
	node_add_number(object, "table_bytes", from->table_bytes);
	return object;
}

static struct json_object *load(const struct map_model *model)
{
	struct json_object *object = node_object();

	node_add(object, "mmaps", mmaps(model));
	node_add(object, "relocations", relocations(&model->relocations));
	node_add_number(object, "pages_written_by_relocation", model->pages_written_by_relocation);
	node_add_number(object, "page_size", model->page_size);
	node_add_number(object, "relro_bytes", model->relro_bytes);
	node_add_bool(object, "bind_now", model->bind_now);
	return object;
}

bool render_map_json(const struct map_model *model, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	CLEANUP(node_putp) struct json_object *root = node_object();

	node_add_text(root, "schema", "elfault.map/1");
	node_add_text(root, "path", model->path);
	node_add_number(root, "size", model->size);
	node_add_text(root, "type", model->type);
	node_add_text(root, "machine", model->machine);
	node_add_text(root, "soname", model->soname);
	node_add_text(root, "build_id", model->build_id);
	node_add_text(root, "interpreter", model->interpreter);
	node_add_text(root, "symbols", model->symbols_from);
	node_add(root, "segments", segments(model));
	node_add(root, "sections", sections(model));
	node_add(root, "symbols_by_size", symbols(model));
	node_add(root, "initializers", initializers(model));
	node_add(root, "load", load(model));
	node_add(root, "notes", headjson_notes(&model->notes));

	const char *text = json_object_to_json_string_ext(root, STYLE);
	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}
