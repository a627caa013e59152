// SPDX-License-Identifier: Apache-2.0
// Owners of relocations as a table for spreadsheets and data frames, a row each.
#include "render/map.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

#include <inttypes.h>

static void add_text(struct strbuf *buf, const char *text)
{
	escape_csv(buf, text ? text : "");
	strbuf_putc(buf, ',');
}

bool render_owners_csv(const struct map_model *model, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	strbuf_puts(&buf,
		    "kind,name,scope,source,section,vaddr,relocations,runs,pages,pages_alone\n");
	array_foreach (owner, model->owners.rows, model->owners.count) {
		add_text(&buf, owner->kind);
		add_text(&buf, owner->name);
		add_text(&buf, owner->scope);
		add_text(&buf, owner->source);
		add_text(&buf, owner->section);
		strbuf_printf(&buf,
			      "0x%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			      owner->vaddr, owner->relocations, owner->runs, owner->pages,
			      owner->pages_alone);
		ok = ok && emit_drain(&buf, 1 << 18, out);
	}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
