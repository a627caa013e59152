// SPDX-License-Identifier: Apache-2.0
// `elfault whatif` as JSON: docs/schema/whatif.schema.json.
#include "render/whatif.h"

#include "base/cleanup.h"
#include "render/columns/head.h"
#include "render/columns/node.h"

static struct json_object *sum_new(const struct whatif_answer *answer, const struct whatif_sum *sum,
				   bool has_faults, bool has_time)
{
	struct json_object *object = node_object();

	node_add_known(object, "faults", has_faults, sum->faults);
	node_add_number(object, "major", sum->major);
	node_add_known(object, "read_bytes", !has_faults || answer->has_reads, sum->read_bytes);
	node_add_known(object, "duration_ns", has_time, sum->duration_ns);
	return object;
}

static struct json_object *cure_new(const struct whatif_answer *answer, const struct whatif *row)
{
	struct json_object *object = node_object();

	node_add_text(object, "cure", row->cure);
	node_add_text(object, "group", whatif_group_name(row->group));
	node_add_text(object, "title", row->title);
	node_add_text(object, "object", row->object);
	node_add_bool(object, "applies", row->applies);
	node_add_text(object, "how", row->how);
	node_add_text(object, "reason", row->reason);
	node_add(object, "after",
		 row->applies ? sum_new(answer, &row->after, row->group != WHATIF_COLD_START,
					row->has_time)
			      : NULL);
	node_add_bool(object, "bound", row->saves.is != MODEL_PREDICTION);
	node_add_text(object, "saves",
		      row->saves.is == MODEL_PREDICTION ? NULL : model_bound_name(row->saves.is));
	node_add_bool(object, "bound_of_major", row->is_major_bound);
	node_add_known(object, "error_percent", row->applies && row->saves.is == MODEL_PREDICTION,
		       row->error_percent);
	return object;
}

static struct json_object *linking_new(const struct model *model,
				       const struct whatif_answer *answer)
{
	struct json_object *object = sum_new(answer, &answer->linking.sum, true, answer->has_time);
	struct json_object *files = node_array();

	array_foreach (file, answer->linking.files, answer->linking.file_count) {
		struct json_object *item = node_object();

		node_add_text(item, "object", model->objects[file->object].path);
		node_add_number(item, "relative_pages", file->relative);
		node_add_number(item, "libstdcxx_pages", file->cxx);
		node_add_number(item, "other_pages", file->other);
		node_append(files, item);
	}
	node_add(object, "written", files);
	return object;
}

bool render_whatif_json(const struct model *model, const struct whatif_answer *answer, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE };
	CLEANUP(node_putp) struct json_object *root = node_object();
	struct json_object *cures = node_array();

	array_foreach (row, answer->items, answer->count)
		node_append(cures, cure_new(answer, row));
	node_add_text(root, "schema", "elfault.whatif/1");
	node_add(root, "trace", headjson_trace(model));
	node_add_text(root, "program",
		      answer->program == MODEL_NONE ? NULL : model->objects[answer->program].path);
	node_add_bool(root, "cold", answer->was_cold);
	node_add_number(root, "fault_around_bytes", answer->around);
	node_add(root, "before", sum_new(answer, &answer->before, true, answer->has_time));
	node_add(root, "dynamic_linking", linking_new(model, answer));
	node_add(root, "cures", cures);
	node_add(root, "notes", headjson_notes(&model->notes));

	const char *text = json_object_to_json_string_ext(root, STYLE);
	if (!text)
		oom();
	return fputs(text, out) >= 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}

bool render_whatif_ndjson(const struct whatif_answer *answer, FILE *out)
{
	enum { STYLE = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE };
	bool ok = true;

	array_foreach (row, answer->items, answer->count) {
		CLEANUP(node_putp) struct json_object *object = cure_new(answer, row);
		const char *text = json_object_to_json_string_ext(object, STYLE);

		if (!text)
			oom();
		ok = ok && fputs(text, out) >= 0 && fputc('\n', out) != EOF;
	}
	return ok && fflush(out) == 0;
}
