// SPDX-License-Identifier: Apache-2.0
// Operations of storage as one document, or one JSON object per line.
#include "base/cleanup.h"
#include "model/iosum.h"
#include "render/columns/columns.h"
#include "render/columns/node.h"
#include "render/escape.h"
#include "render/json/fault.h"
#include "render/render.h"

/** Write those that are shown, @separator between two and @after behind each. */
static bool write_ios(const struct model *view, struct strbuf *buf, const char *separator,
		      const char *after, FILE *out)
{
	CLEANUP(emit_names_deinit) struct emit_names names;
	bool ok = true, is_first = true;

	emit_names_init(&names, view, escape_json, "null");
	for (size_t i = 0; ok && i < view->ios->count; i++) {
		if (view->ios->items[i].is_left_out)
			continue;
		strbuf_puts(buf, is_first ? "" : separator);
		is_first = false;
		faultjson_add_io(buf, view, &names, i);
		strbuf_puts(buf, after);
		ok = emit_drain(buf, FAULTJSON_DRAIN_BYTES, out);
	}
	return ok;
}

bool render_io_ndjson(const struct model *model, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);

	return write_ios(&view, &buf, "", "\n", out) && emit_drain(&buf, 0, out) &&
	       fflush(out) == 0;
}

bool render_io_json(const struct model *model, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	const struct model view = model_io_view(model, &arena);
	const struct iosum sum = iosum_of(&view);

	emit_answer_head(&buf, model, "elfault.io/1");
	emit_literal(&buf, ",\n\"total\":");
	if (!emit_drain(&buf, 0, out))
		return false;
	node_print(columns_new("io_count", &sum, NULL), out);
	emit_literal(&buf, ",\n\"operations\":[\n");
	bool ok = write_ios(&view, &buf, ",\n", "", out);

	emit_literal(&buf, "]}\n");
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
