// SPDX-License-Identifier: Apache-2.0
#include "render/graph/graph.h"

#include "base/cleanup.h"
#include "render/graph/layout.h"
#include "render/columns/node.h"

#include <math.h>

/** Whole pixels are fine enough, and short. */
static struct json_object *pixels(double number)
{
	return json_object_new_int64((int64_t)lround(number));
}

/** Return the word of a fault that the node stands for, as a filter has it; NULL: none. */
static const char *word_of(const struct graph *graph, const struct graph_node *node)
{
	switch (node->role) {
	case GRAPH_INITIATOR:
		return "initiator";
	case GRAPH_INITIALIZER:
		return "initializer";
	case GRAPH_BLAME:
		return "blame";
	case GRAPH_SECTION:
		return "section";
	case GRAPH_SYMBOL:
		return "symbol";
	case GRAPH_OBJECT:
		// Among what was touched it stands for a part of the object only.
		return graph->kind == GRAPH_OBJECTS ? "object" : NULL;
	case GRAPH_OTHER_CAUSES:
	case GRAPH_NOWHERE:
	case GRAPH_OTHER_PLACES:
	case GRAPH_MEMORY:
	case GRAPH_OTHER_OBJECTS:
		break;
	}
	return NULL;
}

static struct json_object *node_new(const struct model *model, const struct graph *graph,
				    const struct graph_layout *layout, size_t index)
{
	const struct graph_node *from = &graph->nodes[index];
	const struct graph_box *box = &layout->boxes[index];
	struct json_object *object = node_object(), *lines = node_array();
	bool is_symbol = from->role == GRAPH_SYMBOL;
	const char *word = word_of(graph, from);

	for (size_t i = 0; i < from->line_count; i++)
		node_append(lines, node_text(from->lines[i]));
	node_add(object, "x", pixels(box->x));
	node_add(object, "y", pixels(box->y));
	node_add(object, "width", pixels(box->width));
	node_add(object, "height", pixels(box->height));
	node_add(object, "lines", lines);
	node_add_text(object, "name", from->name);
	node_add_number(object, "faults", from->faults);
	node_add_number(object, "initiator", from->initiator);
	node_add_text(object, "word", word);
	node_add_known(object, "index", word && !is_symbol, from->index);
	if (is_symbol) {
		node_add_text(object, "symbol", model->symbols[from->index].name);
		node_add_number(object, "object", model->symbols[from->index].object);
	}
	return object;
}

static struct json_object *edge_new(const struct graph_edge *from, const struct graph_path *path)
{
	struct json_object *object = node_object(), *points = node_array();

	for (size_t i = 0; i < path->count; i++) {
		node_append(points, pixels(path->points[i].x));
		node_append(points, pixels(path->points[i].y));
	}
	node_add_number(object, "from", from->from);
	node_add_number(object, "to", from->to);
	node_add_number(object, "faults", from->faults);
	node_add_number(object, "initiator", from->initiator);
	node_add(object, "points", points);
	return object;
}

static struct json_object *graph_new(const struct model *model, enum graph_kind kind)
{
	CLEANUP(graph_deinit) struct graph graph = { 0 };
	CLEANUP(graph_layout_deinit) struct graph_layout layout = { 0 };
	struct json_object *object = node_object();
	struct json_object *nodes = node_array(), *edges = node_array();
	struct err err = { 0 };

	graph_build(&graph, model, kind, &(struct graph_options){ .min_share = -1 });
	bool ok = graph_layout_init(&layout, &graph, &err);

	for (size_t i = 0; ok && i < graph.node_count; i++)
		node_append(nodes, node_new(model, &graph, &layout, i));
	for (size_t i = 0; ok && i < graph.edge_count; i++)
		node_append(edges, edge_new(&graph.edges[i], &layout.paths[i]));
	node_add_text(object, "missing", ok ? NULL : err.message);
	node_add(object, "width", pixels(ok ? layout.width : 0));
	node_add(object, "height", pixels(ok ? layout.height : 0));
	node_add_text(object, "explained", graph.explained);
	node_add(object, "nodes", nodes);
	node_add(object, "edges", edges);
	return object;
}

struct json_object *graphjson_new(const struct model *model)
{
	struct json_object *object = node_object();

	node_add(object, "causes", graph_new(model, GRAPH_CAUSES));
	node_add(object, "objects", graph_new(model, GRAPH_OBJECTS));
	return object;
}
