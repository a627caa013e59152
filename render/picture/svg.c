// SPDX-License-Identifier: Apache-2.0
// The faults of one file over time as one static picture: time to the right, the file downwards,
// section by section. What is drawn is gathered in picture.c; this file lays it out.
#include "render/picture/svg.h"

#include "render/table/table.h"

enum {
	STRIP_X = SVG_MARGIN + 54, // after the labels of its axis
	STRIP_WIDTH = 30,
	LABEL_WIDTH = 104,  // of bands, at the plot's left
	GUTTER_WIDTH = 92,  // of counts, at its right
	BAR_WIDTH = 76,	    // beside them, where there is room
	BAR_PLOT_MIN = 440, // pixels of plot that a bar has to leave
	BAND_ROOM = 27,	    // pixels of height for each band
	OTHER_ROOM = 340,   // for what is above and below the file's bands
	BREAK_WIDTH = 24,   // where idle time is left out
	PHASE_HEIGHT = 17,
	ROW_HEIGHT = 14,   // of the story
	ROW_COLUMNS = 800, // of its rows, at most
	STORY_ROOM = 150,  // for the account, cures and rows
};

// ---- Bands ------------------------------------------------------------------------------------

static const char *band_title(struct svg *svg, const struct band *band)
{
	struct arena *arena = &svg->picture.arena;
	const char *faults = arena_printf(arena, "%s faults on %s pages in %s",
					  figure_number(arena, band->faults),
					  figure_number(arena, band->pages), band->label);

	if (band->kind == BAND_BESIDE)
		return faults;
	return arena_printf(arena, "%s: %s from %s 0x%llx on", faults,
			    figure_size(arena, range_size(band->range)),
			    band->kind == BAND_FILE ? "offset" : "address",
			    (unsigned long long)band->range.start);
}

/** Faults of a band by group, as a bar; @most is as long as it may be. */
static void add_band_bar(struct svg *svg, const struct band *band, uint64_t most)
{
	unsigned left = svg->plot.x + svg->plot.width + 8, done = 0;
	unsigned thick = band->height > 14 ? 10 : band->height > 4 ? band->height - 4 : 1;
	unsigned y = svg->plot.y + band->top + (band->height - thick) / 2;
	uint64_t before = 0;

	for (unsigned i = 0; i < svg->picture.used; i++) {
		unsigned group = svg->picture.order[i];
		char class[8];

		before += band->groups[group];
		unsigned end = (unsigned)(BAR_WIDTH * ((double)before / (double)most));

		if (end == done)
			continue;
		snprintf(class, sizeof(class), "g%u", group);
		svg_rect(svg, &(struct svg_box){ left + done, y, end - done, thick }, class, NULL);
		done = end;
	}
}

/** At the right: how much of the file's faults lies in the band; of others, how many. */
static void add_band_counts(struct svg *svg, const struct band *band, uint64_t most)
{
	struct picture *picture = &svg->picture;
	unsigned right = svg->options->width - SVG_MARGIN;
	unsigned y = svg->plot.y + band->top + band->height / 2 + 4;
	bool is_own = band->kind != BAND_BESIDE;

	if (is_own && svg->has_bars)
		add_band_bar(svg, band, most);
	if (band->height < 10)
		return;
	svg_text(svg, right - 46, y, is_own ? "end" : "end soft", SVG_SMALL, right,
		 figure_number(&picture->arena, band->faults));
	if (is_own)
		svg_text(svg, right, y, "end", SVG_SMALL, right,
			 figure_percent(&picture->arena, band->faults,
					picture->model->objects[picture->object].count.faults));
}

static void add_bands(struct svg *svg)
{
	const struct bands *bands = &svg->picture.bands;
	const struct band *hottest = picture_hottest(&svg->picture);
	uint64_t most = 1;

	for (size_t i = 0; i < bands->own_count; i++)
		if (bands->items[i].faults > most)
			most = bands->items[i].faults;
	for (size_t i = 0; i < bands->count; i++) {
		const struct band *band = &bands->items[i];
		unsigned y = svg->plot.y + band->top;

		if (band->height == 0)
			continue;
		svg_rect(svg,
			 &(struct svg_box){ svg->plot.x - LABEL_WIDTH, y,
					    svg->plot.width + LABEL_WIDTH, band->height },
			 band->faults == 0 ? "still"
			 : i % 2	   ? "band"
					   : "band2",
			 band_title(svg, band));
		if (band->height >= 10)
			svg_text(svg, svg->plot.x - 6, y + band->height / 2 + 4,
				 band == hottest    ? "end bold"
				 : band->faults > 0 ? "end"
						    : "end soft",
				 SVG_SMALL, LABEL_WIDTH - 8, band->label);
		if (band->faults > 0)
			add_band_counts(svg, band, most);
	}
}

// ---- Axes -------------------------------------------------------------------------------------

static void add_phases(struct svg *svg)
{
	const struct phases *phases = &svg->picture.phases;
	struct arena *arena = &svg->picture.arena;
	unsigned y = svg->plot.y - PHASE_HEIGHT - 3, bottom = svg->plot.y + svg->plot.height;
	unsigned drawn = 0;

	if (!phases->are_shown)
		return;
	svg_text(svg, svg->plot.x - 6, y + 13, "end soft", SVG_SMALL, LABEL_WIDTH,
		 svg->picture.model->counts.processes > 1
			 ? arena_printf(arena, "pid %u", phases->pid)
			 : "phases");
	for (unsigned i = 0; i < PHASES; i++) {
		const struct phase_span *span = &phases->spans[i];
		const char *name = phase_name((enum phase)i);

		if (!span->is_there)
			continue;
		unsigned from = (unsigned)scale_place(&svg->time, span->first_ns);
		unsigned to = (unsigned)scale_place(&svg->time, span->end_ns);
		const char *length =
			table_time(arena, &svg_terminal, span->end_ns - span->first_ns);
		const char *title = arena_printf(arena, "%s: %s", name, length);
		unsigned width = to > from ? to - from : 1;

		svg_rect(svg, &(struct svg_box){ from, y, width, PHASE_HEIGHT },
			 drawn % 2 ? "phase2" : "phase", title);
		if (svg_width(title, SVG_SMALL) + 8 < width)
			svg_text(svg, from + width / 2, y + 13, "middle", SVG_SMALL, width, title);
		else if (svg_width(name, SVG_SMALL) + 2 < width)
			svg_text(svg, from + width / 2, y + 13, "middle", SVG_SMALL, width, name);
		if (drawn++ > 0)
			strbuf_printf(&svg->buf, "<path class=\"border\" d=\"M%u %uV%u\"/>\n", from,
				      y, bottom);
	}
}

/** Add the breaks of the axis, which leaves out time in which nothing happened. */
static void add_breaks(struct svg *svg)
{
	const struct svg_box *plot = &svg->plot;

	array_foreach (cut, svg->picture.cuts.items, svg->picture.cuts.count) {
		unsigned x = (unsigned)scale_place(&svg->time, cut->time.start);
		const char *text = picture_cut_text(&svg->picture.arena, &svg_terminal, cut);

		svg_rect(svg, &(struct svg_box){ x, plot->y, BREAK_WIDTH, plot->height }, "paper",
			 text);
		strbuf_printf(&svg->buf, "<path class=\"axis\" d=\"M%u %uV%uM%u %uV%u\"/>\n", x + 3,
			      plot->y, plot->y + plot->height, x + BREAK_WIDTH - 3, plot->y,
			      plot->y + plot->height);
		if (svg_width(text, SVG_SMALL) > plot->height)
			continue;
		strbuf_printf(&svg->buf,
			      "<text transform=\"translate(%u %u) rotate(-90)\" class=\"middle "
			      "soft\" font-size=\"%u\">%s</text>\n",
			      x + BREAK_WIDTH / 2 + 4, plot->y + plot->height / 2, SVG_SMALL, text);
	}
}

/** Times below the plot, and lines through it. */
static void add_axis_ticks(struct svg *svg)
{
	const struct svg_box *plot = &svg->plot;
	unsigned bottom = plot->y + plot->height;
	size_t count;
	const struct scale_tick *ticks = scale_time_ticks(
		&svg->picture.arena, &svg->time, "\xc2\xb5s", plot->width / 90 + 1, &count);

	for (size_t i = 0; i < count; i++) {
		unsigned x = (unsigned)ticks[i].place;

		strbuf_printf(&svg->buf, "<path class=\"grid\" d=\"M%u %uV%u\"/>\n", x, plot->y,
			      bottom);
		svg_text(svg, x, bottom + 15, "middle soft", SVG_SMALL, plot->width,
			 ticks[i].label);
	}
}

static void add_time_axis(struct svg *svg)
{
	const struct svg_box *plot = &svg->plot;
	unsigned bottom = plot->y + plot->height;

	add_axis_ticks(svg);
	svg_text(svg, plot->x + plot->width / 2, bottom + 30, "middle soft", SVG_SMALL, plot->width,
		 "time since the start of the recording");
	svg_text(svg, plot->x + plot->width + 8, plot->y - 7, "soft", SVG_SMALL, GUTTER_WIDTH,
		 "faults");
	if (svg->picture.has_pages)
		svg_text(svg, svg->strip.x + svg->strip.width / 2, plot->y - 7, "middle soft",
			 SVG_SMALL, 60, "the file");
}

/** Add the legend of the strip's shades, with the number of pages of each. */
static void add_strip_legend(struct svg *svg, unsigned y)
{
	static const char *const classes[PAGE_STATES] = {
		[PAGE_COLD] = "cold",
		[PAGE_AROUND] = "mapped",
		[PAGE_FAULTED] = "faulted",
		[PAGE_WRITTEN] = "written",
	};
	struct picture *picture = &svg->picture;
	unsigned x = SVG_MARGIN;

	svg_text(svg, x, y, "soft", SVG_SMALL, 200, "Pages of the file:");
	x += svg_width("Pages of the file:", SVG_SMALL) + 6;
	for (unsigned i = PAGE_STATES; i-- > 0;) {
		const char *label =
			arena_printf(&picture->arena, "%s %s", page_state_name((enum page_state)i),
				     figure_number(&picture->arena, picture->pages.totals[i]));

		svg_rect(svg, &(struct svg_box){ x, y - 9, 10, 10 }, classes[i], NULL);
		svg_rect(svg, &(struct svg_box){ x, y - 9, 10, 10 }, "frame", NULL);
		svg_text(svg, x + 14, y, "soft", SVG_SMALL, 300, label);
		x += 14 + svg_width(label, SVG_SMALL) + 12;
	}
	svg_text(svg, x, y, "soft", SVG_SMALL,
		 svg->options->width > x + SVG_MARGIN ? svg->options->width - x - SVG_MARGIN : 0,
		 "At the left to scale; bands take room by pages that faulted.");
}

/** Columns of the rows: not so many that they would leave no bytes for marks. */
static unsigned row_columns(const struct svg *svg)
{
	return svg->plot.width < ROW_COLUMNS ? svg->plot.width : ROW_COLUMNS;
}

/** The pixel of @column of the rows. */
static unsigned row_place(const struct svg *svg, unsigned column)
{
	return svg->plot.x + (unsigned)((uint64_t)column * svg->plot.width / row_columns(svg));
}

/** Rows of the story from @y on, each in @height pixels. */
static void add_rows(struct svg *svg, unsigned y, unsigned height)
{
	struct arena *arena = &svg->picture.arena;

	for (size_t i = 0; i < svg->row_count; i++, y += height) {
		const struct story_row *row = &svg->rows[i];

		svg_text(svg, svg->plot.x - 6, y + height / 2 + 3, "end soft", SVG_SMALL,
			 LABEL_WIDTH, row->label);
		if (row->ns > 0)
			svg_text(svg, svg->plot.x + svg->plot.width + 8, y + height / 2 + 3, "soft",
				 SVG_SMALL, GUTTER_WIDTH,
				 table_time(arena, &svg_terminal, row->ns));
		array_foreach (span, row->spans, row->span_count)
			svg_state(svg,
				  &(struct svg_box){ row_place(svg, span->first), y + 1,
						     row_place(svg, span->end) -
							     row_place(svg, span->first),
						     height - 2 },
				  span->cause, span->state,
				  arena_printf(arena, "%s, %s", model_initiator_name(span->cause),
					       model_state_name(span->state)));
	}
}

/** Set the time axis across @left to @right, and find the rows that have one; at most @most. */
static void set_time(struct svg *svg, unsigned left, unsigned right, unsigned gap, size_t most)
{
	const struct picture *picture = &svg->picture;

	svg->plot.x = left;
	svg->plot.width = right > left + 50 ? right - left : 50;
	svg->time = (struct scale){
		.first = picture->time.start,
		.last = picture->time.end,
		.start = svg->plot.x,
		.length = svg->plot.width,
		.gap_length = gap,
		.gaps = picture->gaps,
		.gap_count = picture->cuts.count,
	};
	const unsigned columns = row_columns(svg);
	struct scale scale = svg->time;

	scale.start = 0;
	scale.length = columns;
	scale.gap_length = (double)gap * columns / svg->plot.width;
	if (svg->has_story)
		svg->rows = story_rows(picture->model, &scale, columns, &svg->picture.arena,
				       &svg->row_count);
	if (svg->row_count > most)
		svg->row_count = most;
}

// ---- All --------------------------------------------------------------------------------------

/** Divide what is left between @top and @bottom. */
static void lay_out(struct svg *svg, unsigned top, unsigned bottom)
{
	struct picture *picture = &svg->picture;
	unsigned left = SVG_MARGIN + LABEL_WIDTH;
	unsigned right = svg->options->width - SVG_MARGIN - GUTTER_WIDTH;
	if (picture->has_pages)
		left = STRIP_X + STRIP_WIDTH + SVG_FUNNEL + LABEL_WIDTH;
	svg->has_bars = right > left + BAR_WIDTH + 8 + BAR_PLOT_MIN;
	if (svg->has_bars)
		right -= BAR_WIDTH + 8;
	set_time(svg, left, right, BREAK_WIDTH, bottom > top + 250 ? STORY_ROWS : 1);
	const unsigned y = top + PHASE_HEIGHT + 6 + (unsigned)svg->row_count * ROW_HEIGHT;

	svg->plot.y = y;
	svg->plot.height = bottom > y + 50 ? bottom - y : 50;
	svg->strip = (struct svg_box){ STRIP_X, y, STRIP_WIDTH, svg->plot.height };
	bands_place(&picture->bands, &(struct band_room){
					     .total = svg->plot.height,
					     .touched = 13,
					     .cold = 4,
					     .beside = svg->plot.height >= 400 ? 17 : 13,
					     .gap = 5,
				     });
}

static void draw(struct svg *svg)
{
	enum { CLOSING_BYTES = 64 };
	size_t note_count, alert_count;
	const char *const *notes = picture_notes(&svg->picture, &note_count, &alert_count);
	unsigned height = svg->options->height, top = svg_head(svg);
	unsigned foot =
		38 + (svg->picture.has_pages ? SVG_LINE : 0) + (unsigned)note_count * 15 + 8;
	unsigned y = height > foot ? height - foot : 0;

	lay_out(svg, top, y);
	y = svg->plot.y + svg->plot.height + 38;
	if (svg->picture.has_pages)
		svg_strip(svg);
	if (svg->picture.bands.point_count > 0) {
		add_bands(svg);
		add_time_axis(svg);
		add_breaks(svg);
		add_phases(svg);
		if (svg->has_story)
			add_rows(svg,
				 svg->plot.y - PHASE_HEIGHT - 5 -
					 (unsigned)svg->row_count * ROW_HEIGHT,
				 ROW_HEIGHT);
	} else {
		svg_text(svg, svg->plot.x, svg->plot.y + 20, "soft", 13, svg->plot.width,
			 "There is no fault to show.");
	}
	if (svg->picture.has_pages) {
		y += SVG_LINE - 6;
		add_strip_legend(svg, y);
	}
	for (size_t i = 0; i < note_count; i++) {
		y += 15;
		svg_text(svg, SVG_MARGIN, y, i < alert_count ? "alert" : "soft", SVG_SMALL,
			 svg->options->width - 2 * SVG_MARGIN, notes[i]);
	}
	const size_t taken = svg->buf.length + CLOSING_BYTES;

	svg_marks(svg, taken < RENDER_SVG_BYTES_MAX ? RENDER_SVG_BYTES_MAX - taken : 0);
	strbuf_puts(&svg->buf, "</svg>\n");
}

/** A picture for a README: the account, the dearest finding and what the first thread did. */
static void draw_small(struct svg *svg)
{
	svg_small(svg);
	svg->plot.y = 134;
	svg->plot.height = 26;
	set_time(svg, SVG_MARGIN + LABEL_WIDTH, svg->options->width - SVG_MARGIN, 0, 1);
	if (svg->has_story) {
		add_rows(svg, svg->plot.y, svg->plot.height);
		add_axis_ticks(svg);
	}
	strbuf_puts(&svg->buf, "</svg>\n");
}

bool render_svg(const struct model *model, const struct render_picture_options *options, FILE *out)
{
	struct svg svg = { .options = options };
	const unsigned other = OTHER_ROOM + (model->account ? STORY_ROOM : 0);
	size_t limit =
		options->height > other + 3 * BAND_ROOM ? (options->height - other) / BAND_ROOM : 3;

	picture_init(&svg.picture, model, options, limit);
	svg.has_story = story_tell(&svg.story, model, &svg_terminal, &svg.picture.arena);
	if (options->is_small)
		draw_small(&svg);
	else
		draw(&svg);
	fwrite(svg.buf.text, 1, svg.buf.length, out);
	strbuf_deinit(&svg.buf);
	picture_deinit(&svg.picture);
	return fflush(out) == 0 && !ferror(out);
}
