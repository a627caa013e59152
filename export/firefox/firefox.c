// SPDX-License-Identifier: Apache-2.0
#include "export/firefox/firefox.h"

#include "base/cleanup.h"
#include "export/export.h"
#include "render/emit.h"

static void firefox_deinit(struct firefox *to)
{
	strbuf_deinit(&to->buf);
	calltree_deinit(&to->tree);
	tracks_deinit(&to->tracks);
	textids_deinit(&to->strings);
	u64map_deinit(&to->touched);
	arena_deinit(&to->arena);
}

export_tool_writer export_firefox;

bool export_firefox(const struct model *model, const struct export_tool_options *options, FILE *out,
		    struct err *err)
{
	CLEANUP(firefox_deinit)
	struct firefox to = { .model = model, .out = out, .ok = true, .tree.model = model };

	tracks_init(&to.tracks, model);
	to.view = model_io_view(model, &to.arena);
	strbuf_putc(&to.buf, '{');
	firefox_add_meta(&to);
	firefox_add_counters(&to);
	firefox_add_threads(&to);
	firefox_add_tables(&to);
	emit_literal(&to.buf, "}\n");
	to.ok = to.ok && emit_drain(&to.buf, 0, out);
	return (to.ok && fflush(out) == 0) || err_os(err, "writing");
}
