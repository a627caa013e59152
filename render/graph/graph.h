// SPDX-License-Identifier: Apache-2.0
// A graph of a model as plain data: who causes what, or the objects and what they need. Pruned to
// what matters; what is left out stands in nodes of its own, with its faults.
#pragma once

#include "model/model.h"
#include "render/render.h"

#include <stdbool.h>

/** Roles of a node, and the table that its index is into. */
enum graph_role {
	// Causes, left.
	GRAPH_INITIATOR,   // the kernel, ld.so, code that nobody is blamed for, or many causes that
			   // are small alone: model_initiator
	GRAPH_INITIALIZER, // model.initializers
	GRAPH_BLAME,	   // model.functions
	GRAPH_OTHER_CAUSES,
	// What they touched, right.
	GRAPH_SECTION, // model.sections
	GRAPH_SYMBOL,  // model.symbols
	GRAPH_NOWHERE, // no mapping known
	GRAPH_OTHER_PLACES,
	// Objects; among what was touched, what is small alone of one.
	GRAPH_OBJECT, // model.objects
	GRAPH_MEMORY, // memory outside files, also where no mapping is known
	GRAPH_OTHER_OBJECTS,
};

enum { GRAPH_LINES = 5 };

struct graph_node {
	enum graph_role role;
	uint32_t index;	     // MODEL_NONE where the role has none
	uint64_t faults;     // all of what it stands for, also those whose edge was too thin
	uint64_t stands_for; // how many causes, places or objects were summed in it
	uint8_t initiator;   // of most of its faults
	uint64_t initiator_faults;
	// For people, at most 48 letters each: the name, then what is to be known of it. Valid
	// UTF-8 without control characters.
	const char *lines[GRAPH_LINES];
	size_t line_count;
	const char *name; // the whole of the first line, up to 400 letters
};

struct graph_edge {
	uint32_t from, to; // into nodes
	uint64_t faults;   // 0: needed, among objects
	uint8_t initiator; // of most of them
};

/** Nodes by side, then most faults first, those of what was pruned last; edges by node. */
struct graph {
	struct arena arena;
	enum graph_kind kind;
	uint64_t faults;     // of the model
	uint64_t least;	     // nodes that would have fewer were pruned
	uint64_t least_edge; // between causes and places; a quarter, since many make a node
	// Among causes the faults of all edges are the model's. These are between nodes that are
	// drawn, but went to the other places, since the edge would have been too thin.
	uint64_t thin;
	const char *title;
	const char *explained; // one line: how to read it
	struct graph_node *nodes;
	size_t node_count;
	struct graph_edge *edges;
	size_t edge_count;
};

/**
 * Limits of what can be seen at a glance: of causes, of causes of few faults, and of the fewer
 * objects.
 */
#define GRAPH_MIN_SHARE_CAUSES	1.0
#define GRAPH_MIN_SHARE_FEW	3.0
#define GRAPH_MIN_SHARE_OBJECTS 0.2
enum { GRAPH_FEW_FAULTS = 1000 };

/** However small min_share: sides of this many nodes; this many edges between causes and places,
 * those of pruned nodes not counted. */
enum { GRAPH_SIDE_MAX = 60, GRAPH_EDGES_MAX = 400 };

/**
 * Fill @graph; release it with graph_deinit(). O(faults log faults). Not graph_init(): graphviz has
 * a function of that name, and would call this one.
 */
void graph_build(struct graph *graph, const struct model *model, enum graph_kind kind,
		 const struct graph_options *options);
void graph_deinit(struct graph *graph);
