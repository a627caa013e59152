// SPDX-License-Identifier: Apache-2.0
// Makers of a graph: its two kinds, and the text on its nodes.
#pragma once

#include "render/graph/graph.h"

struct graph_making {
	struct graph *graph;
	const struct model *model;
	const struct graph_options *options;
};

/** Fill nodes and edges of a graph of GRAPH_OBJECTS: graphobjects.c. */
void graph_add_objects(struct graph_making *making);

/** Write what stands on each node and above the graph: graphlabel.c. */
void graph_add_labels(struct graph_making *making);
