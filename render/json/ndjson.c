// SPDX-License-Identifier: Apache-2.0
// The faults, one JSON object a line.
#include "render/escape.h"
#include "base/cleanup.h"
#include "render/json/fault.h"
#include "render/json/stackids.h"
#include "render/render.h"

bool render_ndjson(const struct model *model, bool with_stack_ids, FILE *out)
{
	CLEANUP(emit_names_deinit) struct emit_names names;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(stackids_deinit) struct stackids ids = { 0 };
	bool ok = true;

	emit_names_init(&names, model, escape_json, "null");
	for (size_t i = 0; ok && i < model->fault_count; i++) {
		uint32_t stack = model->faults[i].stack;

		if (with_stack_ids && stack != MODEL_NONE)
			stackids_define(&ids, &buf, model, &names, stack);
		faultjson_add(&buf, model, &names, i, with_stack_ids ? &ids : NULL);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, FAULTJSON_DRAIN_BYTES, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	return ok;
}
