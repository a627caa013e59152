// SPDX-License-Identifier: Apache-2.0
// A graph as one static picture.

#include "base/cleanup.h"
#include "base/figure.h"
#include "render/escape.h"
#include "render/palette.h"
#include "render/graph/layout.h"
#include "render/graph/graphviz.h"

#include <string.h>

enum {
	MARGIN = 16,
	HEAD = 60,
	WIDTH_MIN = 760,
	TITLE_FONT = 16,
	TITLE_LETTER = 10,
	BAR = 4,
	EDGE_MAX = 20
};

#define LABELLED_SHARE 0.03

/** A picture being written. */
struct picture_of_graph {
	struct graph graph;
	struct graph_layout layout;
	struct strbuf buf;
};

static void picture_deinit(struct picture_of_graph *picture)
{
	strbuf_deinit(&picture->buf);
	graph_layout_deinit(&picture->layout);
	graph_deinit(&picture->graph);
}

static double share_of(const struct graph *graph, uint64_t faults)
{
	return graph->faults ? (double)faults / (double)graph->faults : 0;
}

static void add_colors(struct strbuf *buf, bool is_dark)
{
	unsigned count;
	const struct palette_group *groups = palette_groups(PALETTE_INITIATOR, &count);

	for (unsigned i = 0; i < count; i++) {
		const char *color = is_dark ? groups[i].dark : groups[i].light;

		strbuf_printf(buf, ".e%u,.n%u{stroke:%s}.b%u{fill:%s}", i, i, color, i, color);
	}
}

static void add_style(struct strbuf *buf)
{
	strbuf_puts(buf, "<style>"
			 "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',"
			 "Arial,sans-serif;font-size:12px;fill:#1c1b22}"
			 ".bold{font-weight:600}.soft{fill:#5b5a66}.title{font-size:16px}"
			 ".count{text-anchor:middle;paint-order:stroke;stroke:" PALETTE_LIGHT
			 ";stroke-width:4px}"
			 ".paper{fill:" PALETTE_LIGHT "}"
			 ".node{fill:" PALETTE_LIGHT ";stroke-width:1.5}"
			 ".edge{fill:none;stroke-opacity:.5}"
			 ".need{fill:none;stroke:#8a8a99}.tip{fill:#8a8a99}");
	add_colors(buf, false);
	strbuf_puts(buf, "\n@media (prefers-color-scheme:dark){"
			 "text{fill:#e8e8ee}.soft{fill:#a9a9b8}.count{stroke:" PALETTE_DARK "}"
			 ".paper,.node{fill:" PALETTE_DARK "}");
	add_colors(buf, true);
	strbuf_puts(buf, "}</style>\n"
			 "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
			 "markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\" "
			 "markerUnits=\"userSpaceOnUse\">"
			 "<path class=\"tip\" d=\"M0 0L10 5L0 10z\"/></marker></defs>\n");
}

static void add_text(struct strbuf *buf, double x, double y, const char *class, const char *text)
{
	strbuf_printf(buf, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	escape_xml(buf, text);
	strbuf_puts(buf, "</text>\n");
}

static void add_head(struct picture_of_graph *picture)
{
	struct strbuf *buf = &picture->buf;
	double width = picture->layout.width + 2 * MARGIN;
	double height = picture->layout.height + HEAD + MARGIN;
	double title = (double)strlen(picture->graph.title) * TITLE_LETTER + 2 * MARGIN;

	if (width < title)
		width = title;
	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	strbuf_printf(buf,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		      "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title\">\n"
		      "<title id=\"title\">",
		      width, height, width, height);
	escape_xml(buf, picture->graph.title);
	strbuf_puts(buf, "</title>\n<desc>");
	escape_xml(buf, picture->graph.explained);
	strbuf_puts(buf, "</desc>\n");
	add_style(buf);
	strbuf_printf(buf, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width,
		      height);
	add_text(buf, MARGIN, MARGIN + TITLE_FONT - 2, "bold title", picture->graph.title);
	add_text(buf, MARGIN, MARGIN + TITLE_FONT + GRAPH_LINE + 2, "soft",
		 picture->graph.explained);
}

static void add_path(struct strbuf *buf, const struct graph_path *path)
{
	strbuf_printf(buf, "M%.1f %.1f", path->points[0].x, path->points[0].y);
	for (size_t i = 1; i < path->count; i++)
		strbuf_printf(buf, "%s%.1f %.1f", i % 3 == 1 ? "C" : " ", path->points[i].x,
			      path->points[i].y);
}

/** The middle of the middle curve. */
static struct graph_point middle_of(const struct graph_path *path)
{
	size_t curve = (path->count - 1) / 3 / 2;
	const struct graph_point *p = path->points + 3 * curve;

	return (struct graph_point){ (p[0].x + 3 * p[1].x + 3 * p[2].x + p[3].x) / 8,
				     (p[0].y + 3 * p[1].y + 3 * p[2].y + p[3].y) / 8 };
}

static void add_edge(struct picture_of_graph *picture, size_t index)
{
	const struct graph *graph = &picture->graph;
	const struct graph_edge *edge = &graph->edges[index];
	const struct graph_path *path = &picture->layout.paths[index];
	struct strbuf *buf = &picture->buf;
	struct arena *arena = &picture->graph.arena;

	if (path->count < 4)
		return;
	if (graph->kind == GRAPH_CAUSES)
		strbuf_printf(buf, "<path class=\"edge e%u\" stroke-width=\"%.1f\" d=\"",
			      edge->initiator, 1 + (EDGE_MAX - 1) * share_of(graph, edge->faults));
	else
		strbuf_puts(buf, "<path class=\"need\" marker-end=\"url(#tip)\" d=\"");
	add_path(buf, path);
	strbuf_puts(buf, "\"><title>");
	escape_xml(buf, graph->nodes[edge->from].name);
	strbuf_puts(buf, graph->kind == GRAPH_CAUSES ? " touched " : " needs ");
	escape_xml(buf, graph->nodes[edge->to].name);
	if (graph->kind == GRAPH_CAUSES)
		escape_xml(buf,
			   arena_printf(
				   arena, ": %s fault%s, %s, mostly %s",
				   figure_number(arena, edge->faults), figure_plural(edge->faults),
				   figure_percent(arena, edge->faults, graph->faults),
				   model_initiator_name((enum model_initiator)edge->initiator)));
	strbuf_puts(buf, "</title></path>\n");
}

static void add_edge_count(struct picture_of_graph *picture, size_t index)
{
	const struct graph_edge *edge = &picture->graph.edges[index];
	const struct graph_path *path = &picture->layout.paths[index];

	if (path->count < 4 || share_of(&picture->graph, edge->faults) < LABELLED_SHARE)
		return;
	struct graph_point at = middle_of(path);

	add_text(&picture->buf, at.x, at.y + GRAPH_FONT / 3.0, "count",
		 figure_number(&picture->graph.arena, edge->faults));
}

static void add_node(struct picture_of_graph *picture, size_t index)
{
	const struct graph_node *node = &picture->graph.nodes[index];
	const struct graph_box *box = &picture->layout.boxes[index];
	struct strbuf *buf = &picture->buf;

	strbuf_printf(buf, "<g><title>");
	escape_xml(buf, node->name);
	strbuf_printf(buf,
		      "</title><rect class=\"node n%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		      "height=\"%.1f\" rx=\"4\"/>\n"
		      "<rect class=\"b%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
		      node->initiator, box->x, box->y, box->width, box->height, node->initiator,
		      box->x, box->y + box->height - BAR,
		      box->width * share_of(&picture->graph, node->faults), BAR);
	for (size_t i = 0; i < node->line_count; i++)
		add_text(buf, box->x + GRAPH_PADDING,
			 box->y + GRAPH_PADDING + GRAPH_FONT + (double)(i * GRAPH_LINE),
			 i ? "soft" : "bold", node->lines[i]);
	strbuf_puts(buf, "</g>\n");
}

bool render_graph_svg(const struct model *model, enum graph_kind kind,
		      const struct graph_options *options, FILE *out, struct err *err)
{
	CLEANUP(picture_deinit) struct picture_of_graph picture = { 0 };
	const struct graph *graph = &picture.graph;

	graph_build(&picture.graph, model, kind, options);
	if (!graph_layout_init(&picture.layout, &picture.graph, err))
		return false;
	add_head(&picture);
	strbuf_printf(&picture.buf, "<g transform=\"translate(%d %d)\">\n", MARGIN, HEAD);
	for (size_t i = 0; i < graph->edge_count; i++)
		add_edge(&picture, i);
	for (size_t i = 0; i < graph->node_count; i++)
		add_node(&picture, i);
	if (kind == GRAPH_CAUSES)
		for (size_t i = 0; i < graph->edge_count; i++)
			add_edge_count(&picture, i);
	strbuf_puts(&picture.buf, "</g>\n</svg>\n");
	fwrite(picture.buf.text, 1, picture.buf.length, out);
	return (fflush(out) == 0 && !ferror(out)) || err_os(err, "writing");
}

bool render_graph_dot(const struct model *model, enum graph_kind kind,
		      const struct graph_options *options, FILE *out, struct err *err)
{
	CLEANUP(graph_deinit) struct graph graph = { 0 };

	if (!graphviz_is_there)
		return err_set(err, ERR_UNSUPPORTED,
			       "this elfault was built without graphviz, which writes .dot");
	graph_build(&graph, model, kind, options);
	return graphviz_write(&graph, out) || err_os(err, "writing");
}
