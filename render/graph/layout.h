// SPDX-License-Identifier: Apache-2.0
// Placement of the nodes and edges of a graph. Graphviz decides, in a process of its own with
// limits; it gets sizes and numbers, no name.
#pragma once

#include "base/err.h"
#include "render/graph/graph.h"

struct graph_point {
	double x, y;
};

struct graph_box {
	double x, y; // its corner at the top left
	double width, height;
};

/** A start, then three points for each Bézier curve: two that it bends to, and where it ends. */
struct graph_path {
	const struct graph_point *points;
	size_t count;
};

/** Pixels; y grows downwards. */
struct graph_layout {
	struct arena arena;
	double width, height;
	const struct graph_box *boxes;	// beside graph.nodes
	const struct graph_path *paths; // beside graph.edges
};

/**
 * Lay out @graph; release with graph_layout_deinit(), also after a failure.
 * @err: ERR_UNSUPPORTED (built without graphviz) or why graphviz failed or was ended.
 */
bool graph_layout_init(struct graph_layout *layout, const struct graph *graph, struct err *err);
void graph_layout_deinit(struct graph_layout *layout);

/** How large the letters on nodes are, and how far apart their lines. */
enum { GRAPH_FONT = 12, GRAPH_LINE = 16, GRAPH_PADDING = 8 };
