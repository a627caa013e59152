// SPDX-License-Identifier: Apache-2.0
// The head of the SVG picture: its style, what it is of, and what the colours mean.
#include "render/picture/svg.h"
#include "render/table/table.h"

#include <stdio.h>

enum { SHARE_HEIGHT = 24 };

// ---- Style ------------------------------------------------------------------------------------

static void add_groups_style(struct svg *svg, bool is_dark)
{
	const struct picture *picture = &svg->picture;

	for (unsigned i = 0; i < picture->group_count; i++) {
		const char *color = is_dark ? picture->groups[i].dark : picture->groups[i].light;

		strbuf_printf(&svg->buf, ".g%u{fill:%s}.on%u{fill:%s}", i, color, i,
			      palette_text_on(color));
	}
}

/** Hues of causes; textures of states are over them. */
static void add_causes_style(struct svg *svg, bool is_dark)
{
	unsigned count;
	const struct palette_group *causes = palette_groups(PALETTE_INITIATOR, &count);

	if (!svg->has_story)
		return;
	strbuf_puts(&svg->buf, ".dots{fill:url(#dots)}.hatch{fill:url(#hatch)}.wait{fill:none}."
			       "dots,.hatch{pointer-events:none}"
			       ".late{fill:none;stroke:#8a8a99;stroke-dasharray:3 2}");
	for (unsigned i = 0; i < count; i++) {
		const char *color = is_dark ? causes[i].dark : causes[i].light;

		strbuf_printf(&svg->buf, ".c%u{fill:%s}.oc%u{fill:%s}", i, color, i,
			      palette_text_on(color));
	}
}

static void add_style(struct svg *svg)
{
	strbuf_puts(
		&svg->buf,
		"<style>"
		"text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',Arial,"
		"sans-serif;fill:#1c1b22}"
		".bold{font-weight:600}.soft{fill:#5b5a66}.end{text-anchor:end}"
		".middle{text-anchor:middle}.alert{fill:#b00020;font-weight:600}"
		".paper{fill:" PALETTE_LIGHT "}.band{fill:#f4f4f8}.band2{fill:#ececf3}"
		".still{fill:#fafafc}.phase{fill:#dfe0ec}.phase2{fill:#cfd1e2}"
		".funnel{fill:#dfe0ec;opacity:.7}.around{fill:#c9cbe0}"
		".cold{fill:#f0f0f4}.mapped{fill:#c3c5d8}.faulted{fill:#7d7f9c}.written{fill:#"
		"2b2a3a}"
		".frame{fill:none;stroke:#8a8a99;stroke-width:1}"
		".axis{stroke:#8a8a99;stroke-width:1;fill:none}"
		".grid{stroke:#1c1b22;stroke-opacity:.1;stroke-width:1;fill:none}"
		".border{stroke:#5b5a66;stroke-width:1;stroke-dasharray:2 3;fill:none}"
		".major{stroke:#1c1b22;stroke-width:1}"
		"path,rect{shape-rendering:crispEdges}.funnel{shape-rendering:auto}");
	add_groups_style(svg, false);
	add_causes_style(svg, false);
	strbuf_puts(&svg->buf,
		    "\n@media (prefers-color-scheme:dark){"
		    "text{fill:#e8e8ee}.soft{fill:#a9a9b8}.alert{fill:#ff8a8a}"
		    ".paper{fill:" PALETTE_DARK "}.band{fill:#1e2028}.band2{fill:#262934}"
		    ".still{fill:#191b21}.phase{fill:#343849}.phase2{fill:#444a60}"
		    ".funnel{fill:#343849}.around{fill:#3d4157}"
		    ".cold{fill:#22242c}.mapped{fill:#454a63}.faulted{fill:#8a8fb5}"
		    ".written{fill:#f0f0f8}"
		    ".frame,.axis{stroke:#777788}.grid{stroke:#e8e8ee}.border{stroke:#a9a9b8}"
		    ".major{stroke:#fff}");
	add_groups_style(svg, true);
	add_causes_style(svg, true);
	strbuf_puts(&svg->buf, "}</style>\n");
	if (svg->has_story)
		strbuf_puts(&svg->buf,
			    "<defs><pattern id=\"dots\" width=\"4\" height=\"4\" "
			    "patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h2v2h-2zM2 2h2v2h-2z\" "
			    "fill=\"#fff\" fill-opacity=\".55\"/></pattern>"
			    "<pattern id=\"hatch\" width=\"6\" height=\"6\" "
			    "patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\" "
			    "stroke=\"#fff\" stroke-opacity=\".75\" stroke-width=\"2\"/></pattern>"
			    "</defs>\n");
}

// ---- Head -------------------------------------------------------------------------------------

static void add_start(struct svg *svg, const char *counts)
{
	const struct render_picture_options *options = svg->options;

	strbuf_printf(&svg->buf,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		      "viewBox=\"0 0 %u %u\" role=\"img\" aria-labelledby=\"title counts\">\n"
		      "<title id=\"title\">Page faults of ",
		      options->width, options->height, options->width, options->height);
	svg_name(svg, svg->picture.command, SVG_NAME_MAX);
	strbuf_puts(&svg->buf, "</title>\n<desc id=\"counts\">");
	svg_name(svg, svg->picture.name, SVG_NAME_MAX);
	strbuf_printf(&svg->buf, ": %s</desc>\n", counts);
	add_style(svg);
	svg_rect(svg, &(struct svg_box){ 0, 0, options->width, options->height }, "paper", NULL);
}

/** One bar for all faults of the object, cut by group. */
static void add_shares(struct svg *svg, unsigned y)
{
	struct picture *picture = &svg->picture;
	unsigned room = svg->options->width - 2 * SVG_MARGIN, done = 0;
	uint64_t whole = picture->weight, before = 0;

	for (unsigned i = 0; i < picture->used; i++) {
		unsigned group = picture->order[i];
		const char *name = picture->groups[group].name;
		const char *share = figure_percent(&picture->arena, picture->weights[group], whole);
		const char *label = arena_printf(&picture->arena, "%s %s", name, share);
		char class[8], on[16];

		before += picture->weights[group];
		unsigned end = (unsigned)((double)room * ((double)before / (double)whole));

		if (end == done)
			continue;
		snprintf(class, sizeof(class), "g%u", group);
		snprintf(on, sizeof(on), "on%u bold", group);
		svg_rect(svg, &(struct svg_box){ SVG_MARGIN + done, y, end - done, SHARE_HEIGHT },
			 class, label);
		if (svg_width(label, SVG_NORMAL) + 12 < end - done)
			svg_text(svg, SVG_MARGIN + done + 8, y + 16, on, SVG_NORMAL, end - done,
				 label);
		else if (svg_width(share, SVG_NORMAL) + 8 < end - done)
			svg_text(svg, SVG_MARGIN + done + 4, y + 16, on, SVG_NORMAL, end - done,
				 share);
		done = end;
	}
}

/** Colours with names, counts and shares; returns the y below it. */
static unsigned add_legend(struct svg *svg, unsigned y)
{
	struct picture *picture = &svg->picture;
	static const char major[] = "outlined: major, storage was read";
	unsigned x = SVG_MARGIN, right = svg->options->width - SVG_MARGIN;
	uint64_t whole = picture->weight;

	for (unsigned i = 0; i < picture->used; i++) {
		unsigned group = picture->order[i];
		const char *label = arena_printf(
			&picture->arena, "%s %s (%s)", picture->groups[group].name,
			picture_weight(picture, &svg_terminal, picture->weights[group]),
			figure_percent(&picture->arena, picture->weights[group], whole));
		unsigned width = 16 + svg_width(label, SVG_NORMAL);
		char class[8];

		if (x + width > right && x > SVG_MARGIN) {
			x = SVG_MARGIN;
			y += SVG_LINE;
		}
		snprintf(class, sizeof(class), "g%u", group);
		svg_rect(svg, &(struct svg_box){ x, y - 10, 11, 11 }, class, NULL);
		svg_text(svg, x + 16, y, "", SVG_NORMAL, right - x, label);
		x += width + 18;
	}
	if (picture->object != MODEL_NONE &&
	    picture->model->objects[picture->object].count.major > 0) {
		if (x + 16 + svg_width(major, SVG_NORMAL) > right) {
			x = SVG_MARGIN;
			y += SVG_LINE;
		}
		svg_rect(svg, &(struct svg_box){ x + 1, y - 9, 9, 9 }, "paper major", NULL);
		svg_text(svg, x + 16, y, "", SVG_NORMAL, right - x, major);
	}
	return y + SVG_LINE;
}

/** The account as a bar: causes with their states. */
static void add_account(struct svg *svg, unsigned y)
{
	const struct story *story = &svg->story;
	struct arena *arena = &svg->picture.arena;
	const double room = (double)(svg->options->width - 2 * SVG_MARGIN);
	uint64_t before = 0;

	for (size_t i = 0; i < story->cell_count;) {
		const enum model_initiator cause = story->cells[i].cause;
		const char *name = model_initiator_name(cause);
		const unsigned start = (unsigned)(room * ((double)before / (double)story->own_ns));
		unsigned done = start;
		char class[16];

		for (; i < story->cell_count && story->cells[i].cause == cause; i++) {
			const struct story_cell *cell = &story->cells[i];

			before += cell->ns;
			const unsigned end =
				(unsigned)(room * ((double)before / (double)story->own_ns));

			if (end > done)
				svg_state(svg,
					  &(struct svg_box){ SVG_MARGIN + done, y, end - done,
							     SHARE_HEIGHT },
					  cause, cell->state,
					  arena_printf(arena, "%s, %s: %s", name,
						       model_state_name(cell->state),
						       table_time(arena, &svg_terminal, cell->ns)));
			done = end;
		}
		const unsigned width = svg_width(name, SVG_SMALL) + 8;

		if (width + 4 >= done - start)
			continue;
		snprintf(class, sizeof(class), "c%u", (unsigned)cause);
		svg_rect(svg, &(struct svg_box){ SVG_MARGIN + start + 3, y + 5, width, 14 }, class,
			 NULL);
		snprintf(class, sizeof(class), "oc%u bold", (unsigned)cause);
		svg_text(svg, SVG_MARGIN + start + 7, y + 16, class, SVG_SMALL, width, name);
	}
}

/** Say where the time went, and what to change. Returns the y of the last line. */
static unsigned add_story(struct svg *svg, unsigned y, size_t cures)
{
	const struct story *story = &svg->story;
	const unsigned room = svg->options->width - 2 * SVG_MARGIN;
	const unsigned width = svg_width(story->time, 15) + 12;

	y += 22;
	svg_text(svg, SVG_MARGIN, y, "bold", 15, room, story->time);
	svg_text(svg, SVG_MARGIN + width, y, "soft", 13, room > width ? room - width : 0,
		 story->causes);
	y += 10;
	add_account(svg, y);
	y += SHARE_HEIGHT + 15;
	svg_text(svg, SVG_MARGIN, y, "soft", SVG_SMALL, room,
		 "Solid: computing; dots: in faults; hatched: waits for storage, dashed: for a "
		 "processor, empty: for something else");
	y += 4;
	for (size_t i = 0; i < story->cure_count && i < cures; i++) {
		y += SVG_LINE - 2;
		svg_text(svg, SVG_MARGIN, y, "", SVG_NORMAL, room, story->cures[i]);
	}
	return y;
}

static const char *lasted(struct picture *picture)
{
	const struct model_trace *trace = &picture->model->trace;

	return trace->times_are_order ? "no times were recorded"
				      : arena_printf(&picture->arena, "recorded for %s",
						     table_time(&picture->arena, &svg_terminal,
								trace->duration_ns));
}

unsigned svg_head(struct svg *svg)
{
	struct picture *picture = &svg->picture;
	unsigned room = svg->options->width - 2 * SVG_MARGIN;
	const char *counts = picture_counts(picture, &svg_terminal);
	const char *headline = picture_headline(picture);
	unsigned y = 34;

	add_start(svg, counts);
	svg_text(svg, SVG_MARGIN, y, "bold", 20, room,
		 svg->has_story
			 ? picture->command
			 : arena_printf(&picture->arena, "Page faults of %s", picture->command));
	if (svg->has_story)
		y = add_story(svg, y, STORY_CURES);
	y += 22;
	svg_text(svg, SVG_MARGIN, y, "soft", 13, room,
		 arena_printf(&picture->arena, "%s: %s; %s", picture->name, counts,
			      lasted(picture)));
	if (headline) {
		y += 23;
		svg_text(svg, SVG_MARGIN, y, "bold", 15, room, headline);
	}
	if (picture->used > 0) {
		y += 11;
		if (!svg->has_story) {
			add_shares(svg, y);
			y += SHARE_HEIGHT;
		}
		y = add_legend(svg, y + (svg->has_story ? 11 : 19));
	}
	return y;
}

void svg_small(struct svg *svg)
{
	struct picture *picture = &svg->picture;
	const unsigned room = svg->options->width - 2 * SVG_MARGIN;

	add_start(svg, picture_counts(picture, &svg_terminal));
	svg_text(svg, SVG_MARGIN, 30, "bold", 20, room, picture->command);
	if (svg->has_story)
		add_story(svg, 32, 1);
	else
		svg_text(svg, SVG_MARGIN, 54, "soft", 13, room, "no time was recorded");
}
