// SPDX-License-Identifier: Apache-2.0
// The functions that computed most, on the screen.
#include "render/screen/screen.h"

#include "base/strbuf.h"

#include <string.h>

enum { FUNCTIONS = 2, LEAST_PERCENT = 3, NAME_COLUMNS = 28 };

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
	const bool in_ms = row->ns >= 1000000;
	double unit = in_ms ? 1e6 : 1e3;

	return arena_printf(&text->arena, "%.1f %s %.1f %ss", (double)row->ns / unit,
			    terminal_plus_minus(text->terminal), (double)row->error_ns / unit,
			    in_ms ? "m" : terminal_micro(text->terminal));
}

/** "fstatat64 10.1 ± 0.3 ms in the kernel for lstat_cache in other threads" */
static const char *describe(struct text *text, const struct hot_row *row)
{
	const struct model *model = text->model;
	const bool is_one = model->counts.programs <= 1;
	const char *caller = "";

	if (row->blame != MODEL_NONE && row->blame != row->function)
		caller = arena_printf(&text->arena, " for %s", short_name(text, row, row->blame));
	// Of a function that faults, the way into the kernel and back is a part as well.
	return arena_printf(&text->arena, "%s %s%s%s%s", short_name(text, row, row->function),
			    time_of(text, row),
			    row->kernel_ns > row->ns / 4 * 3 ? " in the kernel" : "", caller,
			    is_one && row->subject_ns < row->ns / 2 ? " in other threads" : "");
}

void screen_hot(struct text *text)
{
	enum { LABEL = 13 };
	const size_t width = text->terminal->width > LABEL ? text->terminal->width : SIZE_MAX;
	CLEANUP(strbuf_deinit) struct strbuf buf = { 0 };
	CLEANUP(hot_deinit) struct hot hot;
	size_t count = 0, column = LABEL;

	hot_init(&hot, text->model, &(struct hot_question){ .by = HOT_BY_FUNCTION });
	vec_foreach (row, &hot.list) {
		if (count == FUNCTIONS || row->ns * 100 < hot.ns * LEAST_PERCENT)
			break;
		if (row->function == MODEL_NONE || row->error_ns > row->ns ||
		    (row->moments > 0 && row->moments < HOT_LEAST_SAMPLES))
			continue;
		const char *words = describe(text, row);
		size_t columns = table_columns(words) + 2;

		// Two that do not fit have a line each, rather than one line and a bit.
		if (count++ > 0 && column + columns > width)
			strbuf_printf(&buf, ",\n%*s", LABEL, "");
		else if (count > 1)
			strbuf_puts(&buf, ", ");
		strbuf_puts(&buf, words);
		column += columns;
	}
	if (count > 0)
		fprintf(text->out, "  functions  %s\n", buf.text);
}
