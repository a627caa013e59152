// SPDX-License-Identifier: Apache-2.0
// A graph handed to graphviz: as text with its labels, or for its layout without any name.
#include "render/graph/graphviz.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/palette.h"

#include <ctype.h>
#include <errno.h>
#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>
#include <string.h>

const bool graphviz_is_there = true;

enum { PER_INCH = 72 };

/** The library takes literals as char *; it changes none. */
static char *lit(const char *text)
{
	return (char *)text;
}

static void set(void *of, const char *name, const char *value)
{
	agsafeset(of, lit(name), lit(value), lit(""));
}

/** Whether @text, behind an ampersand, would be read as an entity. */
static bool is_entity(const char *text)
{
	size_t length = *text == '#';

	while (isalnum((unsigned char)text[length]))
		length++;
	return length > 0 && text[length] == ';';
}

/**
 * Append @text so that a label shows it as it is: a backslash would begin an escape (\N is the name
 * of the node), an ampersand an entity. Graphviz undoes entities in its SVG once more, so what
 * looks like one gets a word joiner, which nobody sees.
 */
static void add_label(struct strbuf *label, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			strbuf_putc(label, '\\');
		strbuf_putc(label, *text);
		if (*text == '&') {
			strbuf_puts(label, "amp;");
			if (is_entity(text + 1))
				strbuf_puts(label, "\xe2\x81\xa0");
		}
	}
}

static void set_defaults(Agraph_t *graph, bool is_causes)
{
	static const struct {
		int kind;
		const char *name, *value;
	} defaults[] = {
		{ AGRAPH, "fontname", "sans-serif" }, { AGRAPH, "fontsize", "16" },
		{ AGRAPH, "labelloc", "t" },	      { AGNODE, "fontname", "sans-serif" },
		{ AGNODE, "shape", "box" },	      { AGNODE, "style", "rounded" },
		{ AGNODE, "penwidth", "2" },	      { AGEDGE, "fontname", "sans-serif" },
	};

	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		agattr(graph, defaults[i].kind, lit(defaults[i].name), lit(defaults[i].value));
	agattr(graph, AGRAPH, lit("rankdir"), lit(is_causes ? "LR" : "TB"));
	agattr(graph, AGRAPH, lit("ranksep"), lit(is_causes ? "2.5" : "0.8"));
	agattr(graph, AGRAPH, lit("nodesep"), lit("0.15"));
	if (is_causes) {
		agattr(graph, AGEDGE, lit("arrowhead"), lit("none"));
		agattr(graph, AGEDGE, lit("tailport"), lit("e"));
		agattr(graph, AGEDGE, lit("headport"), lit("w"));
	}
}

static Agraph_t *open_graph(const struct graph *graph)
{
	Agraph_t *to = agopen(lit("elfault"), Agstrictdirected, NULL);

	if (!to)
		oom();
	agseterr(AGMAX);
	set_defaults(to, graph->kind == GRAPH_CAUSES);
	return to;
}

static Agnode_t *add_node(Agraph_t *to, size_t index)
{
	char name[24];

	snprintf(name, sizeof(name), "n%zu", index);
	return agnode(to, name, 1);
}

/** Thick edges are drawn straight rather than thin ones. */
static void set_weight(Agedge_t *edge, const struct graph *graph, const struct graph_edge *from)
{
	char text[32];
	uint64_t share = graph->faults ? 100 * from->faults / graph->faults : 0;

	if (graph->kind != GRAPH_CAUSES)
		return;
	snprintf(text, sizeof(text), "%llu", 1 + (unsigned long long)share);
	set(edge, "weight", text);
}

static const char *color_of(uint8_t initiator)
{
	unsigned count;

	return palette_groups(PALETTE_INITIATOR, &count)[initiator].light;
}

static void write_node(Agnode_t *to, const struct graph *graph, const struct graph_node *node)
{
	CLEANUP(strbuf_deinit) struct strbuf label = { 0 };
	char text[32];
	double share = graph->faults ? (double)node->faults / (double)graph->faults : 0;

	for (size_t i = 0; i < node->line_count; i++) {
		if (i > 0)
			strbuf_puts(&label, "\\n"); // the escape that begins a line
		add_label(&label, node->lines[i]);
	}
	set(to, "label", strbuf_text(&label));
	set(to, "color", color_of(node->initiator));
	snprintf(text, sizeof(text), "%.0f", 11 + 13 * share);
	set(to, "fontsize", text);
}

static void write_edge(Agedge_t *to, const struct graph *graph, const struct graph_edge *edge)
{
	char text[32];

	set_weight(to, graph, edge);
	if (graph->kind != GRAPH_CAUSES)
		return;
	set(to, "color", color_of(edge->initiator));
	snprintf(text, sizeof(text), "%.1f", 1 + 19 * (double)edge->faults / (double)graph->faults);
	set(to, "penwidth", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)edge->faults);
	set(to, "label", text);
}

bool graphviz_write(const struct graph *graph, FILE *out)
{
	CLEANUP(strbuf_deinit) struct strbuf label = { 0 };
	CLEANUP(freep) Agnode_t **nodes = xcalloc(graph->node_count + 1, sizeof(Agnode_t *));
	Agraph_t *to = open_graph(graph);

	add_label(&label, graph->title);
	strbuf_puts(&label, "\\n");
	add_label(&label, graph->explained);
	set(to, "label", strbuf_text(&label));
	for (size_t i = 0; i < graph->node_count; i++) {
		nodes[i] = add_node(to, i);
		write_node(nodes[i], graph, &graph->nodes[i]);
	}
	for (size_t i = 0; i < graph->edge_count; i++)
		write_edge(
			agedge(to, nodes[graph->edges[i].from], nodes[graph->edges[i].to], NULL, 1),
			graph, &graph->edges[i]);
	bool ok = agwrite(to, out) == 0 && fflush(out) == 0 && !ferror(out);
	int why = errno;

	agclose(to);
	errno = why;
	return ok;
}

static void put(FILE *out, double number)
{
	fwrite(&number, sizeof(number), 1, out);
}

static void put_point(FILE *out, pointf point)
{
	put(out, point.x);
	put(out, point.y);
}

static void put_edge(FILE *out, Agedge_t *edge)
{
	const splines *all = ED_spl(edge);

	if (!all || all->size < 1) {
		put(out, 0);
		return;
	}
	put(out, all->list[0].size);
	for (int i = 0; i < all->list[0].size; i++)
		put_point(out, all->list[0].list[i]);
}

bool graphviz_layout(const struct graph *graph, const struct graph_box *sizes, FILE *out)
{
	Agnode_t **nodes = xcalloc(graph->node_count + 1, sizeof(Agnode_t *));
	Agedge_t **edges = xcalloc(graph->edge_count + 1, sizeof(Agedge_t *));
	Agraph_t *to = open_graph(graph);
	GVC_t *context = gvContext();
	char text[32];

	agattr(to, AGNODE, lit("fixedsize"), lit("true"));
	agattr(to, AGNODE, lit("label"), lit(""));
	agattr(to, AGEDGE, lit("arrowhead"), lit("none"));
	for (size_t i = 0; i < graph->node_count; i++) {
		nodes[i] = add_node(to, i);
		snprintf(text, sizeof(text), "%.3f", sizes[i].width / PER_INCH);
		set(nodes[i], "width", text);
		snprintf(text, sizeof(text), "%.3f", sizes[i].height / PER_INCH);
		set(nodes[i], "height", text);
	}
	for (size_t i = 0; i < graph->edge_count; i++) {
		edges[i] =
			agedge(to, nodes[graph->edges[i].from], nodes[graph->edges[i].to], NULL, 1);
		set_weight(edges[i], graph, &graph->edges[i]);
	}
	if (!context || gvLayout(context, to, "dot") != 0)
		return false;
	boxf all = GD_bb(to);

	put(out, all.UR.x - all.LL.x);
	put(out, all.UR.y - all.LL.y);
	for (size_t i = 0; i < graph->node_count; i++)
		put_point(out, ND_coord(nodes[i]));
	for (size_t i = 0; i < graph->edge_count; i++)
		put_edge(out, edges[i]);
	free(nodes);
	free(edges);
	return fflush(out) == 0 && !ferror(out);
}
