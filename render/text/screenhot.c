// SPDX-License-Identifier: Apache-2.0
// The functions that computed most, on the screen.
#include "render/text/text.h"

#include "base/strbuf.h"

#include <string.h>

enum { FUNCTIONS = 2, LEAST_PERCENT = 3, NAME_COLUMNS = 32 };

/** A function's name; of code without one, the file that it is in. */
static const char *short_name(struct text *text, const struct hot_row *row, uint32_t function)
{
	const struct model *model = text->model;
	const char *name = text_hot_name(text, row, function);

	// Names that are made up of where a function begins say less.
	if (function != MODEL_NONE && (!model->functions[function].name ||
				       strncmp(model->functions[function].name, "fn@", 3) == 0))
		name = text->labels[model->functions[function].object];
	return table_fit(&text->arena, text->terminal, name, NAME_COLUMNS);
}

/** "10.1 ± 0.3 ms" */
static const char *time_of(struct text *text, const struct hot_row *row)
{
	const bool has_utf8 = text->terminal->has_utf8, in_ms = row->ns >= 1000000;
	double unit = in_ms ? 1e6 : 1e3;

	return arena_printf(&text->arena, "%.1f %s %.1f %s", (double)row->ns / unit,
			    has_utf8 ? "\xc2\xb1" : "+-", (double)row->error_ns / unit,
			    in_ms      ? "ms"
			    : has_utf8 ? "\xc2\xb5s"
				       : "us");
}

/** "fstatat64 10.1 ± 0.3 ms in the kernel for lstat_cache" */
static void describe(struct text *text, struct strbuf *buf, const struct hot_row *row)
{
	strbuf_printf(buf, "%s %s", short_name(text, row, row->function), time_of(text, row));
	if (row->function == MODEL_NONE || row->kernel_ns <= row->ns / 2)
		return;
	strbuf_puts(buf, " in the kernel");
	if (row->blame != MODEL_NONE && row->blame != row->function)
		strbuf_printf(buf, " for %s", short_name(text, row, row->blame));
}

void text_screen_hot(struct text *text)
{
	const struct model *model = text->model;
	struct strbuf buf = { 0 };
	struct hot hot;
	size_t count = 0;

	hot_init(&hot, model, &(struct hot_question){ .by = HOT_BY_FUNCTION });
	vec_foreach (row, &hot.list) {
		if (count == FUNCTIONS || row->ns * 100 < hot.ns * LEAST_PERCENT)
			break;
		if (row->function == MODEL_NONE || row->error_ns > row->ns)
			continue;
		strbuf_puts(&buf, count++ > 0 ? ", " : "");
		describe(text, &buf, row);
		if (model->counts.programs <= 1 && row->main_ns < row->ns / 2)
			strbuf_puts(&buf, " in other threads");
	}
	if (count > 0)
		fprintf(text->out, "  functions  %s%s\n", buf.text,
			hot.list.count <= count	   ? ""
			: text->terminal->has_utf8 ? " \xe2\x80\xa6"
						   : " ...");
	strbuf_deinit(&buf);
	hot_deinit(&hot);
}
