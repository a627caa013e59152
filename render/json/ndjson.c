// SPDX-License-Identifier: Apache-2.0
// The faults, one JSON object a line.
#include "render/escape.h"
#include "base/cleanup.h"
#include "render/json/fault.h"
#include "render/render.h"

bool render_ndjson(const struct model *model, FILE *out)
{
	struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	emit_names_init(&names, model, escape_json, "null");
	for (size_t i = 0; ok && i < model->fault_count; i++) {
		faultjson_add(&buf, model, &names, i);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, FAULTJSON_DRAIN_BYTES, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	emit_names_deinit(&names);
	return ok;
}
