// SPDX-License-Identifier: Apache-2.0
// The graph of causes: faults are summed by what ran and what it touched, then pruned.
#include "render/graph/graph.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/u64map.h"
#include "base/vec.h"
#include "render/graph/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** The key under which faults were summed, and the node that it became. */
struct end {
	enum graph_role role;
	uint32_t index;
	uint64_t faults;
	uint64_t by_initiator[MODEL_INITIATORS];
	bool is_kept;
	uint32_t group; // that it is summed in where it is small: an initiator, an object
	uint32_t node;
};

/** All causes, or all places. */
struct side {
	VEC(struct end) ends;
	struct u64map by_key; // role and index
	uint32_t others;      // node of those that were pruned
};

struct link {
	uint32_t from, to; // ends; later nodes
	uint64_t faults;
	uint64_t by_initiator[MODEL_INITIATORS];
};

typedef VEC(struct link) link_list;

struct causes {
	const struct model *model;
	struct graph *graph;
	struct side from, to;
	link_list links;
	struct u64map by_ends;
};

static void causes_deinit(struct causes *causes)
{
	vec_deinit(&causes->from.ends);
	vec_deinit(&causes->to.ends);
	vec_deinit(&causes->links);
	u64map_deinit(&causes->from.by_key);
	u64map_deinit(&causes->to.by_key);
	u64map_deinit(&causes->by_ends);
}

/** Nodes of one side: those of large ends, of groups of small ones, and the others. */
enum { GROUPS_MAX = 60, SIDE_NODES = GRAPH_SIDE_MAX + GROUPS_MAX + 1 };

static uint32_t side_count(struct side *side, enum graph_role role, uint32_t index,
			   uint8_t initiator)
{
	uint32_t found = u64map_row(&side->by_key, (uint64_t)role << 32 | index, &side->ends,
				    (struct end){ .role = role, .index = index });
	side->ends.items[found].faults++;
	side->ends.items[found].by_initiator[initiator]++;
	return found;
}

/** Add to the link between two ends, or nodes. */
static struct link *link_between(struct u64map *by_ends, link_list *links, uint32_t from,
				 uint32_t to)
{
	uint32_t found = u64map_row(by_ends, (uint64_t)from << 32 | to, links,
				    (struct link){ .from = from, .to = to });

	return &links->items[found];
}

static uint32_t count_cause(struct causes *causes, const struct model_fault *fault)
{
	uint8_t initiator = fault->initiator;

	// Nobody in the program wrote that code.
	if (model_initiator_work(initiator) == MODEL_WORK_SYSTEM)
		return side_count(&causes->from, GRAPH_INITIATOR, initiator, initiator);
	if (initiator == MODEL_STATIC_INIT && fault->initializer != MODEL_NONE)
		return side_count(&causes->from, GRAPH_INITIALIZER, fault->initializer, initiator);
	if (fault->blame != MODEL_NONE)
		return side_count(&causes->from, GRAPH_BLAME, fault->blame, initiator);
	return side_count(&causes->from, GRAPH_INITIATOR, initiator, initiator);
}

/** A symbol that has much of its section's faults is worth a node beside it. */
static bool stands_out(const struct causes *causes, const struct model_fault *fault)
{
	if (fault->at.name == MODEL_NONE || !causes->model->symbols[fault->at.name].name)
		return false;
	uint64_t faults = causes->model->symbols[fault->at.name].count.faults;

	return faults >= 2 && faults >= causes->graph->least &&
	       faults >= causes->model->sections[fault->at.section].count.faults / 5;
}

static uint32_t count_place(struct causes *causes, const struct model_fault *fault)
{
	if (fault->at.section == MODEL_NONE)
		return side_count(&causes->to, GRAPH_NOWHERE, MODEL_NONE, fault->initiator);
	if (stands_out(causes, fault))
		return side_count(&causes->to, GRAPH_SYMBOL, fault->at.name, fault->initiator);
	return side_count(&causes->to, GRAPH_SECTION, fault->at.section, fault->initiator);
}

static void count_faults(struct causes *causes)
{
	array_foreach (fault, causes->model->faults, causes->model->fault_count) {
		uint32_t from = count_cause(causes, fault), to = count_place(causes, fault);
		struct link *link = link_between(&causes->by_ends, &causes->links, from, to);

		link->faults++;
		link->by_initiator[fault->initiator]++;
	}
}

ORDER_OF_INDEXES(compare_ends, end, ORDER(y->faults, x->faults) ?: ORDER(x->role, y->role) ?:
		 ORDER(x->index, y->index))

static void set_initiator(struct graph_node *node, const uint64_t *by_initiator)
{
	for (uint8_t i = 0; i < MODEL_INITIATORS; i++)
		if (by_initiator[i] > by_initiator[node->initiator])
			node->initiator = i;
	node->initiator_faults = by_initiator[node->initiator];
}

static uint32_t add_node(struct graph *graph, enum graph_role role, uint32_t index,
			 uint64_t stands_for)
{
	graph->nodes[graph->node_count] =
		(struct graph_node){ .role = role, .index = index, .stands_for = stands_for };
	return (uint32_t)graph->node_count++;
}

static void sort_ends(const struct side *side, uint32_t *order)
{
	for (size_t i = 0; i < side->ends.count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, side->ends.count, sizeof(*order), compare_ends, side->ends.items);
}

/** Find the groups of small ends: by their initiator, or by the object that was touched. */
static void find_groups(struct causes *causes)
{
	const struct model *model = causes->model;

	vec_foreach (end, &causes->from.ends) {
		end->group = end->role == GRAPH_INITIATOR ? end->index : 0;
		for (uint8_t i = 0; end->role != GRAPH_INITIATOR && i < MODEL_INITIATORS; i++)
			if (end->by_initiator[i] > end->by_initiator[end->group])
				end->group = i;
	}
	vec_foreach (end, &causes->to.ends)
		end->group = end->role == GRAPH_SECTION	 ? model->sections[end->index].object
			     : end->role == GRAPH_SYMBOL ? model->symbols[end->index].object
							 : MODEL_NONE;
}

/** Small ends of one group become one node, where they are large together; @role: of the group. */
static void side_add_groups(struct causes *causes, struct side *side, enum graph_role role)
{
	struct graph *graph = causes->graph;
	struct side groups = { 0 };
	CLEANUP(freep) uint64_t *members = xcalloc(side->ends.count + 1, sizeof(*members));

	vec_foreach (end, &side->ends) {
		if (end->is_kept || end->group == MODEL_NONE)
			continue;
		uint32_t at = side_count(&groups, role, end->group, 0);

		groups.ends.items[at].faults += end->faults - 1;
		members[at]++;
	}
	CLEANUP(freep) uint32_t *order = xcalloc(groups.ends.count + 1, sizeof(*order));

	sort_ends(&groups, order);
	for (size_t i = 0; i < groups.ends.count && i < GROUPS_MAX; i++) {
		struct end *group = &groups.ends.items[order[i]];

		if (group->faults < graph->least)
			break;
		group->is_kept = true;
		group->node = add_node(graph, role, group->index, members[order[i]]);
	}
	vec_foreach (end, &side->ends) {
		const uint32_t *at = u64map_get(&groups.by_key, (uint64_t)role << 32 | end->group);

		// NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every group has a key
		if (end->is_kept || end->group == MODEL_NONE || !groups.ends.items[*at].is_kept)
			continue;
		end->is_kept = true;
		end->node = groups.ends.items[*at].node;
	}
	vec_deinit(&groups.ends);
	u64map_deinit(&groups.by_key);
}

/** Give nodes to the ends that are large enough, and one to all others, which may stay unused. */
static void side_add_nodes(struct causes *causes, struct side *side, enum graph_role group,
			   enum graph_role others)
{
	struct graph *graph = causes->graph;
	CLEANUP(freep) uint32_t *order = xcalloc(side->ends.count + 1, sizeof(*order));

	sort_ends(side, order);
	for (size_t i = 0; i < side->ends.count && i < GRAPH_SIDE_MAX; i++) {
		struct end *end = &side->ends.items[order[i]];

		if (end->faults < graph->least)
			break;
		end->is_kept = true;
		end->node = add_node(graph, end->role, end->index, 1);
	}
	side_add_groups(causes, side, group);
	side->others = add_node(graph, others, MODEL_NONE, 0);
}

/** Sum in each node what became it. */
static void fill_nodes(struct graph *graph, const struct side *side)
{
	uint64_t(*by_initiator)[MODEL_INITIATORS] =
		xcalloc(graph->node_count, sizeof(*by_initiator));

	vec_foreach (end, &side->ends) {
		if (!end->is_kept)
			continue;
		graph->nodes[end->node].faults += end->faults;
		for (unsigned i = 0; i < MODEL_INITIATORS; i++)
			by_initiator[end->node][i] += end->by_initiator[i];
	}
	vec_foreach (end, &side->ends)
		if (end->is_kept)
			set_initiator(&graph->nodes[end->node], by_initiator[end->node]);
	free(by_initiator);
}

static void add_link(struct link *to, const struct link *from)
{
	to->faults += from->faults;
	for (unsigned i = 0; i < MODEL_INITIATORS; i++)
		to->by_initiator[i] += from->by_initiator[i];
}

ORDER_OF(compare_links, link,
	 ORDER(y->faults, x->faults) ?: ORDER(x->from, y->from) ?: ORDER(x->to, y->to))

/** Links between nodes: of what was pruned they go from or to the others. */
static void merge_links(struct causes *causes, link_list *ret_links)
{
	CLEANUP(u64map_deinit) struct u64map by_ends = { 0 };

	vec_foreach (link, &causes->links) {
		const struct end *from = &causes->from.ends.items[link->from];
		const struct end *to = &causes->to.ends.items[link->to];

		add_link(link_between(&by_ends, ret_links,
				      from->is_kept ? from->node : causes->from.others,
				      to->is_kept ? to->node : causes->to.others),
			 link);
	}
	if (ret_links->count)
		qsort(ret_links->items, ret_links->count, sizeof(*ret_links->items), compare_links);
}

/** Send links that are too thin to the other places; places that no link is left to join them. */
static void cut_links(struct causes *causes, link_list *links)
{
	struct graph *graph = causes->graph;
	CLEANUP(freep) bool *is_reached = xcalloc(graph->node_count, sizeof(*is_reached));
	CLEANUP(u64map_deinit) struct u64map by_ends = { 0 };
	link_list left = { 0 };
	size_t kept = 0;

	vec_foreach (link, links) {
		uint32_t to = link->to;

		if (to != causes->to.others) {
			if (link->faults < graph->least_edge || kept >= GRAPH_EDGES_MAX)
				to = causes->to.others;
			else
				kept++;
		}
		is_reached[to] = true;
		if (to != link->to)
			graph->thin += link->faults;
		add_link(link_between(&by_ends, &left, link->from, to), link);
	}
	vec_foreach (end, &causes->to.ends) {
		if (!end->is_kept || is_reached[end->node])
			continue;
		end->is_kept = false;
		graph->thin -= end->faults; // its links were all thin: it is not drawn any more
		graph->nodes[end->node].faults = 0;
	}
	vec_deinit(links);
	*links = left;
}

/** Count what the others of one side stand for. */
static void describe_others(struct graph *graph, const struct side *side, const link_list *links,
			    bool is_from)
{
	struct graph_node *node = &graph->nodes[side->others];
	uint64_t by_initiator[MODEL_INITIATORS] = { 0 };

	vec_foreach (end, &side->ends)
		node->stands_for += !end->is_kept;
	vec_foreach (link, links) {
		if ((is_from ? link->from : link->to) != side->others)
			continue;
		node->faults += link->faults;
		for (unsigned i = 0; i < MODEL_INITIATORS; i++)
			by_initiator[i] += link->by_initiator[i];
	}
	set_initiator(node, by_initiator);
}

/** Close the gaps that nodes without faults leave, and write the edges. */
static void finish(struct graph *graph, const link_list *links)
{
	CLEANUP(freep) uint32_t *place = xcalloc(graph->node_count, sizeof(*place));
	size_t kept = 0;

	for (size_t i = 0; i < graph->node_count; i++) {
		place[i] = (uint32_t)kept;
		if (graph->nodes[i].faults)
			graph->nodes[kept++] = graph->nodes[i];
	}
	graph->node_count = kept;
	graph->edges = arena_array(&graph->arena, links->count, sizeof(*graph->edges));
	vec_foreach (link, links) {
		struct graph_node most = { 0 };

		set_initiator(&most, link->by_initiator);
		graph->edges[graph->edge_count++] = (struct graph_edge){
			.from = place[link->from],
			.to = place[link->to],
			.faults = link->faults,
			.initiator = most.initiator,
		};
	}
}

ORDER_OF(compare_edges, graph_edge, ORDER(x->from, y->from) ?: ORDER(x->to, y->to))

static void add_causes(struct graph_making *making)
{
	struct graph *graph = making->graph;
	CLEANUP(causes_deinit)
	struct causes causes = { .model = making->model, .graph = graph };
	CLEANUP(vec_release) link_list links = { 0 };

	graph->nodes = arena_array(&graph->arena, 2 * SIDE_NODES, sizeof(*graph->nodes));
	count_faults(&causes);
	find_groups(&causes);
	side_add_nodes(&causes, &causes.from, GRAPH_INITIATOR, GRAPH_OTHER_CAUSES);
	side_add_nodes(&causes, &causes.to, GRAPH_OBJECT, GRAPH_OTHER_PLACES);
	fill_nodes(graph, &causes.from);
	fill_nodes(graph, &causes.to);
	merge_links(&causes, &links);
	cut_links(&causes, &links);
	describe_others(graph, &causes.from, &links, true);
	describe_others(graph, &causes.to, &links, false);
	finish(graph, &links);
}

/** Of few faults a percent is one or two, and the graph would be all of them. */
static double share_by_default(const struct model *model, enum graph_kind kind)
{
	if (kind == GRAPH_OBJECTS)
		return GRAPH_MIN_SHARE_OBJECTS;
	return model->total.faults < GRAPH_FEW_FAULTS ? GRAPH_MIN_SHARE_FEW
						      : GRAPH_MIN_SHARE_CAUSES;
}

void graph_build(struct graph *graph, const struct model *model, enum graph_kind kind,
		 const struct graph_options *options)
{
	struct graph_making making = { graph, model, options };
	double share = options->min_share >= 0 ? options->min_share : share_by_default(model, kind);
	double least = ceil((double)model->total.faults * share / 100);

	*graph = (struct graph){ .kind = kind, .faults = model->total.faults };
	// A share of at most 100 of a count; not exact above 2^53, which nobody records.
	graph->least = least > 1 ? (uint64_t)least : 1;
	graph->least_edge = (graph->least + 3) / 4;
	if (kind == GRAPH_CAUSES)
		add_causes(&making);
	else
		graph_add_objects(&making);
	if (graph->edge_count)
		qsort(graph->edges, graph->edge_count, sizeof(*graph->edges), compare_edges);
	graph_add_labels(&making);
}

void graph_deinit(struct graph *graph)
{
	arena_deinit(&graph->arena);
	*graph = (struct graph){ 0 };
}
