// SPDX-License-Identifier: Apache-2.0
// The analysis as one JSON document. json-c builds the parts, which are written one a line: the
// document is never in memory whole.
#include "base/cleanup.h"
#include "model/prefault.h"
#include "render/columns/columns.h"
#include "render/json/account.h"
#include "render/escape.h"
#include "render/json/fault.h"
#include "render/json/finding.h"
#include "render/json/head.h"
#include "render/json/initializers.h"
#include "render/json/locality.h"
#include "render/json/node.h"
#include "render/render.h"

/** Write @object and give it back. */
static void print_part(struct json_object *object, FILE *out)
{
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);

	if (!text)
		oom();
	fputs(text, out);
	json_object_put(object);
}

static struct json_object *initiators_new(const struct model_object *row)
{
	struct json_object *object = node_object();

	for (enum model_initiator i = 0; i < MODEL_INITIATORS; i++)
		node_add_number(object, model_initiator_name(i), row->by_initiator[i]);
	return object;
}

static struct json_object *mechanisms_new(const struct model_object *row)
{
	struct json_object *object = node_object();

	for (enum model_mechanism i = 0; i < MODEL_MECHANISMS; i++)
		node_add_number(object, model_mechanism_name(i), row->by_mechanism[i]);
	return object;
}

static struct json_object *accesses_new(const struct model_object *row)
{
	struct json_object *object = node_object();

	for (enum model_access i = 0; i < MODEL_ACCESSES; i++)
		node_add_number(object, model_access_name(i), row->by_access[i]);
	return object;
}

static struct json_object *sections_new(const struct model *model, const struct model_object *row)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < row->section_count; i++) {
		const struct model_section *section = &model->sections[row->sections[i]];
		struct json_object *object = node_object();

		node_add_text(object, "section", section->name);
		node_add_number(object, "faults", section->count.faults);
		node_add_number(object, "major", section->count.major);
		node_add_known(object, "read_bytes", model->trace.has_reads,
			       model_read_bytes(model, &section->count));
		node_add_number(object, "pages", section->pages);
		node_add_known(object, "size", section->size > 0, section->size);
		node_append(list, object);
	}
	return list;
}

static struct json_object *symbols_new(const struct model *model, const struct model_object *row)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < row->symbol_count; i++) {
		const struct model_symbol *symbol = &model->symbols[row->symbols_touched[i]];
		struct json_object *object = node_object();

		node_add_text(object, "symbol", symbol->name);
		node_add_text(object, "symbol_kind", model_symbol_kind_name(symbol->kind));
		node_add_text(object, "section",
			      symbol->section == MODEL_NONE
				      ? NULL
				      : model->sections[symbol->section].name);
		node_add_known(object, "offset", symbol->has_offset, symbol->offset);
		node_add_number(object, "size", symbol->size);
		node_add_number(object, "faults", symbol->count.faults);
		node_add_number(object, "major", symbol->count.major);
		node_append(list, object);
	}
	return list;
}

static struct json_object *touchers_new(const struct model *model,
					const struct model_toucher *touchers, size_t count)
{
	struct json_object *list = node_array();

	array_foreach (toucher, touchers, count) {
		struct json_object *object = node_object();
		bool known = toucher->function != MODEL_NONE;
		const struct model_function *function =
			known ? &model->functions[toucher->function] : NULL;

		node_add_text(object, "function", known ? function->name : NULL);
		node_add_text(object, "object",
			      known && function->object != MODEL_NONE
				      ? model->objects[function->object].path
				      : NULL);
		node_add_number(object, "faults", toucher->count.faults);
		node_add_number(object, "major", toucher->count.major);
		node_append(list, object);
	}
	return list;
}

static struct json_object *initializers_new(const struct model *model,
					    const struct model_object *row)
{
	struct json_object *list = node_array();

	for (size_t i = 0; i < row->initializer_count; i++)
		node_append(list,
			    initjson_new(model, &model->initializers[row->first_initializer + i],
					 NULL));
	return list;
}

static struct json_object *object_new(const struct model *model, const struct model_object *row,
				      const struct locality *locality)
{
	struct json_object *object = node_object();

	node_add_text(object, "path", row->path);
	node_add_text(object, "soname", row->soname);
	node_add_text(object, "build_id", row->build_id);
	node_add_known(object, "size", row->size > 0, row->size);
	node_add_text(object, "symbols", row->symbols);
	node_add_bool(object, "forced", row->is_forced);
	node_add_number(object, "faults", row->count.faults);
	node_add_number(object, "major", row->count.major);
	node_add_number(object, "duration_ns", row->count.duration_ns);
	node_add_known(object, "read_bytes", model->trace.has_reads,
		       model_read_bytes(model, &row->count));
	node_add(object, "by_initiator", initiators_new(row));
	node_add(object, "by_mechanism", mechanisms_new(row));
	node_add(object, "by_access", accesses_new(row));
	node_add(object, "by_section", sections_new(model, row));
	node_add(object, "by_symbol", symbols_new(model, row));
	node_add(object, "by_function", touchers_new(model, row->touchers, row->toucher_count));
	node_add(object, "by_blame", touchers_new(model, row->blamed, row->blamed_count));
	node_add(object, "initializers", initializers_new(model, row));
	node_add(object, "relocation", columns_new("relocation", row->relocation, NULL));
	node_add(object, "data", columns_new("data", row->data, NULL));
	node_add(object, "locality", localityjson_new(row->is_file ? locality : NULL));
	return object;
}

static void print_objects(const struct model *model, FILE *out)
{
	// Functions show in faults on any file: of a part of them, too few would.
	CLEANUP(localities_closep)
	struct localities *localities =
		model->filter || model->is_narrowed ? NULL : localities_find(model);

	for (size_t i = 0; !ferror(out) && i < model->shown_count; i++) {
		uint32_t id = model->shown[i];

		fputs(i > 0 ? ",\n" : "\n", out);
		print_part(object_new(model, &model->objects[id],
				      localities ? &localities->objects[id] : NULL),
			   out);
	}
}

static bool print_faults(const struct model *model, FILE *out)
{
	struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	emit_names_init(&names, model, escape_json, "null");
	for (size_t i = 0; ok && i < model->fault_count; i++) {
		strbuf_puts(&buf, i > 0 ? ",\n" : "\n");
		faultjson_add(&buf, model, &names, i, NULL);
		ok = emit_drain(&buf, FAULTJSON_DRAIN_BYTES, out);
	}
	ok = ok && emit_drain(&buf, 0, out);
	emit_names_deinit(&names);
	return ok;
}

bool render_json(const struct model *model, bool faults, FILE *out)
{
	fputs("{\"schema\":\"elfault.analysis/1\",\n\"trace\":", out);
	print_part(headjson_trace(model), out);
	if (model->filter) {
		fputs(",\n\"filter\":", out);
		print_part(node_text(model->filter), out);
	} else {
		fputs(",\n\"filter\":null", out);
	}
	fputs(",\n\"counts\":", out);
	print_part(headjson_counts(&model->counts), out);
	struct json_object *account = accountjson_new(model);

	fputs(account ? ",\n\"account\":" : ",\n\"account\":null", out);
	if (account)
		print_part(account, out);
	fputs(",\n\"objects\":[", out);
	print_objects(model, out);
	fputs("],\n\"by_blame\":", out);
	print_part(touchers_new(model, model->blamed, model->blamed_count), out);
	fputs(",\n\"prefaults\":", out);
	print_part(columns_list("prefault", model->prefaults, model->prefault_count,
				sizeof(*model->prefaults), NULL),
		   out);
	fputs(",\n\"storage\":", out);
	print_part(columns_new("disk_reads", model->storage, NULL), out);
	fputs(",\n\"findings\":", out);
	print_part(findingjson_new(model), out);
	fputs(",\n\"notes\":", out);
	print_part(headjson_notes(&model->notes), out);
	if (faults) {
		fputs(",\n\"faults\":[", out);
		if (!print_faults(model, out))
			return false;
		fputs("]", out);
	}
	fputs("}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
