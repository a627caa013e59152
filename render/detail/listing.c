// SPDX-License-Identifier: Apache-2.0
// Functions line by line and instruction by instruction, beside what each cost: what `--function`
// shows first.
#include "render/detail/listing.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "model/listing.h"

#include <inttypes.h>
#include <string.h>

enum { LISTINGS = 3, INLINED = 5 };

/** Nothing where nothing was spent, as most lines have none. */
static void spent_cells(struct text *text, struct table *table, const struct model_spent *spent)
{
	struct arena *arena = &text->arena;

	table_cell(table, "own time", TABLE_RIGHT,
		   spent->own_ns > 0 ? table_time(arena, text->terminal, spent->own_ns) : "");
	if (text->model->moments)
		table_cell(table, "samples", TABLE_RIGHT,
			   spent->samples > 0 ? figure_number(arena, spent->samples) : "");
	table_cell(table, "faults", TABLE_RIGHT,
		   spent->faults > 0 ? figure_number(arena, spent->faults) : "");
}

/** "2.6 ms: 2.5 ms computing by 13 samples, 40.8 us in 13 faults" */
static const char *spent_words(struct text *text, const struct model_spent *spent)
{
	struct arena *arena = &text->arena;
	const char *samples = "", *faults = "";

	if (spent->samples > 0)
		samples = arena_printf(arena, ": %s computing by %s",
				       table_time(arena, text->terminal, spent->cpu_ns),
				       text_plural(text, spent->samples, "sample", "samples"));
	if (spent->faults > 0)
		faults = arena_printf(arena, "%s %s in %s", spent->samples > 0 ? "," : ":",
				      table_time(arena, text->terminal, spent->fault_ns),
				      text_plural(text, spent->faults, "fault", "faults"));
	return arena_printf(arena, "%s%s%s", table_time(arena, text->terminal, spent->own_ns),
			    samples, faults);
}

static const char *line_number(struct text *text, const struct model_listing_line *line)
{
	return line->number > 0 ? arena_printf(&text->arena, "%" PRIu32, line->number) : "?";
}

/** "foo.h:12" */
static const char *line_place(struct text *text, const struct model_listing *listing,
			      const struct model_listing_line *line)
{
	if (line->file == MODEL_NONE)
		return "?";
	return arena_printf(&text->arena, "%s:%s", path_file_name(listing->files[line->file].path),
			    line_number(text, line));
}

/** The blanks that all own lines of @file begin with. */
static size_t indent_of(const struct model_listing *listing, uint32_t file)
{
	size_t least = SIZE_MAX;

	array_foreach (line, listing->lines, listing->line_count) {
		if (!line->text || line->function || line->file != file)
			continue;
		const size_t blanks = strspn(line->text, " ");

		if (line->text[blanks] && blanks < least)
			least = blanks;
	}
	return least == SIZE_MAX ? 0 : least;
}

static void add_inlined_row(struct text *text, struct table *table, const struct model_spent *spent,
			    const char *what)
{
	table_begin_row(table);
	spent_cells(text, table, spent);
	table_cell(table, "line", TABLE_RIGHT, "");
	table_cell(table, "source", TABLE_NAME, arena_printf(&text->arena, "  inlined %s", what));
}

/** Add code that was inlined into a line, dearest first; *@at moves behind all of it. */
static void add_inlined(struct text *text, struct table *table, const struct model_listing *listing,
			size_t *at)
{
	struct model_spent rest = { 0 };
	size_t shown = 0, more = 0;

	for (; *at < listing->line_count && listing->lines[*at].function; ++*at) {
		const struct model_listing_line *line = &listing->lines[*at];

		if (!model_spent_is_any(&line->spent))
			continue;
		if (shown++ < INLINED || text->top == SIZE_MAX) {
			add_inlined_row(text, table, &line->spent,
					arena_printf(&text->arena, "%s  %s",
						     line_place(text, listing, line),
						     line->function));
			continue;
		}
		model_spent_add(&rest, &line->spent);
		more++;
	}
	if (more > 0)
		add_inlined_row(text, table, &rest,
				arena_printf(&text->arena, "%zu more %s", more,
					     more == 1 ? "line" : "lines"));
}

/** The lines of @file, as far as they are in the listing; from *@at on. */
static void print_file(struct text *text, const struct model_listing *listing, size_t *at)
{
	const uint32_t file = listing->lines[*at].file;
	const size_t indent = indent_of(listing, file);
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);
	uint32_t last = 0;

	if (file == MODEL_NONE)
		fputs("\n  no line in DWARF\n", text->out);
	else
		fprintf(text->out, "\n  %s%s%s\n", text_safe(text, listing->files[file].path),
			listing->files[file].problem ? ": " : "",
			listing->files[file].problem ?: "");
	while (*at < listing->line_count && listing->lines[*at].file == file &&
	       !listing->lines[*at].function) {
		const struct model_listing_line *line = &listing->lines[(*at)++];

		if (last > 0 && line->text && line->number > last + 1) {
			table_begin_row(table);
			spent_cells(text, table, &(struct model_spent){ 0 });
			table_cell(table, "line", TABLE_RIGHT, "...");
			table_cell(table, "source", TABLE_NAME, "");
		}
		last = line->number;
		table_begin_row(table);
		spent_cells(text, table, &line->with_inlined);
		table_cell(table, "line", TABLE_RIGHT, line_number(text, line));
		table_cell(table, "source", TABLE_NAME,
			   line->text && strlen(line->text) > indent ? line->text + indent : "");
		add_inlined(text, table, listing, at);
	}
	table_print(table, text->out);
}

static void print_instructions(struct text *text, const struct model_listing *listing)
{
	CLEANUP(table_destroyp) struct table *table = table_create(text->terminal);

	if (listing->instruction_count == 0)
		return;
	fputc('\n', text->out);
	array_foreach (row, listing->instructions, listing->instruction_count) {
		if (!row->follows && row > listing->instructions) {
			table_begin_row(table);
			spent_cells(text, table, &(struct model_spent){ 0 });
			table_cell(table, "offset", TABLE_RIGHT, "...");
			table_cell(table, "instruction", TABLE_NAME, "");
			if (listing->line_count > 0)
				table_cell(table, "line", TABLE_LEFT, "");
		}
		table_begin_row(table);
		spent_cells(text, table, &row->spent);
		table_cellf(table, "offset", TABLE_RIGHT, "+0x%" PRIx64,
			    row->vaddr - listing->vaddr);
		table_cell(table, "instruction", TABLE_NAME, row->text ?: "(not decoded)");
		if (listing->line_count > 0)
			table_cell(table, "line", TABLE_LEFT,
				   row->line == MODEL_NONE
					   ? ""
					   : line_place(text, listing, &listing->lines[row->line]));
	}
	table_print(table, text->out);
}

static void print_listing(struct text *text, const struct model_listing *listing)
{
	const struct model *model = text->model;
	const struct model_function *function = &model->functions[listing->function];

	terminal_line(text->out, text->terminal, TERMINAL_BOLD, "\n%s in %s, own time %s",
		      text_safe(text, function->name),
		      text_safe(text, text->labels[function->object]),
		      spent_words(text, &listing->spent));
	if (listing->instruction_count == 0)
		fputs("\n  its file is not here: lines and instructions are unknown\n", text->out);
	else if (listing->line_count == 0)
		fputs("\n  no source lines: its DWARF is not here (--debug-dir, --sysroot)\n",
		      text->out);
	if (listing->is_cut)
		fputs("  a large function: beyond its first 256 KiB only what cost something\n",
		      text->out);
	for (size_t at = 0; at < listing->line_count;)
		print_file(text, listing, &at);
	print_instructions(text, listing);
}

void listing_print(struct text *text)
{
	const struct model *model = text->model;
	const size_t most = text->top == SIZE_MAX ? SIZE_MAX : LISTINGS;
	size_t shown = 0;

	for (; shown < model->listing_count && shown < most; shown++)
		print_listing(text, &model->listings[shown]);
	const size_t more = model->listing_count - shown + model->listings_left_out;

	if (more > 0)
		fprintf(text->out, "\n%s more of that name%s\n",
			text_plural(text, more, "function", "functions"),
			model->listing_count > shown ? "; --top 0 shows more" : "");
}
