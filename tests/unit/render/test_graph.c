// SPDX-License-Identifier: Apache-2.0
// Graphs as plain data: nothing is lost by pruning, names are tame.
#include "render/graph/graph.h"

#include "base/cleanup.h"
#include "tests/support/models.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/** A model of @count faults, of causes and places picked by @seed; free it with made_free(). */
struct made {
	struct model model;
	struct model_object object;
	struct model_section sections[200];
	struct model_function functions[200];
};

static struct made *made_create(unsigned seed, size_t count)
{
	struct made *made = xcalloc(1, sizeof(*made));
	struct model_fault *faults = xcalloc(count, sizeof(*faults));
	static const struct model_ip no_ip = { .name = MODEL_NONE };

	made->object = (struct model_object){ .path = "/lib/x", .is_file = true };
	for (unsigned i = 0; i < 200; i++) {
		made->sections[i] = (struct model_section){ .name = arena_printf(&made->model.arena,
										 ".s%u", i) };
		made->functions[i] =
			(struct model_function){ .name = arena_printf(&made->model.arena, "f%u",
								      i) };
	}
	for (size_t i = 0; i < count; i++) {
		// Skewed, so that some are large and most are small.
		seed = seed * 1103515245 + 12345;
		unsigned cause = (seed >> 16) % (1 + (seed >> 8) % 200);
		seed = seed * 1103515245 + 12345;
		unsigned place = (seed >> 16) % (1 + (seed >> 8) % 200);

		faults[i] = (struct model_fault){
			.at.section = place == 7 ? MODEL_NONE : place,
			.at.object = place == 7 ? MODEL_NONE : 0,
			.at.name = MODEL_NONE,
			.by = &no_ip,
			.blame = cause == 5 ? MODEL_NONE : cause,
			.initializer = MODEL_NONE,
			.init_object = MODEL_NONE,
			.initiator = cause % 3 ? MODEL_PROGRAM : MODEL_UNWIND,
		};
		if (place != 7)
			made->sections[place].count.faults++;
	}
	made->model.faults = faults;
	made->model.fault_count = count;
	made->model.total.faults = count;
	made->model.objects = &made->object;
	made->model.object_count = 1;
	made->model.sections = made->sections;
	made->model.section_count = 200;
	made->model.functions = made->functions;
	made->model.function_count = 200;
	return made;
}

static void made_free(struct made *made)
{
	arena_deinit(&made->model.arena);
	free((void *)made->model.faults);
	free(made);
}

static bool is_cause(const struct graph_node *node)
{
	return node->role <= GRAPH_OTHER_CAUSES;
}

/** Faults of the edges at node @n. */
static uint64_t edges_at(const struct graph *graph, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < graph->edge_count; i++)
		if (graph->edges[i].from == n || graph->edges[i].to == n)
			sum += graph->edges[i].faults;
	return sum;
}

/** All that must hold of a graph of causes, whatever was pruned. */
static void check_conservation(const struct graph *graph, const struct model *model)
{
	uint64_t edges = 0, causes = 0, places = 0, missing = 0;

	array_foreach (edge, graph->edges, graph->edge_count) {
		const struct graph_node *to = &graph->nodes[edge->to];

		assert_true(edge->from < graph->node_count && edge->to < graph->node_count);
		assert_true(is_cause(&graph->nodes[edge->from]) && !is_cause(to));
		assert_true(edge->faults >= graph->least_edge || to->role == GRAPH_OTHER_PLACES);
		edges += edge->faults;
	}
	assert_int_equal(edges, model->total.faults);
	for (size_t n = 0; n < graph->node_count; n++) {
		const struct graph_node *node = &graph->nodes[n];
		bool is_others =
			node->role == GRAPH_OTHER_CAUSES || node->role == GRAPH_OTHER_PLACES;

		assert_true(node->faults >= graph->least || is_others);
		assert_true(edges_at(graph, n) > 0);
		if (is_cause(node)) {
			assert_int_equal(edges_at(graph, n), node->faults);
			causes += node->faults;
			continue;
		}
		assert_true(edges_at(graph, n) <= node->faults);
		missing += node->faults - edges_at(graph, n);
		places += node->faults;
	}
	assert_int_equal(causes, model->total.faults);
	// What drawn places lack was counted among the others, too.
	assert_int_equal(missing, graph->thin);
	assert_int_equal(places, model->total.faults + graph->thin);
}

TEST(no_fault_is_lost_by_pruning)
{
	static const double shares[] = { 0, 0.1, 1, 2, 5, 20, 100 };

	for (unsigned seed = 1; seed <= 20; seed++) {
		struct made *made = made_create(seed, 50 * seed * seed);

		for (size_t i = 0; i < MODELS_COUNT(shares); i++) {
			struct graph graph;

			graph_build(&graph, &made->model, GRAPH_CAUSES,
				    &(struct graph_options){ .min_share = shares[i] });
			check_conservation(&graph, &made->model);
			assert_true(graph.node_count <= 4 * GRAPH_SIDE_MAX);
			assert_true(graph.edge_count <= GRAPH_EDGES_MAX + 2 * GRAPH_SIDE_MAX);
			graph_deinit(&graph);
		}
		made_free(made);
	}
}

TEST(edges_that_are_too_many_go_to_the_others)
{
	struct graph graph;

	struct made *made = made_create(3, 100000);
	graph_build(&graph, &made->model, GRAPH_CAUSES, &(struct graph_options){ 0 });
	size_t drawn = 0;

	for (size_t i = 0; i < graph.edge_count; i++)
		drawn += graph.nodes[graph.edges[i].to].role != GRAPH_OTHER_PLACES;
	assert_int_equal(drawn, GRAPH_EDGES_MAX);
	assert_true(graph.thin > 0);
	graph_deinit(&graph);
	made_free(made);
}

TEST(a_model_without_faults_is_a_graph_without_nodes)
{
	static const struct model model;
	struct graph graph;

	for (unsigned kind = 0; kind < GRAPH_KINDS; kind++) {
		graph_build(&graph, &model, (enum graph_kind)kind, &(struct graph_options){ 0 });
		assert_int_equal(graph.node_count, 0);
		assert_int_equal(graph.edge_count, 0);
		graph_deinit(&graph);
	}
}

static const struct graph_node *find_node(const struct graph *graph, enum graph_role role)
{
	for (size_t i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].role == role)
			return &graph->nodes[i];
	fail_msg("no node of role %d", role);
	return NULL;
}

TEST(causes_are_initializers_then_blame_then_initiators)
{
	CLEANUP(graph_deinit) struct graph graph;

	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_fault *faults = (struct model_fault *)model->faults;

	faults[0].initiator = MODEL_EXEC;
	faults[1].initiator = MODEL_RELOCATION; // blame says who called dlopen: not who relocates
	faults[2].initiator = MODEL_PROGRAM;
	faults[3].initiator = MODEL_STATIC_INIT;
	faults[4].initiator = MODEL_PROGRAM;
	faults[4].blame = 2;
	graph_build(&graph, model, GRAPH_CAUSES, &(struct graph_options){ 0 });
	check_conservation(&graph, model);

	const struct graph_node *init = find_node(&graph, GRAPH_INITIALIZER);
	assert_int_equal(init->index, 0);
	assert_string_equal(init->lines[0], "setup()");
	assert_string_equal(init->lines[1], "initializer of sample");
	assert_string_equal(init->lines[2], "setup.cc");
	assert_string_equal(init->lines[3], "1 fault, 20.0%");
	const struct graph_node *blame = find_node(&graph, GRAPH_BLAME);
	assert_int_equal(blame->index, 2);
	assert_string_equal(blame->lines[0], "(code without a name)");
	size_t initiators = 0;
	for (size_t i = 0; i < graph.node_count; i++)
		initiators += graph.nodes[i].role == GRAPH_INITIATOR;
	assert_int_equal(initiators, 3); // exec, relocation, program without blame
}

TEST(a_symbol_with_much_of_its_section_has_a_node)
{
	struct graph graph;

	struct made *made = made_create(9, 1000);
	struct model_symbol symbols[2] = {
		{ .name = "large", .section = 0, .count = { 150, 0, 0 } },
		{ .name = "small", .section = 0, .count = { 49, 0, 0 } },
	};

	made->model.symbols = symbols;
	made->model.symbol_count = 2;
	for (size_t i = 0; i < 1000; i++) {
		struct model_fault *fault = (struct model_fault *)&made->model.faults[i];

		fault->at.object = 0;
		fault->at.section = 0;
		fault->at.name = i < 150 ? 0 : i < 199 ? 1 : MODEL_NONE;
	}
	made->sections[0].count.faults = 500; // at least this: shares are of it
	graph_build(&graph, &made->model, GRAPH_CAUSES, &(struct graph_options){ .min_share = 1 });
	const struct graph_node *symbol = find_node(&graph, GRAPH_SYMBOL);
	assert_int_equal(symbol->index, 0);
	assert_int_equal(symbol->faults, 150);
	assert_int_equal(find_node(&graph, GRAPH_SECTION)->faults, 850);
	graph_deinit(&graph);
	made_free(made);
}

TEST(objects_stand_with_what_they_need)
{
	static const uint32_t needed[] = { 1, 2 };
	struct graph graph;

	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_object *objects = (struct model_object *)model->objects;

	objects[0].needed = needed;
	objects[0].needed_count = 1;
	graph_build(&graph, model, GRAPH_OBJECTS, &(struct graph_options){ .min_share = 1 });
	assert_int_equal(graph.node_count, 3);
	assert_int_equal(graph.edge_count, 1);
	assert_int_equal(graph.edges[0].from, 0);
	assert_int_equal(graph.edges[0].to, 1);
	assert_string_equal(graph.nodes[0].lines[0], "sample");
	assert_string_equal(graph.nodes[0].lines[3], "2 pages relocated, 1 lookup");
	assert_int_equal(find_node(&graph, GRAPH_MEMORY)->faults, 1);
	graph_deinit(&graph);

	// The library has fewer than that: its faults and the edge to it remain.
	graph_build(&graph, model, GRAPH_OBJECTS, &(struct graph_options){ .min_share = 40 });
	assert_int_equal(graph.node_count, 3);
	assert_int_equal(graph.edge_count, 1);
	assert_int_equal(graph.nodes[graph.edges[0].to].role, GRAPH_OTHER_OBJECTS);
	uint64_t sum = 0;
	for (size_t i = 0; i < graph.node_count; i++)
		sum += graph.nodes[i].faults;
	assert_int_equal(sum, model->total.faults);
	graph_deinit(&graph);
}

TEST(labels_are_short_and_tame)
{
	struct graph graph;

	CLEANUP(model_closep) struct model *model = models_sample();
	struct model_section sections[4];
	CLEANUP(freep) char *umlauts = xcalloc(2, 1001);

	for (size_t i = 0; i < 1000; i++)
		strcat(umlauts + 2 * i, "\xc3\xbc");
	memcpy(sections, model->sections, sizeof(sections));
	model->sections = sections;
	sections[0].name = umlauts;
	for (unsigned kind = 0; kind < GRAPH_KINDS; kind++) {
		graph_build(&graph, model, (enum graph_kind)kind, &(struct graph_options){ 0 });
		array_foreach (node, graph.nodes, graph.node_count) {
			assert_true(node->line_count >= 2 && node->line_count <= GRAPH_LINES);
			for (size_t l = 0; l < node->line_count; l++) {
				size_t letters = 0;

				for (const char *at = node->lines[l]; *at; at++) {
					assert_true((unsigned char)*at >= 0x20);
					letters += ((unsigned char)*at & 0xc0) != 0x80;
				}
				assert_true(letters <= 48);
			}
		}
		graph_deinit(&graph);
	}
}
