// SPDX-License-Identifier: Apache-2.0
// `elfault smaps` as JSON: docs/schema/smaps.schema.json and smaps-diff.schema.json.
#include "render/smaps.h"

#include "base/cleanup.h"
#include "render/columns/head.h"
#include "render/columns/node.h"

static struct json_object *amounts_to_json(const struct smaps_amounts *amounts)
{
	struct json_object *object = node_object();

	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		uint64_t bytes;
		bool is_known = smaps_amount(amounts, key, &bytes);

		node_add_known(object, smaps_key_word(key), is_known, bytes);
	}
	return object;
}

static struct json_object *processes_to_json(const struct smaps_model *model)
{
	struct json_object *array = node_array();

	for (size_t i = 0; i < model->process_count; i++) {
		const struct smaps_process *process = &model->processes[i];
		struct json_object *item = node_object();

		node_add_known(item, "pid", process->pid != 0, process->pid);
		node_add_text(item, "name", process->name);
		node_add_number(item, "mappings", process->mapping_count);
		node_add(item, "amounts", amounts_to_json(&process->amounts));
		node_append(array, item);
	}
	return array;
}

static struct json_object *sections_to_json(const struct smaps_object *object)
{
	struct json_object *array = node_array();

	for (size_t i = 0; i < object->section_count; i++) {
		const struct smaps_section *section = &object->sections[i];
		struct json_object *item = node_object();

		node_add_text(item, "section", section->name);
		node_add_text(item, "grain", smaps_grain_word(section->grain));
		node_add(item, "amounts", amounts_to_json(&section->amounts));
		node_append(array, item);
	}
	return array;
}

static struct json_object *objects_to_json(const struct smaps_model *model)
{
	struct json_object *array = node_array();

	for (size_t i = 0; i < model->object_count; i++) {
		const struct smaps_object *object = &model->objects[i];
		struct json_object *item = node_object();

		node_add_text(item, "path", object->path);
		node_add_number(item, "mappings", object->mapping_count);
		node_add(item, "amounts", amounts_to_json(&object->amounts));
		node_add(item, "sections", sections_to_json(object));
		node_append(array, item);
	}
	return array;
}

static bool print(struct json_object *root, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	const char *text = json_object_to_json_string_ext(root, STYLE);

	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}

bool render_smaps_json(const struct smaps_model *model, FILE *out)
{
	CLEANUP(node_putp) struct json_object *root = node_object();

	node_add_text(root, "schema", "elfault.smaps/1");
	node_add_text(root, "source", model->source);
	node_add_bool(root, "by_page", model->has_pages);
	node_add_number(root, "mappings", model->mapping_count);
	node_add(root, "amounts", amounts_to_json(&model->amounts));
	node_add(root, "processes", processes_to_json(model));
	node_add(root, "objects", objects_to_json(model));
	node_add(root, "notes", headjson_notes(&model->notes));
	return print(root, out);
}

// ---- Comparison -------------------------------------------------------------------------------

static struct json_object *side_to_json(const struct smaps_model *model)
{
	struct json_object *object = node_object();

	node_add_text(object, "source", model->source);
	node_add_bool(object, "by_page", model->has_pages);
	node_add_number(object, "mappings", model->mapping_count);
	node_add(object, "amounts", amounts_to_json(&model->amounts));
	node_add(object, "processes", processes_to_json(model));
	node_add(object, "notes", headjson_notes(&model->notes));
	return object;
}

static struct json_object *change_to_json(const struct smaps_pair *pair)
{
	struct json_object *object = node_object();

	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		int64_t change;

		if (smaps_pair_change(pair, key, &change))
			node_add_change(object, smaps_key_word(key), change);
		else
			node_add(object, smaps_key_word(key), NULL);
	}
	return object;
}

static struct json_object *pairs_to_json(const struct smaps_pair *pairs, size_t count)
{
	struct json_object *array = node_array();

	for (size_t i = 0; i < count; i++) {
		const struct smaps_pair *pair = &pairs[i];
		struct json_object *item = node_object();

		node_add_text(item, "path", pair->object);
		if (pair->section)
			node_add_text(item, "section", pair->section);
		node_add(item, "before", pair->before ? amounts_to_json(pair->before) : NULL);
		node_add(item, "after", pair->after ? amounts_to_json(pair->after) : NULL);
		node_add(item, "change", change_to_json(pair));
		node_append(array, item);
	}
	return array;
}

bool render_smaps_diff_json(const struct smaps_comparison *comparison, FILE *out)
{
	CLEANUP(node_putp) struct json_object *root = node_object();

	node_add_text(root, "schema", "elfault.smaps-diff/1");
	node_add(root, "before", side_to_json(comparison->before));
	node_add(root, "after", side_to_json(comparison->after));
	node_add(root, "objects", pairs_to_json(comparison->objects, comparison->object_count));
	node_add(root, "sections", pairs_to_json(comparison->sections, comparison->section_count));
	return print(root, out);
}
