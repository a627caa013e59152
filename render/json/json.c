// SPDX-License-Identifier: Apache-2.0
// The analysis as one JSON document. json-c builds the parts, which are written one a line: the
// document is never in memory whole.
#include "base/cleanup.h"
#include "model/binding.h"
#include "model/listing.h"
#include "model/prefault.h"
#include "render/columns/objects.h"
#include "render/escape.h"
#include "render/json/fault.h"
#include "render/columns/head.h"
#include "render/columns/node.h"
#include "render/render.h"

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
		node_print(columns_new("object", &model->objects[id], &context), out);
	}
}

static bool print_faults(const struct model *model, FILE *out)
{
	CLEANUP(emit_names_deinit) struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	emit_names_init(&names, model, escape_json, "null");
	for (size_t i = 0; ok && i < model->fault_count; i++) {
		strbuf_puts(&buf, i > 0 ? ",\n" : "\n");
		faultjson_add(&buf, model, &names, i, NULL);
		ok = emit_drain(&buf, FAULTJSON_DRAIN_BYTES, out);
	}
	ok = ok && emit_drain(&buf, 0, out);
	return ok;
}

bool render_json(const struct model *model, bool faults, FILE *out)
{
	fputs("{\"schema\":\"elfault.analysis/1\",\n\"trace\":", out);
	node_print(headjson_trace(model), out);
	if (model->filter) {
		fputs(",\n\"filter\":", out);
		node_print(node_text(model->filter), out);
	} else {
		fputs(",\n\"filter\":null", out);
	}
	fputs(",\n\"counts\":", out);
	node_print(columns_new("counts", &model->counts, NULL), out);
	struct json_object *account = columns_new("account", model->account, model);

	fputs(account ? ",\n\"account\":" : ",\n\"account\":null", out);
	if (account)
		node_print(account, out);
	fputs(",\n\"set\":", out);
	node_print(columns_new("run_set", model->set, NULL), out);
	fputs(",\n\"objects\":[", out);
	print_objects(model, out);
	fputs("],\n\"by_blame\":", out);
	node_print(columns_list("toucher", model->blamed, model->blamed_count,
				sizeof(*model->blamed), &(struct object_context){ .model = model }),
		   out);
	fputs(",\n\"prefaults\":", out);
	node_print(columns_list("prefault", model->prefaults, model->prefault_count,
				sizeof(*model->prefaults), NULL),
		   out);
	fputs(",\n\"library_search\":", out);
	node_print(columns_new("library_search", model->searches, model), out);
	fputs(",\n\"bindings\":", out);
	node_print(columns_list("loading", model->bindings ? model->bindings->loadings : NULL,
				model->bindings ? model->bindings->count : 0,
				sizeof(struct model_loading), model),
		   out);
	fputs(",\n\"storage\":", out);
	node_print(columns_new("disk_reads", model->storage, NULL), out);
	fputs(",\n\"findings\":", out);
	node_print(columns_list("finding", model->findings, model->finding_count,
				sizeof(*model->findings), model),
		   out);
	if (model->listings) {
		fputs(",\n\"listings\":", out);
		node_print(columns_list("listing", model->listings, model->listing_count,
					sizeof(*model->listings), model),
			   out);
	}
	fputs(",\n\"notes\":", out);
	node_print(headjson_notes(&model->notes), out);
	if (faults) {
		fputs(",\n\"faults\":[", out);
		if (!print_faults(model, out))
			return false;
		fputs("]", out);
	}
	fputs("}\n", out);
	return fflush(out) == 0 && !ferror(out);
}
