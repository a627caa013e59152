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
	strbuf_puts(&svg->buf, "}</style>\n");
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
		 arena_printf(&picture->arena, "Page faults of %s", picture->command));
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
		add_shares(svg, y);
		y = add_legend(svg, y + SHARE_HEIGHT + 19);
	}
	return y;
}
