// SPDX-License-Identifier: Apache-2.0
// The layout strip of the SVG picture: the whole file to scale, what became of its pages, and lines
// to the bands, which are not to scale.
#include "render/picture/svg.h"

#include "base/figure.h"

#include <math.h>

/** The strip's row of each state is as long as its share of the row's pages, the hottest first. */
static void add_state(struct svg *svg, enum page_state state, const char *class)
{
	const struct svg_box *strip = &svg->strip;
	const struct pages *pages = &svg->picture.pages;
	double row = (double)pages->size / strip->height;
	unsigned last_x = 0, last_end = 0, since = 0;

	if (pages->totals[state] == 0)
		return;
	strbuf_printf(&svg->buf, "<path class=\"%s\" d=\"", class);
	for (unsigned y = 0; y <= strip->height; y++) {
		double shares[PAGE_STATES] = { 0 };
		double before = 0;

		if (y < strip->height)
			pages_shares(pages, y * row, row, shares);
		for (enum page_state hotter = PAGE_WRITTEN; hotter > state; hotter--)
			before += shares[hotter];
		unsigned x = (unsigned)lround(before * strip->width);
		unsigned end = (unsigned)lround((before + shares[state]) * strip->width);

		// A single page in a row of many is worth a pixel.
		if (shares[state] > 0 && end == x)
			end = x < strip->width ? x + 1 : x;
		if (x == last_x && end == last_end)
			continue;
		if (last_end > last_x)
			strbuf_printf(&svg->buf, "M%u %uh%uv%uh-%uz", strip->x + last_x,
				      strip->y + since, last_end - last_x, y - since,
				      last_end - last_x);
		last_x = x;
		last_end = end;
		since = y;
	}
	strbuf_printf(&svg->buf, "\"><title>%s pages %s</title></path>\n",
		      figure_number(&svg->picture.arena, pages->totals[state]),
		      page_state_name(state));
}

/** From where a band's bytes lie in the strip to the band. */
static void add_connectors(struct svg *svg)
{
	const struct bands *bands = &svg->picture.bands;
	const struct svg_box *strip = &svg->strip;
	unsigned left = strip->x + strip->width, right = left + SVG_FUNNEL;
	const struct scale scale = { 0, svg->picture.pages.size, strip->y, strip->height };

	array_foreach (band, bands->items, bands->file_count) {
		unsigned top = svg->plot.y + band->top;

		if (band->faults == 0)
			continue;
		strbuf_printf(&svg->buf,
			      "<path class=\"funnel\" d=\"M%u %.1fC%u %.1f %u %u %u %uV%uC%u %u %u "
			      "%.1f %u %.1fz\"/>\n",
			      left, scale_place(&scale, band->range.start), (left + right) / 2,
			      scale_place(&scale, band->range.start), (left + right) / 2, top,
			      right, top, top + band->height, (left + right) / 2,
			      top + band->height, (left + right) / 2,
			      scale_place(&scale, band->range.end), left,
			      scale_place(&scale, band->range.end));
	}
}

void svg_strip(struct svg *svg)
{
	struct arena *arena = &svg->picture.arena;
	const struct svg_box *strip = &svg->strip;
	const struct scale scale = { 0, svg->picture.pages.size, strip->y, strip->height };
	size_t count;
	const struct scale_tick *ticks =
		scale_size_ticks(arena, &scale, strip->height / 40 + 1, &count);

	add_connectors(svg);
	svg_rect(svg, strip, "cold", "not seen to be mapped");
	add_state(svg, PAGE_AROUND, "mapped");
	add_state(svg, PAGE_FAULTED, "faulted");
	add_state(svg, PAGE_WRITTEN, "written");
	svg_rect(svg, strip, "frame", NULL);
	for (size_t i = 0; i < count; i++) {
		unsigned y = (unsigned)ticks[i].place;

		strbuf_printf(&svg->buf, "<path class=\"axis\" d=\"M%u %uh4\"/>\n", strip->x - 4,
			      y);
		svg_text(svg, strip->x - 7, y + 4, "end soft", SVG_SMALL, strip->x, ticks[i].label);
	}
}
