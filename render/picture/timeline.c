// SPDX-License-Identifier: Apache-2.0
// The picture as text, for people on a server: faults over time by section, in braille where the
// terminal can show it, else in letters; and the file as a strip of pages.
#include "base/strbuf.h"
#include "base/vec.h"
#include "render/picture/marks.h"
#include "render/picture/picture.h"
#include "render/picture/story.h"
#include "render/table/fold.h"
#include "render/table/table.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROWS = 26,     // for all bands
	BANDS_MAX = 8, // of the file that keep their own place, at least a row each
	LABEL_COLUMNS = 18,
	COUNT_COLUMNS = 29,  // count, share, group
	WIDTH_DEFAULT = 100, // where nothing limits it
	PLOT_COLUMNS_MIN = 20,
	DOTS_X = 2, // of a braille character
	DOTS_Y = 4,
};

/** The content of one character of the plot. */
struct cell {
	uint8_t dots; // bits as Unicode numbers them
	uint64_t groups[PALETTE_GROUPS];
};

/** One timeline being written. */
struct timeline {
	struct picture picture;
	const struct terminal *terminal;
	FILE *out;
	size_t width;
	size_t columns;	    // of the plot
	bool has_counts;    // there is room for them
	struct scale time;  // in dots
	struct cell *cells; // of all rows
	struct strbuf line;
	struct story story;
	bool has_story; // time was recorded
};

static bool has_braille(const struct timeline *timeline)
{
	return timeline->terminal->has_utf8;
}

// ---- Lines ------------------------------------------------------------------------------------

/** Write the line without spaces at its end. */
static void end_line(struct timeline *timeline)
{
	struct strbuf *line = &timeline->line;

	while (line->length > 0 && line->text[line->length - 1] == ' ')
		line->length--;
	strbuf_putc(line, '\n');
	fwrite(line->text, 1, line->length, timeline->out);
	strbuf_clear(line);
}

static void pad(struct timeline *timeline, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		strbuf_putc(&timeline->line, ' ');
}

/** @text, safe for a terminal, right-aligned in @columns. */
static void add_right(struct timeline *timeline, const char *text, size_t columns)
{
	size_t taken = table_columns(text);

	pad(timeline, columns > taken ? columns - taken : 0);
	strbuf_puts(&timeline->line, text);
}

static void start_color(struct timeline *timeline, unsigned group)
{
	if (timeline->terminal->has_color)
		strbuf_printf(&timeline->line, "\033[38;5;%um",
			      timeline->picture.groups[group].ansi);
}

static void start_style(struct timeline *timeline, enum terminal_style style)
{
	strbuf_puts(&timeline->line, terminal_start(timeline->terminal, style));
}

static void end_style(struct timeline *timeline)
{
	strbuf_puts(&timeline->line, terminal_end(timeline->terminal));
}

/** Put ASCII text into a row of single characters, centred at @at, if it fits without touching. */
static void put_label(char *row, size_t columns, size_t at, const char *text)
{
	size_t length = strlen(text);
	size_t start = at > length / 2 ? at - length / 2 : 0;

	if (start + length > columns)
		start = columns > length ? columns - length : 0;
	if (length > columns)
		return;
	for (size_t i = start > 0 ? start - 1 : 0; i < start + length + 1 && i < columns; i++)
		if (row[i] != ' ')
			return;
	memcpy(row + start, text, length);
}

// ---- Head -------------------------------------------------------------------------------------

static void print_line(struct timeline *timeline, const char *text)
{
	strbuf_puts(&timeline->line,
		    table_fit(&timeline->picture.arena, timeline->terminal, text, SIZE_MAX));
	end_line(timeline);
}

static void print_legend(struct timeline *timeline)
{
	struct picture *picture = &timeline->picture;
	struct arena *arena = &picture->arena;
	size_t taken = 0;

	for (unsigned i = 0; i < picture->used; i++) {
		unsigned group = picture->order[i];
		const char *label = arena_printf(
			arena, "%s %s (%s)", picture->groups[group].name,
			picture_weight(picture, timeline->terminal, picture->weights[group]),
			figure_percent(arena, picture->weights[group], picture->weight));
		size_t columns = strlen(label) + 2;

		if (taken > 0 && taken + 2 + columns > timeline->width) {
			end_line(timeline);
			taken = 0;
		}
		if (taken > 0)
			pad(timeline, 2);
		taken += columns + 2;
		start_color(timeline, group);
		if (has_braille(timeline))
			strbuf_puts(&timeline->line, "\xe2\xa3\xbf"); // a full braille cell
		else
			strbuf_putc(&timeline->line, picture->groups[group].letter);
		end_style(timeline);
		strbuf_printf(&timeline->line, " %s", label);
	}
	if (taken > 0)
		end_line(timeline);
}

static void print_bold(struct timeline *timeline, const char *text)
{
	start_style(timeline, TERMINAL_BOLD);
	strbuf_puts(&timeline->line,
		    table_fit(&timeline->picture.arena, timeline->terminal, text, SIZE_MAX));
	end_style(timeline);
	end_line(timeline);
}

/** A character for what was done for @cause: its letter where the thread ran, else a sign. */
static void add_state(struct timeline *timeline, enum model_initiator cause, enum model_state state)
{
	unsigned count;
	const struct palette_group *group = &palette_groups(PALETTE_INITIATOR, &count)[cause];
	char sign = ' ';

	if (state == MODEL_STATE_CPU || state == MODEL_STATE_FAULT)
		sign = group->letter;
	else if (state == MODEL_STATE_FAULT_IO || state == MODEL_STATE_FILE_IO)
		sign = '/';
	else if (state == MODEL_STATE_WAIT)
		sign = '_';
	if (timeline->terminal->has_color)
		strbuf_printf(&timeline->line, "\033[38;5;%um", group->ansi);
	strbuf_putc(&timeline->line, sign);
	end_style(timeline);
}

/** "s symbol-lookup, R relocation; / waits for storage, _ for something else" */
static const char *state_key(struct timeline *timeline)
{
	const struct story *story = &timeline->story;
	struct arena *arena = &timeline->picture.arena;
	const char *key = "";
	unsigned count;
	const struct palette_group *groups = palette_groups(PALETTE_INITIATOR, &count);

	for (size_t i = 0; i < story->cell_count; i++) {
		const struct palette_group *group = &groups[story->cells[i].cause];

		if (i == 0 || story->cells[i].cause != story->cells[i - 1].cause)
			key = arena_printf(arena, "%s%s%c %s", key, i > 0 ? ", " : "",
					   group->letter, group->name);
	}
	return arena_printf(arena, "%s; / waits for storage, _ for something else", key);
}

/** Print where the time went: the sentence, the account as a bar, what to change. */
static void print_story(struct timeline *timeline)
{
	const struct story *story = &timeline->story;
	const size_t columns = timeline->width < 100 ? timeline->width : 100;
	uint64_t before = 0;
	size_t done = 0;

	print_bold(timeline, story->time);
	print_line(timeline, story->causes);
	array_foreach (cell, story->cells, story->cell_count) {
		before += cell->ns;
		const size_t end =
			(size_t)((double)columns * ((double)before / (double)story->own_ns));

		for (; done < end; done++)
			add_state(timeline, cell->cause, cell->state);
	}
	end_line(timeline);
	print_line(timeline, state_key(timeline));
	for (size_t i = 0; i < story->cure_count; i++)
		print_line(timeline, story->cures[i]);
	end_line(timeline);
}

static void print_head(struct timeline *timeline)
{
	struct picture *picture = &timeline->picture;
	const char *headline = picture_headline(picture);

	if (timeline->has_story) {
		print_line(timeline, picture->command);
		print_story(timeline);
	}
	print_bold(timeline, picture->name);
	if (!timeline->has_story)
		print_line(timeline, picture->command);
	print_line(timeline, picture_counts(picture, timeline->terminal));
	if (headline)
		print_line(timeline, headline);
	if (picture->object != MODEL_NONE)
		print_legend(timeline);
}

// ---- Plot -------------------------------------------------------------------------------------

/** Return the bit of a braille character for the dot at @x, @y. */
static uint8_t dot(unsigned x, unsigned y)
{
	static const uint8_t bits[DOTS_Y][DOTS_X] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};

	return bits[y][x];
}

static void fill_cells(struct timeline *timeline)
{
	CLEANUP(marks_deinit) struct marks marks;
	struct mark mark;

	timeline->cells = xcalloc(ROWS * timeline->columns, sizeof(*timeline->cells));
	marks_init(&marks, timeline->picture.model, &timeline->picture.bands, &timeline->time, 1);
	while (marks_next(&marks, &mark)) {
		size_t column = mark.x / DOTS_X, row = mark.y / DOTS_Y;

		if (row >= ROWS || column >= timeline->columns)
			continue; // a band that got no room
		struct cell *cell = &timeline->cells[row * timeline->columns + column];

		cell->dots |= dot(mark.x % DOTS_X, mark.y % DOTS_Y);
		for (unsigned i = 0; i < timeline->picture.group_count; i++)
			cell->groups[i] += mark.groups[i];
	}
}

static bool is_break(const struct timeline *timeline, size_t column)
{
	for (size_t i = 0; i < timeline->time.gap_count; i++)
		if ((size_t)scale_place(&timeline->time, timeline->time.gaps[i].first) / DOTS_X ==
		    column)
			return true;
	return false;
}

static void add_cell(struct timeline *timeline, size_t row, size_t column)
{
	const struct picture *picture = &timeline->picture;
	const struct cell *cell = &timeline->cells[row * timeline->columns + column];
	unsigned group = 0;

	for (unsigned i = 1; i < picture->group_count; i++)
		if (cell->groups[i] > cell->groups[group])
			group = i;
	if (cell->dots == 0) {
		const char *sign = has_braille(timeline) ? "\xe2\x94\x8a" : ":";

		strbuf_puts(&timeline->line, is_break(timeline, column) ? sign : " ");
		return;
	}
	start_color(timeline, group);
	if (has_braille(timeline)) // U+2800 and the dots
		strbuf_printf(&timeline->line, "\xe2%c%c", 0xa0 | cell->dots >> 6,
			      0x80 | (cell->dots & 0x3f));
	else
		strbuf_putc(&timeline->line, picture->groups[group].letter);
	end_style(timeline);
}

/** How many faults, what share of the file's, and what most of them are of. */
static void add_counts(struct timeline *timeline, const struct band *band)
{
	struct picture *picture = &timeline->picture;
	struct arena *arena = &picture->arena;
	unsigned most = 0;

	for (unsigned i = 1; i < picture->group_count; i++)
		if (band->groups[i] > band->groups[most])
			most = i;
	add_right(timeline, figure_number(arena, band->faults), 8);
	add_right(timeline,
		  band->kind == BAND_BESIDE
			  ? ""
			  : figure_percent(arena, band->faults,
					   picture->model->objects[picture->object].count.faults),
		  7);
	if (band->faults > 0)
		strbuf_printf(&timeline->line, " %s", picture->groups[most].name);
}

/** The rows of one band; its label and counts stand in the middle one. */
static void print_band(struct timeline *timeline, const struct band *band)
{
	struct picture *picture = &timeline->picture;
	size_t first = band->top / DOTS_Y, rows = band->height / DOTS_Y;

	for (size_t i = 0; i < rows; i++) {
		bool is_middle = i == (rows - 1) / 2;
		const char *label = is_middle ? table_fit(&picture->arena, timeline->terminal,
							  band->label, LABEL_COLUMNS - 1)
					      : "";

		if (band == picture_hottest(picture))
			start_style(timeline, TERMINAL_BOLD);
		add_right(timeline, label, LABEL_COLUMNS - 1);
		end_style(timeline);
		strbuf_puts(&timeline->line, has_braille(timeline) ? " \xe2\x94\x82" : " |");
		for (size_t column = 0; column < timeline->columns; column++)
			add_cell(timeline, first + i, column);
		strbuf_puts(&timeline->line, has_braille(timeline) ? "\xe2\x94\x82" : "|");
		if (is_middle && timeline->has_counts)
			add_counts(timeline, band);
		end_line(timeline);
	}
}

/** Rows of the story: the first thread, initializers, waits by file. */
static void print_rows(struct timeline *timeline)
{
	struct arena *arena = &timeline->picture.arena;
	size_t count;
	struct scale scale = timeline->time;

	scale.length /= DOTS_X;
	scale.gap_length /= DOTS_X;
	const struct story_row *rows = story_rows(timeline->picture.model, &scale,
						  (unsigned)timeline->columns, arena, &count);

	array_foreach (row, rows, count) {
		size_t done = 0;

		add_right(timeline,
			  table_fit(arena, timeline->terminal, row->label, LABEL_COLUMNS - 1),
			  LABEL_COLUMNS - 1);
		pad(timeline, 2);
		array_foreach (span, row->spans, row->span_count) {
			pad(timeline, span->first - done);
			for (done = span->first; done < span->end; done++)
				add_state(timeline, span->cause, span->state);
		}
		if (row->ns > 0 && timeline->has_counts) {
			pad(timeline, timeline->columns - done + 1);
			add_right(timeline, table_time(arena, timeline->terminal, row->ns), 9);
		}
		end_line(timeline);
	}
}

static void print_phases(struct timeline *timeline)
{
	const struct phases *phases = &timeline->picture.phases;
	CLEANUP(freep) char *row = xcalloc(timeline->columns + 1, 1);

	memset(row, ' ', timeline->columns);
	for (unsigned i = 0; i < PHASES && phases->are_shown; i++) {
		const char *name = phase_name((enum phase)i);

		if (!phases->spans[i].is_there)
			continue;
		size_t from =
			(size_t)scale_place(&timeline->time, phases->spans[i].first_ns) / DOTS_X;
		size_t to = (size_t)scale_place(&timeline->time, phases->spans[i].end_ns) / DOTS_X;
		size_t length = strlen(name);

		if (from < timeline->columns)
			row[from] = '|';
		if (to > from + length + 1 && to <= timeline->columns)
			memcpy(row + from + 1, name, length);
	}
	if (phases->are_shown) {
		add_right(timeline, "phases", LABEL_COLUMNS - 1);
		pad(timeline, 2);
		start_style(timeline, TERMINAL_DIM);
		strbuf_puts(&timeline->line, row);
		end_style(timeline);
		end_line(timeline);
	}
}

static void print_axis(struct timeline *timeline)
{
	size_t count;
	const struct scale_tick *ticks = scale_time_ticks(&timeline->picture.arena, &timeline->time,
							  "us", timeline->columns / 14 + 1, &count);
	char *row = xcalloc(timeline->columns + 1, 1);

	memset(row, ' ', timeline->columns);
	pad(timeline, LABEL_COLUMNS);
	strbuf_puts(&timeline->line, has_braille(timeline) ? "\xe2\x94\x94" : "+");
	for (size_t column = 0; column < timeline->columns; column++) {
		bool is_tick = false;

		for (size_t i = 0; i < count; i++)
			is_tick |= (size_t)ticks[i].place / DOTS_X == column;
		if (has_braille(timeline))
			strbuf_puts(&timeline->line, is_tick ? "\xe2\x94\xb4" : "\xe2\x94\x80");
		else
			strbuf_putc(&timeline->line, is_tick ? '+' : '-');
	}
	strbuf_puts(&timeline->line, has_braille(timeline) ? "\xe2\x94\x98" : "+");
	end_line(timeline);
	for (size_t i = 0; i < count; i++)
		put_label(row, timeline->columns, (size_t)ticks[i].place / DOTS_X, ticks[i].label);
	pad(timeline, LABEL_COLUMNS + 1);
	strbuf_puts(&timeline->line, row);
	end_line(timeline);
	free(row);
	array_foreach (cut, timeline->picture.cuts.items, timeline->picture.cuts.count) {
		struct arena *arena = &timeline->picture.arena;

		pad(timeline, LABEL_COLUMNS + 1);
		strbuf_printf(&timeline->line, "%s at %s: %s",
			      has_braille(timeline) ? "\xe2\x94\x8a" : ":",
			      table_time(arena, timeline->terminal, cut->time.start),
			      picture_cut_text(arena, timeline->terminal, cut));
		end_line(timeline);
	}
}

static void print_plot(struct timeline *timeline)
{
	struct bands *bands = &timeline->picture.bands;

	bands_place(bands, &(struct band_room){ .total = ROWS, .touched = 1, .beside = 1 });
	for (size_t i = 0; i < bands->count; i++) {
		bands->items[i].top *= DOTS_Y;
		bands->items[i].height *= DOTS_Y;
	}
	fill_cells(timeline);
	if (timeline->has_story)
		print_rows(timeline);
	print_phases(timeline);
	for (size_t i = 0; i < bands->count; i++)
		print_band(timeline, &bands->items[i]);
	print_axis(timeline);
}

// ---- Strip ------------------------------------------------------------------------------------

static const char *shade(const struct timeline *timeline, enum page_state state)
{
	static const char *const shades[PAGE_STATES] = {
		[PAGE_COLD] = "\xc2\xb7",
		[PAGE_AROUND] = "\xe2\x96\x91",
		[PAGE_FAULTED] = "\xe2\x96\x92",
		[PAGE_WRITTEN] = "\xe2\x96\x88",
	};
	static const char *const signs[PAGE_STATES] = {
		[PAGE_COLD] = ".",
		[PAGE_AROUND] = "-",
		[PAGE_FAULTED] = "+",
		[PAGE_WRITTEN] = "#",
	};

	return has_braille(timeline) ? shades[state] : signs[state];
}

static void print_strip(struct timeline *timeline)
{
	const struct pages *pages = &timeline->picture.pages;
	struct arena *arena = &timeline->picture.arena;
	size_t columns = timeline->columns, count;
	double part = (double)pages->size / (double)columns;
	const struct scale scale = { 0, pages->size, 0, (double)columns };
	const struct scale_tick *ticks = scale_size_ticks(arena, &scale, columns / 14 + 1, &count);
	char *row = xcalloc(columns + 1, 1);

	add_right(timeline, "the whole file", LABEL_COLUMNS - 1);
	strbuf_puts(&timeline->line, has_braille(timeline) ? " \xe2\x94\x82" : " |");
	for (size_t i = 0; i < columns; i++) {
		double shares[PAGE_STATES];

		pages_shares(pages, (double)i * part, part, shares);
		strbuf_puts(&timeline->line, shade(timeline, pages_state(shares)));
	}
	strbuf_puts(&timeline->line, has_braille(timeline) ? "\xe2\x94\x82" : "|");
	end_line(timeline);
	memset(row, ' ', columns);
	for (size_t i = 0; i < count; i++)
		put_label(row, columns, (size_t)ticks[i].place, ticks[i].label);
	pad(timeline, LABEL_COLUMNS + 1);
	strbuf_puts(&timeline->line, row);
	end_line(timeline);
	free(row);
	pad(timeline, LABEL_COLUMNS - 6);
	strbuf_puts(&timeline->line, "pages:");
	for (unsigned i = PAGE_STATES; i-- > 0;)
		strbuf_printf(&timeline->line, " %s %s %s%s", shade(timeline, (enum page_state)i),
			      page_state_name((enum page_state)i),
			      figure_number(arena, pages->totals[i]), i > 0 ? "," : "");
	end_line(timeline);
}

// ---- All --------------------------------------------------------------------------------------

static void lay_out(struct timeline *timeline)
{
	size_t taken = LABEL_COLUMNS + 2;

	timeline->width = timeline->terminal->width > 0 ? timeline->terminal->width : WIDTH_DEFAULT;
	timeline->has_counts = timeline->width >= taken + COUNT_COLUMNS + PLOT_COLUMNS_MIN;
	if (timeline->has_counts)
		taken += COUNT_COLUMNS;
	timeline->columns = timeline->width > taken + PLOT_COLUMNS_MIN ? timeline->width - taken
								       : PLOT_COLUMNS_MIN;
	// Nobody reads more, and marks are numbered with 16 bits.
	if (timeline->columns > 1000)
		timeline->columns = 1000;
	timeline->time = (struct scale){
		.first = timeline->picture.time.start,
		.last = timeline->picture.time.end,
		.length = (double)(timeline->columns * DOTS_X),
		.gap_length = DOTS_X,
		.gaps = timeline->picture.gaps,
		.gap_count = timeline->picture.cuts.count,
	};
}

bool render_timeline(const struct model *model, const struct render_picture_options *options,
		     const struct terminal *terminal, FILE *out)
{
	struct timeline timeline = { .terminal = terminal, .out = fold_open(out, terminal) };
	size_t note_count, alert_count;

	picture_init(&timeline.picture, model, options, BANDS_MAX);
	lay_out(&timeline);
	timeline.has_story = story_tell(&timeline.story, model, terminal, &timeline.picture.arena);
	print_head(&timeline);
	if (timeline.picture.bands.point_count > 0) {
		end_line(&timeline);
		print_plot(&timeline);
	}
	if (timeline.picture.has_pages) {
		end_line(&timeline);
		print_strip(&timeline);
	}
	const char *const *notes = picture_notes(&timeline.picture, &note_count, &alert_count);

	if (note_count > 0)
		end_line(&timeline);
	for (size_t i = 0; i < note_count; i++) {
		if (i < alert_count)
			start_style(&timeline, TERMINAL_ALERT);
		strbuf_puts(&timeline.line,
			    table_fit(&timeline.picture.arena, terminal, notes[i], SIZE_MAX));
		if (i < alert_count)
			end_style(&timeline);
		end_line(&timeline);
	}
	free(timeline.cells);
	strbuf_deinit(&timeline.line);
	picture_deinit(&timeline.picture);
	return fold_close(timeline.out, out);
}
