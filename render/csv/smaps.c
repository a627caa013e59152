// SPDX-License-Identifier: Apache-2.0
// Memory by section as a table for spreadsheets and data frames.
#include "render/smaps.h"

#include "base/cleanup.h"
#include "render/emit.h"
#include "render/escape.h"

static void add_amounts(struct strbuf *buf, const struct smaps_amounts *amounts)
{
	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++) {
		uint64_t bytes;

		strbuf_putc(buf, ',');
		if (amounts && smaps_amount(amounts, key, &bytes))
			emit_number(buf, bytes);
	}
}

static void add_headings(struct strbuf *buf, const char *prefix)
{
	for (enum smaps_key key = 0; key < SMAPS_KEYS; key++)
		strbuf_printf(buf, ",%s%s", prefix, smaps_key_word(key));
}

bool render_smaps_csv(const struct smaps_model *model, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	strbuf_puts(&buf, "path,section,grain");
	add_headings(&buf, "");
	strbuf_putc(&buf, '\n');
	for (size_t i = 0; i < model->object_count; i++)
		for (size_t j = 0; ok && j < model->objects[i].section_count; j++) {
			const struct smaps_section *section = &model->objects[i].sections[j];

			escape_csv(&buf, model->objects[i].path);
			strbuf_putc(&buf, ',');
			escape_csv(&buf, section->name);
			strbuf_printf(&buf, ",%s", smaps_grain_word(section->grain));
			add_amounts(&buf, &section->amounts);
			strbuf_putc(&buf, '\n');
			ok = emit_drain(&buf, 1 << 18, out);
		}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}

bool render_smaps_diff_csv(const struct smaps_comparison *comparison, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	bool ok = true;

	strbuf_puts(&buf, "path,section");
	add_headings(&buf, "before_");
	add_headings(&buf, "after_");
	strbuf_putc(&buf, '\n');
	for (size_t i = 0; ok && i < comparison->section_count; i++) {
		const struct smaps_pair *pair = &comparison->sections[i];

		escape_csv(&buf, pair->object);
		strbuf_putc(&buf, ',');
		escape_csv(&buf, pair->section);
		add_amounts(&buf, pair->before);
		add_amounts(&buf, pair->after);
		strbuf_putc(&buf, '\n');
		ok = emit_drain(&buf, 1 << 18, out);
	}
	return ok && emit_drain(&buf, 0, out) && fflush(out) == 0;
}
