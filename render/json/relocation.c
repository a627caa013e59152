// SPDX-License-Identifier: Apache-2.0
#include "render/json/relocation.h"

static struct json_object *counts_new(const struct model_relocation *relocation)
{
	struct json_object *object = node_object();

	for (enum model_relocation_class i = 0; i < MODEL_RELOCATION_CLASSES; i++)
		node_add_number(object, model_relocation_class_name(i), relocation->counts[i]);
	return object;
}

static struct json_object *encodings_new(const struct model_relocation *relocation)
{
	struct json_object *list = node_array();

	if (relocation->uses_relr)
		node_append(list, node_text("relr"));
	if (relocation->uses_rel)
		node_append(list, node_text("rel"));
	if (relocation->uses_rela)
		node_append(list, node_text("rela"));
	return list;
}

static struct json_object *count_new(const struct model_count *count)
{
	struct json_object *object = node_object();

	node_add_number(object, "faults", count->faults);
	node_add_number(object, "major", count->major);
	node_add_number(object, "duration_ns", count->duration_ns);
	return object;
}

static struct json_object *relro_new(const struct model_relocation *relocation)
{
	struct json_object *object;

	if (relocation->relro_bytes == 0)
		return NULL; // JSON's null
	object = node_object();
	node_add_number(object, "bytes", relocation->relro_bytes);
	node_add_number(object, "pages", relocation->relro_pages);
	node_add_number(object, "pages_written", relocation->relro_pages_written);
	return object;
}

static struct json_object *sections_new(const struct model_relocation *relocation)
{
	struct json_object *list = node_array();

	array_foreach (section, relocation->sections, relocation->section_count) {
		struct json_object *object = node_object();

		node_add_text(object, "section", section->name);
		node_add_number(object, "relocations", section->relocations);
		node_add_number(object, "pages_holding", section->pages_holding);
		node_add_number(object, "pages_written", section->pages_written);
		node_add_number(object, "size", section->size);
		node_append(list, object);
	}
	return list;
}

static struct json_object *tables_new(const struct model_relocation *relocation)
{
	struct json_object *list = node_array();

	array_foreach (table, relocation->tables, relocation->table_count) {
		struct json_object *object = node_object();

		node_add_text(object, "table", table->name);
		node_add_text(object, "holds", table->is_lookup ? "names" : "relocations");
		node_add_number(object, "size", table->size);
		node_add_number(object, "pages", table->pages);
		node_add_number(object, "pages_mapped", table->pages_mapped);
		node_add_number(object, "faults", table->faults);
		node_append(list, object);
	}
	return list;
}

static struct json_object *names_new(const struct model_relocation *relocation)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < relocation->lookup_count; i++) {
		struct json_object *object = node_object();

		node_add_text(object, "name", relocation->lookups[i].name);
		node_add_number(object, "faults", relocation->lookups[i].faults);
		node_append(list, object);
	}
	return list;
}

static struct json_object *relinks_new(const struct model_relocation *relocation)
{
	struct json_object *list = node_array();

	array_foreach (relink, relocation->relinks, relocation->relink_count) {
		struct json_object *object = node_object();

		node_add_text(object, "option", relink->option);
		node_add_bool(object, "applies", relink->applies);
		node_add_number(object, "relocations", relink->relocations);
		node_add_change(object, "table_bytes", relink->table_bytes);
		node_add_change(object, "table_pages", relink->table_pages);
		node_add_change(object, "written_pages", relink->written_pages);
		node_add_change(object, "lookups", relink->lookups);
		node_add_text(object, "reason", relink->reason);
		node_append(list, object);
	}
	return list;
}

struct json_object *relocationjson_new(const struct model_relocation *relocation)
{
	struct json_object *object;

	if (!relocation)
		return NULL; // JSON's null
	object = node_object();
	node_add(object, "counts", counts_new(relocation));
	node_add(object, "encodings", encodings_new(relocation));
	node_add_bool(object, "bind_now", relocation->bind_now);
	node_add_number(object, "table_bytes", relocation->table_bytes);
	node_add_number(object, "lookups_at_load", relocation->lookups_at_load);
	node_add_number(object, "pages_holding", relocation->pages_holding);
	node_add_number(object, "pages_written", relocation->pages_written);
	node_add(object, "relro", relro_new(relocation));
	node_add(object, "relocation", count_new(&relocation->relocation));
	node_add(object, "symbol_lookup", count_new(&relocation->lookup));
	node_add(object, "by_section", sections_new(relocation));
	node_add(object, "tables", tables_new(relocation));
	node_add(object, "names", names_new(relocation));
	node_add(object, "relinks", relinks_new(relocation));
	return object;
}
