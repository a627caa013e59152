// SPDX-License-Identifier: Apache-2.0
// The analysis as one JSON document. json-c builds the parts, which are written one a line: the
// document is never in memory whole.
#include "base/cleanup.h"
#include "model/prefault.h"
#include "render/columns/objects.h"
#include "render/escape.h"
#include "render/json/fault.h"
#include "render/columns/head.h"
#include "render/columns/node.h"
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

static void print_objects(const struct model *model, FILE *out)
{
	// Functions show in faults on any file: of a part of them, too few would.
	CLEANUP(localities_closep)
	struct localities *localities =
		model->filter || model->is_narrowed ? NULL : localities_find(model);

	const struct object_context context = { model, localities };

	for (size_t i = 0; !ferror(out) && i < model->shown_count; i++) {
		uint32_t id = model->shown[i];

		fputs(i > 0 ? ",\n" : "\n", out);
		print_part(columns_new("object", &model->objects[id], &context), out);
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
	print_part(columns_new("counts", &model->counts, NULL), out);
	struct json_object *account = columns_new("account", model->account, model);

	fputs(account ? ",\n\"account\":" : ",\n\"account\":null", out);
	if (account)
		print_part(account, out);
	fputs(",\n\"objects\":[", out);
	print_objects(model, out);
	fputs("],\n\"by_blame\":", out);
	print_part(columns_list("toucher", model->blamed, model->blamed_count,
				sizeof(*model->blamed), &(struct object_context){ .model = model }),
		   out);
	fputs(",\n\"prefaults\":", out);
	print_part(columns_list("prefault", model->prefaults, model->prefault_count,
				sizeof(*model->prefaults), NULL),
		   out);
	fputs(",\n\"storage\":", out);
	print_part(columns_new("disk_reads", model->storage, NULL), out);
	fputs(",\n\"findings\":", out);
	print_part(findings_new(model), out);
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
