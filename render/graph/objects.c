// SPDX-License-Identifier: Apache-2.0
// The graph of objects: those that fault, and which of them ask for which.
#include "render/graph/parts.h"

#include "base/cleanup.h"
#include "base/vec.h"

#include <string.h>

/** Sums of what has no node of its own. */
struct rest {
	uint64_t faults, stands_for;
	uint64_t by_initiator[MODEL_INITIATORS];
};

static void count_rest(struct rest *rest, const struct model_object *object)
{
	rest->faults += object->count.faults;
	rest->stands_for++;
	for (unsigned i = 0; i < MODEL_INITIATORS; i++)
		rest->by_initiator[i] += object->by_initiator[i];
}

static uint32_t add_node(struct graph *graph, enum graph_role role, uint32_t index,
			 const struct rest *of)
{
	struct graph_node *node = &graph->nodes[graph->node_count];

	*node = (struct graph_node){
		.role = role,
		.index = index,
		.faults = of->faults,
		.stands_for = of->stands_for,
	};
	for (uint8_t i = 0; i < MODEL_INITIATORS; i++)
		if (of->by_initiator[i] > of->by_initiator[node->initiator])
			node->initiator = i;
	node->initiator_faults = of->by_initiator[node->initiator];
	return (uint32_t)graph->node_count++;
}

/** Count the faults of no object: no mapping is known for them. */
static void count_nowhere(struct rest *rest, const struct model *model)
{
	bool any = false;

	for (size_t i = 0; i < model->fault_count; i++) {
		if (model->faults[i].at.object != MODEL_NONE)
			continue;
		rest->faults++;
		rest->by_initiator[model->faults[i].initiator]++;
		any = true;
	}
	rest->stands_for += any;
}

/** @nodes: by object, 1 + its node. An edge to one that is drawn is drawn; one to any others once.
 */
static void add_edges(struct graph *graph, const struct model *model, const uint32_t *nodes,
		      uint32_t others)
{
	VEC(struct graph_edge) edges = { 0 };

	for (size_t i = 0; i < graph->node_count; i++) {
		if (graph->nodes[i].role != GRAPH_OBJECT)
			continue;
		const struct model_object *object = &model->objects[graph->nodes[i].index];
		bool needs_others = false;

		for (size_t n = 0; n < object->needed_count; n++) {
			if (nodes[object->needed[n]])
				vec_push(&edges,
					 (struct graph_edge){ .from = (uint32_t)i,
							      .to = nodes[object->needed[n]] - 1 });
			else
				needs_others |= model->objects[object->needed[n]].count.faults > 0;
		}
		if (needs_others && others != MODEL_NONE)
			vec_push(&edges, (struct graph_edge){ .from = (uint32_t)i, .to = others });
	}
	graph->edges = vec_keep_counted(&edges, &graph->arena, &graph->edge_count);
}

void graph_add_objects(struct graph_making *making)
{
	struct graph *graph = making->graph;
	const struct model *model = making->model;
	CLEANUP(freep) uint32_t *nodes = xcalloc(model->object_count + 1, sizeof(*nodes));
	struct rest memory = { 0 }, pruned = { 0 };
	uint32_t others = MODEL_NONE;

	graph->nodes = arena_array(&graph->arena, GRAPH_SIDE_MAX + 2, sizeof(*graph->nodes));
	for (size_t i = 0; i < model->shown_count; i++) { // most faults first
		const struct model_object *object = &model->objects[model->shown[i]];
		struct rest own = { 0 };

		if (!object->is_file) {
			count_rest(&memory, object);
		} else if (object->count.faults < graph->least ||
			   graph->node_count >= GRAPH_SIDE_MAX) {
			count_rest(&pruned, object);
		} else {
			count_rest(&own, object);
			nodes[model->shown[i]] =
				1 + add_node(graph, GRAPH_OBJECT, model->shown[i], &own);
		}
	}
	count_nowhere(&memory, model);
	if (memory.stands_for)
		add_node(graph, GRAPH_MEMORY, MODEL_NONE, &memory);
	if (pruned.stands_for)
		others = add_node(graph, GRAPH_OTHER_OBJECTS, MODEL_NONE, &pruned);
	add_edges(graph, model, nodes, others);
}
