// SPDX-License-Identifier: Apache-2.0
// `elfault whatif` on one screen: the run as it was, then a row for each cure.
#include "render/whatif.h"

#include "base/cleanup.h"
#include "render/text/text.h"

static const char *time_of(struct text *text, bool is_known, uint64_t time_ns)
{
	return is_known ? table_time(&text->arena, text->terminal, time_ns) : "-";
}

static void print_head(struct text *text, const struct whatif_answer *answer)
{
	const struct whatif_sum *before = &answer->before, *linking = &answer->linking.sum;
	struct arena *arena = &text->arena;

	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "%s", text_command_line(text));
	fprintf(text->out, "%s, %s major", text_plural(text, before->faults, "fault", "faults"),
		figure_number(arena, before->major));
	if (answer->has_reads)
		fprintf(text->out, ", %s read by faults", figure_size(arena, before->read_bytes));
	if (answer->has_time)
		fprintf(text->out, ", %s", table_time(arena, text->terminal, before->duration_ns));
	fprintf(text->out, "\nDynamic linking took %s of them (%s)",
		figure_number(arena, linking->faults),
		figure_percent(arena, linking->faults, before->faults));
	if (answer->has_time)
		fprintf(text->out, " and %s",
			table_time(arena, text->terminal, linking->duration_ns));
	fputs(".\n", text->out);
}

/** "-12.3%" of what there was; "" where nothing changes. */
static const char *saved(struct text *text, uint64_t before, uint64_t after)
{
	if (after == before || before == 0)
		return "=";
	return arena_printf(&text->arena, "%s%s", after < before ? "-" : "+",
			    figure_percent(&text->arena,
					   after < before ? before - after : after - before,
					   before));
}

static void fill_row(struct text *text, struct table *table, const struct whatif_answer *answer,
		     const struct whatif *row)
{
	struct arena *arena = &text->arena;
	const bool is_cold = row->group == WHATIF_COLD_START;
	const char *sign = row->saves.is == MODEL_AT_MOST    ? ">="
			   : row->saves.is == MODEL_AT_LEAST ? "<="
							     : "";

	table_begin_row(table);
	table_cell(table, "CURE", TABLE_LEFT, row->title);
	if (!is_cold) {
		table_cellf(table, "FAULTS", TABLE_RIGHT, "%s%s", sign,
			    figure_number(arena, row->after.faults));
		table_cell(table, "CHANGE", TABLE_RIGHT,
			   saved(text, answer->before.faults, row->after.faults));
	}
	if (is_cold || answer->before.major > 0)
		table_cellf(table, "MAJOR", TABLE_RIGHT, "%s%s", row->is_major_bound ? ">=" : "",
			    figure_number(arena, row->after.major));
	if (is_cold || answer->before.read_bytes > 0)
		table_cellf(table, "READ", TABLE_RIGHT, "%s%s", is_cold ? sign : "",
			    figure_size(arena, row->after.read_bytes));
	if (!is_cold && answer->has_time)
		table_cellf(table, "TIME", TABLE_RIGHT, "%s%s%s", row->has_time ? sign : "",
			    time_of(text, row->has_time, row->after.duration_ns),
			    text_saving_error(text, &row->saves, true));
	table_cell(table, "ERROR", TABLE_RIGHT,
		   row->saves.is != MODEL_PREDICTION
			   ? "bound"
			   : arena_printf(arena, "%u%%", row->error_percent));
}

static void print_group(struct text *text, const struct whatif_answer *answer,
			enum whatif_group group, const char *heading)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	size_t count = 0;

	array_foreach (row, answer->items, answer->count) {
		if (row->group != group || !row->applies)
			continue;
		fill_row(text, table, answer, row);
		count++;
	}
	if (count == 0)
		return;
	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n%s", heading);
	table_print(table, text->out);
}

/**
 * Print what to type for each link, its archives and what it would break; or why it does not apply.
 */
static void print_reasons(struct text *text, const struct whatif_answer *answer)
{
	size_t count = 0;

	array_foreach (row, answer->items, answer->count) {
		if (!row->reason || row->group != WHATIF_LINK)
			continue;
		if (count++ == 0)
			fputc('\n', text->out);
		if (row->applies)
			fprintf(text->out, "  %s: %s; %s\n", row->title, row->how,
				text_safe(text, row->reason));
		else
			fprintf(text->out, "  %s does not apply: %s\n", row->title,
				text_safe(text, row->reason));
	}
}

static void print_notes(struct text *text)
{
	fputs("\n  FAULTS, MAJOR, READ and TIME are those of the run after the cure; ERROR is how "
	      "far predictions of faults were from what was measured, docs/whatif.md.\n",
	      text->out);
	text_note_kinds(text);
}

bool render_whatif_text(const struct model *model, const struct whatif_answer *answer,
			const struct terminal *terminal, FILE *out)
{
	struct text text = text_open(model, terminal, 0, out);

	print_head(&text, answer);
	print_group(&text, answer, WHATIF_LINK, "Linked in another way");
	print_reasons(&text, answer);
	print_group(&text, answer, WHATIF_SYSTEM, "Other settings of the kernel");
	print_group(&text, answer, WHATIF_COLD_START,
		    "A start with none of its files in memory, by read-ahead of the disk");
	print_notes(&text);
	return text_close(&text, out);
}
