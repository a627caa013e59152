// SPDX-License-Identifier: Apache-2.0
// Initializers as a table for spreadsheets and data frames.
#include "base/cleanup.h"
#include "model/account.h"
#include "render/emit.h"
#include "render/escape.h"
#include "render/initrows.h"

static const char heading[] =
	"object,array,index,function,offset,source,faults,lazy_binding,major,duration_ns,own_ns,"
	"late_ns,pages,code_pages,code_pages_only,first_ns,last_ns,read_bytes,cpu_ns,wait_ns,"
	"storage_bytes,package\n";

/** A field of text; nothing stands for NULL. */
static void add_text(struct strbuf *buf, const char *text)
{
	if (text)
		escape_csv(buf, text);
}

static void add_number(struct strbuf *buf, bool known, uint64_t number)
{
	strbuf_putc(buf, ',');
	if (known)
		emit_number(buf, number);
}

bool render_initializers_csv(const struct model *model,
			     const struct render_initializers_options *options, FILE *out)
{
	CLEANUP(arena_deinit) struct arena arena = { 0 };
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	const struct initrows rows = initrows_select(model, options, &arena);
	bool ok = true;

	strbuf_puts(&buf, heading);
	for (size_t i = 0; ok && i < rows.count; i++) {
		const struct model_initializer *row = &model->initializers[rows.rows[i]];

		add_text(&buf, model->objects[row->object].path);
		strbuf_putc(&buf, ',');
		add_text(&buf, row->array);
		add_number(&buf, true, row->index);
		strbuf_putc(&buf, ',');
		add_text(&buf, row->function);
		add_number(&buf, row->has_offset, row->offset);
		strbuf_putc(&buf, ',');
		add_text(&buf, row->source);
		add_number(&buf, true, row->count.faults);
		add_number(&buf, true, row->lazy_binding);
		add_number(&buf, true, row->count.major);
		add_number(&buf, true, row->count.duration_ns);
		add_number(&buf, true, row->count.own_ns);
		add_number(&buf, true, row->count.late_ns);
		add_number(&buf, true, row->pages);
		add_number(&buf, true, row->code_pages);
		add_number(&buf, true, row->code_pages_only);
		add_number(&buf, row->count.faults > 0, row->first_ns);
		add_number(&buf, row->count.faults > 0, row->last_ns);
		add_number(&buf, true, model_read_bytes(model, &row->count));
		add_number(&buf, model->account && model->account->samples > 0, row->cpu_ns);
		add_number(&buf, model->account, row->wait_ns);
		add_number(&buf, model->storage, row->storage_bytes);
		strbuf_putc(&buf, ',');
		add_text(&buf, row->package);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, 1 << 18, out);
	}
	ok = ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
	return ok;
}
